//===- Registers.h - who of a block gets how many registers ---------------===//
//
// Takes the threads of a block, gives the registers of a producer's and of a consumer's lanes, and
// how many threads the producer has.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/Math.h"
#include "tilec/Target/Target.h"

#include <algorithm>
#include <optional>

namespace tilec {

/// What a lane of the producer and of a consumer has once the former has handed over what it does
/// not need. Nothing where registers do not move, and for small blocks: the assembler gives their
/// lanes the most that an instruction can name.
struct RegisterSplit {
  int64_t producer, consumer;
};
inline std::optional<RegisterSplit> splitRegisters(const TargetInfo &target, int64_t threads) {
  // The producer's loop needs few: so many were proved with two copies a round. Of more consumers
  // each has less, so that it gets by with fewer.
  constexpr int64_t ofProducer = 40, fewestGroups = 3;
  const std::optional<MovedRegisters> &moved = target.registers.moved;
  int64_t groups = threads / target.groupLanes(), step = target.registers.step;
  int64_t atEntry = target.registersOf(ceilDiv(threads, target.waveLanes));
  if (!moved || groups < fewestGroups || atEntry < moved->least + step)
    return std::nullopt;
  int64_t producer = std::max(moved->least, ofProducer - step * (groups - fewestGroups));
  int64_t consumer = (atEntry * groups - producer) / (groups - 1) / step * step;
  return RegisterSplit{producer, std::min(consumer, moved->most)};
}

/// Threads of the producer of a block that has `consumers` others. One of its warps works;
/// registers move between whole warp groups only.
inline int64_t producerThreads(const TargetInfo &target, int64_t consumers) {
  bool moves = splitRegisters(target, consumers + target.groupLanes()).has_value();
  return moves ? target.groupLanes() : target.waveLanes;
}

} // namespace tilec
