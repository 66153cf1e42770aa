//===- Registers.h - who of a block gets how many registers ---------------===//
//
// Takes the threads of a block, gives the registers of a producer's and of a consumer's lanes, and
// how many threads the producer has.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Target/Target.h"

#include <optional>

namespace tilec {

/// What a lane of the producer and of a consumer has once the former has handed over what it does
/// not need. Nothing where registers do not move, and for small blocks: the assembler gives their
/// lanes the most that an instruction can name.
struct RegisterSplit {
  int64_t producer, consumer;
};
inline std::optional<RegisterSplit> splitRegisters(const TargetInfo &target, int64_t threads) {
  int64_t groups = threads / 128;
  int64_t atEntry = target.registersOf(threads / target.waveLanes);
  if (!target.registers.mostMoved || groups < 3 || atEntry < 32)
    return std::nullopt;
  // The producer's loop needs few; 40 were proved with two copies a round.
  int64_t producer = groups == 3 ? 40 : groups == 4 ? 32 : 24, step = target.registers.step;
  int64_t consumer = (atEntry * groups - producer) / (groups - 1) / step * step;
  return RegisterSplit{producer, std::min(consumer, *target.registers.mostMoved)};
}

/// Threads of the producer of a block that has `consumers` others. One of its warps works;
/// registers move between whole warp groups only.
inline int64_t producerThreads(const TargetInfo &target, int64_t consumers) {
  constexpr int64_t threadsOfGroup = 128;
  return splitRegisters(target, consumers + threadsOfGroup) ? threadsOfGroup : target.waveLanes;
}

} // namespace tilec
