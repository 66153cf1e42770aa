//===- Pipeline.h - the parts of a matrix loop before they are ordered ----===//
//
// Takes a planned loop, gives the parts that schedules put in an order: who copies what, and how
// operands are read.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Layouts/GemmPlan.h"

#include <vector>

namespace tilec {

/// Which wave copies which part of a tile with which of its copies. A tile is made of chunks, each
/// filled by one instruction of one wave; copy d of wave w fills chunk waveChunk(w) + copyChunk[d].
/// Copies are numbered so that the first repetitions of the operand need the first copies.
struct CopyAssignment {
  int64_t chunkBytes = 0;
  std::vector<int64_t> copyChunk;
  std::vector<int64_t> waveBitChunk; ///< what bit b of the wave's number adds
  std::vector<int64_t> copyOfChunk;

  int64_t copies() const { return copyChunk.size(); }
};

/// `rowOfChunk` gives the operand's repetition that a chunk's rows belong to.
CopyAssignment assignCopies(int64_t chunks, int64_t waves, int64_t chunkBytes,
                            llvm::function_ref<int64_t(int64_t chunk)> repOfChunk);

/// One operand of a matrix loop in `wave.pipeline`.
struct PipelineOperand {
  bool isA = true;
  CopyAssignment copies;
  int64_t slotBytes = 0;
  int64_t advanceBytes = 0;
};

} // namespace tilec
