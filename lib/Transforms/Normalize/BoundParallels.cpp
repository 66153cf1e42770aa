//===- BoundParallels.cpp - nested parallels with extents of run time -----===//
//
// Fission (FissionParallels.cpp) makes perfect nests of parallels with constant extents. Here
// others that MergeParallels.cpp has left get into that form, best first:
//
//   * an extent with a constant bound: the loop runs to the bound, its body under a guard;
//   * an extent that is the same in all outer iterations: a serial loop over pieces of
//     a block's lanes, which fission takes out of the outer loop;
//   * what is left runs in order, in the lane of the outer iteration.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Index.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_BOUNDPARALLELSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// What `value` never exceeds, if that is known.
std::optional<int64_t> upperBound(Value value) {
  if (auto least = value.getDefiningOp<arith::MinSIOp>()) {
    std::optional<int64_t> left = upperBound(least.getLhs()), right = upperBound(least.getRhs());
    return left && right ? std::min(*left, *right) : left ? left : right;
  }
  std::optional<IndexRange> range = rangeOf(value);
  return range ? std::optional(range->high) : std::nullopt;
}

/// Replaces the extents that are not constant; iterations beyond the old ones do nothing. The new
/// index of dimension d is starts[d] (null: 0) plus the loop's.
void boundExtents(tile::ParallelOp nested, ArrayRef<int64_t> bounds, ArrayRef<Value> starts,
                  OpBuilder at) {
  Location loc = nested.getLoc();
  SmallVector<Value> extents;
  for (auto [d, extent] : llvm::enumerate(nested.getExtents()))
    extents.push_back(tile::constantInt(extent)
                          ? extent
                          : arith::ConstantIndexOp::create(at, loc, bounds[d]).getResult());
  auto fresh = tile::ParallelOp::create(at, loc, extents);
  OpBuilder b = OpBuilder::atBlockEnd(fresh.bodyBlock());
  Value inside;
  for (auto [d, iv] : llvm::enumerate(nested.ivs())) {
    Value index = fresh.ivs()[d];
    if (!tile::constantInt(nested.getExtents()[d])) {
      if (starts[d])
        index = arith::AddIOp::create(b, loc, starts[d], index);
      Value isBelow =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, index, nested.getExtents()[d]);
      inside = inside ? arith::AndIOp::create(b, loc, inside, isBelow).getResult() : isBelow;
    }
    Value(iv).replaceAllUsesWith(index);
  }
  auto guard = scf::IfOp::create(b, loc, inside, /*withElseRegion=*/false);
  Block &body = guard.getThenRegion().front();
  body.getOperations().splice(body.begin(), nested.bodyBlock()->getOperations());
  nested.erase();
}

/// Iterations of a nest that are worth giving up for lanes that work side by side.
constexpr int64_t mostBoxedIterations = int64_t(1) << 20;

bool boxByBounds(tile::ParallelOp loop, tile::ParallelOp nested) {
  int64_t total = 1;
  SmallVector<int64_t, 4> outer = *loop.constantExtents();
  for (int64_t extent : outer)
    total *= extent;
  SmallVector<int64_t> bounds;
  for (Value extent : nested.getExtents()) {
    std::optional<int64_t> bound = upperBound(extent);
    if (!bound || *bound > mostBoxedIterations)
      return false;
    bounds.push_back(std::max<int64_t>(*bound, 1));
    total *= bounds.back();
    if (total > mostBoxedIterations)
      return false;
  }
  SmallVector<Value> starts(bounds.size());
  boundExtents(nested, bounds, starts, OpBuilder(nested));
  return true;
}

