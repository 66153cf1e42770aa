//===- Swizzle.h - a shared layout whose reads meet no bank twice ---------===//
//
// Takes how operands are read from a tile, gives the swizzle that costs the fewest extra cycles.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Layouts/GemmPlan.h"

namespace tilec {

/// How one operand of a gemm is read from shared memory, lane by lane.
struct SharedReads {
  Arch arch;
  DType dtype;
  bool isTransposed = false; ///< by reads that transpose
  bool isTurned = false;     ///< rows that stand together, for one k
  int64_t bytesPerLane = 0;  ///< of one read
  int64_t pieceBytes = 0;    ///< that copies from global memory want kept together
  std::vector<Coords> lanes; ///< of each read, a wave after the other: where a lane starts, as the
                             ///< tile's own coordinates
};

/// The reads of an operand for its first repetition; nothing when its elements are read one by one.
/// `together`: GemmPlan::togetherM or N.
std::optional<SharedReads> sharedReads(const FragmentLayout &operand, bool kIsRow, int64_t together,
                                       DType dtype, const TargetInfo &target);

/// Extra cycles of all these reads.
int64_t conflictsOf(const SharedReads &reads, const SharedLayout &layout);

/// The swizzle with the fewest conflicts for a tile of two dimensions.
SharedLayout chooseSwizzle(llvm::ArrayRef<int64_t> shape, const SharedReads &reads,
                           int64_t passedOver = 0);

/// How often the banks are asked until the lanes of a wave, each with its first elements of two
/// dimensions, have read those of a shared tile.
int64_t passesOf(const FragmentLayout &lanes, const SharedLayout &layout, int64_t elemBytes,
                 const TargetInfo &target);

} // namespace tilec
