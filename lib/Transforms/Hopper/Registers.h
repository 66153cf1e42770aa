//===- Registers.h - a multiprocessor's registers and who gets them -------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace tilec {

constexpr int64_t registersOfMultiprocessor = 65536; // CUDA C++ Programming Guide 13.0
constexpr int64_t registerStep = 8;                  // setmaxnreg: multiples of 8, 24 to 256
constexpr int64_t mostRegisters = 255;               // that an instruction can name

/// What a lane of a block of `threads` has before setmaxnreg: ptxas compiles every instruction of
/// the kernel for it.
constexpr int64_t registersAtEntry(int64_t threads) {
  return std::min(mostRegisters, registersOfMultiprocessor / threads / registerStep * registerStep);
}

/// What setmaxnreg gives a lane of the producer and of a consumer. Nothing for small blocks: ptxas
/// gives their lanes the most that an instruction can name.
struct RegisterSplit {
  int64_t producer, consumer;
};
constexpr std::optional<RegisterSplit> splitRegisters(int64_t threads) {
  int64_t groups = threads / 128;
  int64_t atEntry = registersAtEntry(threads);
  if (groups < 3 || atEntry < 32)
    return std::nullopt;
  // The producer's loop needs few; 40 were proved with two copies a round.
  int64_t producer = groups == 3 ? 40 : groups == 4 ? 32 : 24;
  int64_t consumer = (atEntry * groups - producer) / (groups - 1) / registerStep * registerStep;
  return RegisterSplit{producer, std::min<int64_t>(consumer, 240)};
}

} // namespace tilec
