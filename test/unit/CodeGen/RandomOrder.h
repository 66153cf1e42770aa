//===- RandomOrder.h - MFMA loops with a random order of operations -------===//
//
// For the tests that the code generator keeps an order: a loop of LDS reads, DMAs,
// MFMAs, barriers and priorities in a random legal order, as IR; and the same list
// read back from the emitted assembly.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/Arch.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilec::codegen::test {

/// One operation of the loop body. Reads and DMAs are known by their immediate offsets, MFMAs by
/// the reads that made their inputs.
struct Op {
  enum Kind { Read, Dma, Mfma, Barrier, Priority } kind;
  unsigned offset = 0;      ///< Read, Dma; the level of a Priority
  unsigned a = 0, b = 0;    ///< Mfma: offsets of the reads of its inputs
  unsigned half = 0;        ///< Mfma on gfx942: which half of the 16 bytes
  unsigned accumulator = 0; ///< Mfma; not compared (registers have other names)

  bool operator==(const Op &other) const {
    return kind == other.kind && offset == other.offset && a == other.a && b == other.b &&
           half == other.half;
  }
};

std::string describe(const Op &op);

struct LoopShape {
  unsigned reads = 12, dmas = 8, mfmas = 64, accumulators = 32;
  unsigned window = 48;   ///< MFMAs use the latest so many reads
  bool isOneWave = false; ///< a SIMD: 4 waves a block, accumulators in the accumulator registers
};

/// A random order in which every MFMA comes after its reads and no two DMAs are neighbours.
std::vector<Op> randomOrder(const LoopShape &shape, uint32_t seed);

/// The kernel `loop` with this loop body.
std::string loopKernel(const std::vector<Op> &ops, const LoopShape &shape, Arch arch);

/// What the loop of the assembly does, and how often the bad instructions occur.
struct EmittedLoop {
  std::vector<Op> ops;
  unsigned accumulatorMoves = 0, vectorMoves = 0, mfmasElsewhere = 0, nops = 0, scratch = 0;
};
EmittedLoop readLoop(const std::string &assembly);

} // namespace tilec::codegen::test