/// for (start in 0 .. extent step piece) { parallel (piece) { if (inside) B } }
bool cutInPieces(tile::ParallelOp loop, tile::ParallelOp nested) {
  if (!llvm::all_of(nested.getExtents(), [&](Value v) { return hoistBefore(v, loop); }))
    return false;
  Location loc = nested.getLoc();
  int64_t threads = tile::threadsAt(loop);
  OpBuilder at(nested);
  size_t rank = nested.getExtents().size();
  SmallVector<int64_t> bounds(rank, 1);
  SmallVector<Value> starts(rank);
  size_t last = rank; // the innermost dynamic dimension takes the lanes
  for (auto [d, extent] : llvm::enumerate(nested.getExtents()))
    if (!tile::constantInt(extent))
      last = d;
  bounds[last] = threads;
  // Bounds of the serial loops stand in front of the outer loop, where fission will want them.
  OpBuilder before(loop);
  Value zero = arith::ConstantIndexOp::create(before, loc, 0);
  for (auto [d, extent] : llvm::enumerate(nested.getExtents())) {
    if (tile::constantInt(extent))
      continue;
    Value step = arith::ConstantIndexOp::create(before, loc, bounds[d]);
    auto serial = tile::ForOp::create(at, loc, zero, extent, step);
    starts[d] = serial.iv();
    at = OpBuilder::atBlockEnd(serial.bodyBlock());
  }
  boundExtents(nested, bounds, starts, at);
  return true;
}

void runInOrder(tile::ParallelOp nested) {
  nested.emitRemark() << "the iterations of this T.Parallel run in order, in the lane of the "
                         "iteration around: its extents are not the same in all of them";
  OpBuilder b(nested);
  Location loc = nested.getLoc();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Block *body = nullptr;
  for (auto [d, extent] : llvm::enumerate(nested.getExtents())) {
    auto serial = tile::ForOp::create(b, loc, zero, extent, one);
    Value(nested.ivs()[d]).replaceAllUsesWith(serial.iv());
    body = serial.bodyBlock();
    b = OpBuilder::atBlockEnd(body);
  }
  body->getOperations().splice(body->end(), nested.bodyBlock()->getOperations());
  nested.erase();
}

/// Whether `value` may differ between iterations of `loop`.
bool dependsOn(Value value, tile::ParallelOp loop) {
  if (!loop.getBody().isAncestor(value.getParentRegion()))
    return false;
  Operation *def = value.getDefiningOp();
  if (!def)
    return cast<BlockArgument>(value).getOwner() == loop.bodyBlock();
  return !isPure(def) || def->getNumRegions() != 0 ||
         llvm::any_of(def->getOperands(), [&](Value v) { return dependsOn(v, loop); });
}

/// Whether only serial loops that are the same in all iterations are between the two.
bool isReachable(tile::ParallelOp nested, tile::ParallelOp loop) {
  for (Operation *op = nested->getParentOp(); op != loop; op = op->getParentOp()) {
    auto serial = dyn_cast<tile::ForOp>(op);
    if (!serial || dependsOn(serial.getLower(), loop) || dependsOn(serial.getUpper(), loop) ||
        dependsOn(serial.getStep(), loop))
      return false;
  }
  return true;
}

/// One nested parallel that fission cannot deal with; null when there is none.
tile::ParallelOp firstUnfit(tile::ParallelOp loop) {
  tile::ParallelOp found;
  loop.getBody().walk<WalkOrder::PreOrder>([&](tile::ParallelOp nested) {
    // Nests in a nested parallel come later, when it is part of the outer one.
    if (nested.constantExtents() && isReachable(nested, loop))
      return WalkResult::skip();
    found = nested;
    return WalkResult::interrupt();
  });
  return found;
}

} // namespace

static void boundNestedParallels(tile::ProgramOp program) {
  for (tile::ParallelOp loop : outermostParallels(program))
    while (tile::ParallelOp nested = firstUnfit(loop)) {
      bool isDirect = nested->getParentOp() == loop;
      bool fits = isDirect && loop.constantExtents() &&
                  (boxByBounds(loop, nested) || cutInPieces(loop, nested));
      if (!fits)
        runInOrder(nested);
    }
}

namespace {
struct BoundParallelsPass : impl::BoundParallelsPassBase<BoundParallelsPass> {
  void runOnOperation() override { boundNestedParallels(getOperation()); }
};
} // namespace

} // namespace tilec
