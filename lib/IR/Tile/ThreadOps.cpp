//===- ThreadOps.cpp - verifiers of thread-level ops ----------------------===//
//
// Says of ops that only threads have (shuffles, votes, barriers) what makes them invalid.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/IR/Tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilec::tile {
namespace {

/// The kernel around an op that threads meet at; reports what is wrong with its place.
KernelOp threadsOf(Operation *op) {
  auto kernel = op->getParentOfType<KernelOp>();
  if (!kernel || !kernel.getLockstep() || op->getParentOfType<ElementLoop>()) {
    op->emitOpError("is thread-level code: it belongs into a lockstep kernel, outside of "
                    "tile.parallel");
    return {};
  }
  return kernel;
}

/// The lanes of a warp, or nothing and an error.
std::optional<int64_t> warpLanesOf(Operation *op) {
  KernelOp kernel = threadsOf(op);
  if (!kernel)
    return std::nullopt;
  if (kernel.getWarpLanes() == 0) {
    op->emitOpError("asks about a warp in a kernel without `warp_lanes`");
    return std::nullopt;
  }
  return kernel.getWarpLanes();
}

/// A mask has one bit for each lane.
LogicalResult checkMask(Operation *op, Type mask) {
  std::optional<int64_t> lanes = warpLanesOf(op);
  if (!lanes)
    return failure();
  if (int64_t(mask.getIntOrFloatBitWidth()) != *lanes)
    return op->emitOpError() << "gives " << mask << " for a warp of " << *lanes << " lanes";
  return success();
}

LogicalResult checkVote(Operation *op, VoteKind kind) {
  if (kind == VoteKind::Count)
    return op->emitOpError("asks `any` or `all`");
  return success();
}

} // namespace

LogicalResult ShuffleOp::verify() {
  std::optional<int64_t> lanes = warpLanesOf(*this);
  if (!lanes)
    return failure();
  int64_t width = getWidth();
  if (width < 1 || width > *lanes || !llvm::isPowerOf2_64(width))
    return emitOpError() << "cuts a warp of " << *lanes << " lanes into segments of " << width
                         << "; a power of two up to " << *lanes << " is possible";
  return success();
}

LogicalResult VoteOp::verify() {
  return failure(!warpLanesOf(*this) || failed(checkVote(*this, getKind())));
}

LogicalResult BallotOp::verify() { return checkMask(*this, getResult().getType()); }

LogicalResult MatchOp::verify() {
  return failure(failed(checkVote(*this, getKind())) ||
                 failed(checkMask(*this, getResult().getType())));
}

LogicalResult WarpReduceOp::verify() {
  if (!warpLanesOf(*this))
    return failure();
  switch (getKind()) {
  case ReduceKind::Sum:
  case ReduceKind::Max:
  case ReduceKind::Min:
    return success();
  case ReduceKind::BitAnd:
  case ReduceKind::BitOr:
  case ReduceKind::BitXor:
    if (isa<FloatType>(getValue().getType()))
      return emitOpError("combines the bits of integers");
    return success();
  default:
    return emitOpError("has one of sum, max, min, bitand, bitor, bitxor");
  }
}

LogicalResult OnWavesOp::verify() {
  std::optional<int64_t> lanes = warpLanesOf(*this);
  if (!lanes)
    return failure();
  int64_t threads = (*this)->getParentOfType<KernelOp>().getThreads();
  if (threads % *lanes != 0 || int64_t(getFirst() + getCount()) > threads / *lanes)
    return emitOpError() << "names waves up to " << getFirst() + getCount() - 1 << " of a block of "
                         << threads << " threads, waves of " << *lanes;
  for (Operation *user : (*this)->getUsers()) {
    auto branch = dyn_cast<scf::IfOp>(user);
    if (!branch || branch.getNumResults() != 0 || !branch.getElseRegion().empty())
      return emitOpError("is the condition of branches that give no values and have one side");
  }
  return success();
}

LogicalResult BlockVoteOp::verify() { return success(threadsOf(*this) != nullptr); }

} // namespace tilec::tile
