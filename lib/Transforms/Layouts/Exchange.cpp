//===- Exchange.cpp - what waves tell each other in reductions -------------===//
//
// Counts waves along reduced dimensions, and the bytes that they need to tell each other.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/Exchange.h"

#include "Layouts/GemmPlan.h"
#include "Layouts/LoopLayout.h"
#include "Layouts/ScanLayout.h"

#include "tilec/Base/Math.h"

using namespace mlir;

namespace tilec {

SmallVector<WaveDigit, 2> digitsAlong(const FragmentLayout &layout, int64_t dim) {
  SmallVector<WaveDigit, 2> digits;
  int64_t below = 1;
  for (const Factor &f : layout.waves()) {
    if (f.dim == dim)
      digits.push_back({below, f.count});
    below *= f.count;
  }
  return digits;
}

bool isUniformWithout(const FragmentLayout &layout, int64_t dim) {
  return llvm::all_of(layout.atom().inputs()[1].bases, [&](const Coords &base) {
    for (int64_t d = 0; d < int64_t(base.size()); ++d)
      if (d != dim && base[d] != 0)
        return false;
    return true;
  });
}

namespace {

/// The most that is worth bytes of its own.
constexpr int64_t mostOwnBytes = 1024;

/// Whether waves that share a result of the reduction have to tell each other theirs.
bool crossesWaves(tile::ReduceOp reduce) {
  const FragmentLayout *src = fragmentLayoutOf(reduce.getSrc());
  return src && fragmentLayoutOf(reduce.getDst()) && reduce.getStep() != tile::ReduceStep::Parts &&
         !digitsAlong(*src, reduce.getDim()).empty();
}

/// Whether all threads meet after the reduction, and before it if it is executed again: another
/// one in the same block does that.
bool isFollowedByMeeting(tile::ReduceOp reduce) {
  if (isa<tile::KernelOp>(reduce->getParentOp()))
    return true;
  return llvm::any_of(reduce->getBlock()->getOps<tile::ReduceOp>(),
                      [&](tile::ReduceOp other) { return other != reduce && crossesWaves(other); });
}

Exchange exchangeOfReduce(tile::ReduceOp reduce, const TargetInfo &target, int64_t numWaves) {
  if (!crossesWaves(reduce))
    return {};
  const FragmentLayout *src = fragmentLayoutOf(reduce.getSrc());
  bool isOneALane = !target.predicatesLanes || !isUniformWithout(*src, reduce.getDim());
  // Values, not elements: those of f16 are f32.
  Type element = cast<tile::BufferType>(reduce.getSrc().getType()).getElementType();
  int64_t elemBytes = std::max<int64_t>(1, tile::scalarTypeOf(element).getIntOrFloatBitWidth() / 8);
  int64_t bytes = fragmentLayoutOf(reduce.getDst())->numRegs() * numWaves *
                  (isOneALane ? target.waveLanes : 1) * elemBytes;
  return {bytes, bytes <= mostOwnBytes && isFollowedByMeeting(reduce)};
}

} // namespace

Exchange exchangeOf(Operation *op, const TargetInfo &target) {
  if (!isa<tile::ReduceOp, tile::ScanOp, tile::BlockVoteOp>(op) ||
      !op->getParentOfType<tile::KernelOp>())
    return {};
  int64_t numWaves = wavesOf(op, target);
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return exchangeOfReduce(reduce, target, numWaves);
  if (auto scan = dyn_cast<tile::ScanOp>(op))
    return {scanExchangeBytes(scan, target, numWaves)};
  bool isCounted = !target.hasBarrierCount && numWaves > 1; // an i32 each
  return {isCounted ? numWaves * 4 : 0};
}

} // namespace tilec
