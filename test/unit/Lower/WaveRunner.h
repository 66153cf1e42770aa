//===- WaveRunner.h - small Wave IR kernels on the simulator --------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/Arch.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace tilec::testing {

using Bytes = std::vector<uint8_t>;

/// Compiles the kernel @k of `text` and runs it on the simulator with all checks. Each buffer is an
/// argument in order; their contents are updated. Anything wrong is a test failure with its
/// message, and false.
bool runKernel(Arch arch, const std::string &text, uint32_t blocks, uint32_t threads,
               std::vector<Bytes> &buffers);

/// LLVM IR or assembly of `text`; empty after a test failure.
std::string lowerToText(Arch arch, const std::string &text, bool asAssembly);
/// The message that lowering `text` fails with; empty when it does not fail.
std::string lowerError(Arch arch, const std::string &text);

/// An element-wise kernel: %x and %y are elements of two inputs, `body` defines %z.
struct ElementWise {
  std::string xType, yType, zType;
  std::string body;
};

/// Runs it over xs and ys (bits in the low part of each number); their length is a multiple of 64.
std::vector<uint64_t> runElementWise(Arch arch, const ElementWise &kernel,
                                     const std::vector<uint64_t> &xs,
                                     const std::vector<uint64_t> &ys);

inline uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}
inline float floatOf(uint64_t bits) {
  uint32_t low = static_cast<uint32_t>(bits);
  float value;
  std::memcpy(&value, &low, 4);
  return value;
}

/// Reproducible random 32-bit numbers.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint32_t next() {
    // splitmix64
    uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return static_cast<uint32_t>((z ^ (z >> 31)) >> 32);
  }

private:
  uint64_t state;
};

} // namespace tilec::testing
