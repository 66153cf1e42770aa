//===- Fills.cpp - accumulators that need not be filled -------------------===//
//
// Moves zeros and masks from loops in front of a product into it, or behind it; Fills.h has the
// forms.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/Fills.h"

#include "Layouts/Stores.h"
#include "Roles/Corner.h"

#include "tilec/Analysis/Buffers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilec {
namespace {

/// A parallel that stores one value to each element of a whole fragment.
struct Fill {
  tile::ParallelOp loop;
  tile::StoreOp store;
  bool byGroup = false; ///< masks are asked for each warp group
  Value buffer() { return store.getBuffer(); }
};

std::optional<Fill> fillOf(Operation *op) {
  auto loop = dyn_cast<tile::ParallelOp>(op);
  if (!loop || !loop.constantExtents())
    return std::nullopt;
  Fill fill{loop, onlyStore(loop), false};
  if (!fill.store || !fill.buffer().getDefiningOp<tile::AllocOp>())
    return std::nullopt;
  auto type = cast<tile::BufferType>(fill.buffer().getType());
  if (!type.isFragment() || ArrayRef<int64_t>(*loop.constantExtents()) != type.getShape() ||
      !llvm::equal(fill.store.getIndices(), loop.ivs()))
    return std::nullopt;
  return fill;
}

/// The next op of the block that touches the buffer, if it is a gemm with it as C.
tile::GemmOp gemmAfter(Fill &fill) {
  for (Operation *op = fill.loop->getNextNode(); op; op = op->getNextNode()) {
    Accesses accesses = accessesOf(op);
    if (!llvm::is_contained(accesses.reads, fill.buffer()) &&
        !llvm::is_contained(accesses.writes, fill.buffer()))
      continue;
    auto gemm = dyn_cast<tile::GemmOp>(op);
    return gemm && gemm.getC() == fill.buffer() && !gemm.getClear() ? gemm : tile::GemmOp();
  }
  return {};
}

/// What the loop stores where its mask does not cut and where it does, and when it cuts nowhere.
struct Mask {
  Value inside, outside, everywhere;
};
/// Whether the condition is `wanted` in all of the tile, for each warp group in its rows.
Value holdsEverywhere(Fill &fill, Value condition, bool wanted) {
  Value whole = Corner(fill.loop).everywhere(condition, wanted);
  std::optional<GroupRows> rows = groupRowsOf(fill.loop);
  if (!whole || matchPattern(whole, m_One()) || !rows || !fill.byGroup)
    return whole;
  Corner corner(fill.loop, rows);
  Value own = corner.everywhere(condition, wanted);
  if (!own || !corner.asksForGroup())
    return whole;
  OpBuilder b(fill.loop);
  return tile::OfGroupOp::create(b, fill.loop.getLoc(), own.getType(), own, whole);
}

/// The mask of a loop that stores one of two values, one of which is told to be the inside.
std::optional<Mask> maskOf(Fill &fill, llvm::function_ref<bool(Value)> isInside) {
  std::optional<Choice> choice = choiceOf(fill.store.getValue());
  if (!choice)
    return std::nullopt;
  for (bool side : {true, false}) {
    Value inside = side ? choice->whenTrue : choice->whenFalse;
    if (!isInside(inside))
      continue;
    if (Value everywhere = holdsEverywhere(fill, choice->condition, side))
      return Mask{inside, side ? choice->whenFalse : choice->whenTrue, everywhere};
  }
  return std::nullopt;
}

/// Whether the value is what the buffer has in the element that is stored.
bool isOldElement(Value value, Fill &fill) {
  auto load = value.getDefiningOp<tile::LoadOp>();
  return load && load.getBuffer() == fill.buffer() &&
         llvm::equal(load.getIndices(), fill.store.getIndices());
}

/// The loop runs only where the mask does not hold everywhere; else `instead`, where there is one.
void guard(Fill &fill, Value everywhere, tile::ParallelOp instead = {}) {
  if (matchPattern(everywhere, m_One()))
    return fill.loop.erase();
  OpBuilder b(fill.loop);
  Location loc = fill.loop.getLoc();
  Value truth = arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1);
  Value isCut = arith::XOrIOp::create(b, loc, everywhere, truth);
  auto branch = scf::IfOp::create(b, loc, isCut, /*withElseRegion=*/bool(instead));
  fill.loop->moveBefore(branch.thenBlock()->getTerminator());
  if (instead)
    instead->moveBefore(branch.elseBlock()->getTerminator());
}

/// A loop that fills the same buffer with `value`, which is constant.
tile::ParallelOp plainFill(Fill &fill, Value value) {
  OpBuilder b(fill.loop);
  Location loc = fill.loop.getLoc();
  Value constant = b.clone(*value.getDefiningOp())->getResult(0);
  auto loop = tile::ParallelOp::create(b, loc, fill.loop.getExtents());
  OpBuilder inner = OpBuilder::atBlockEnd(loop.bodyBlock());
  tile::StoreOp::create(inner, loc, constant, fill.buffer(), loop.ivs());
  return loop;
}

/// The product starts from zero, and the mask is added to it where it cuts: no more than minus
/// infinity could be lost in the sum, and that is not.
void maskBehind(Fill &fill, const Mask &mask, tile::GemmOp gemm) {
  plainFill(fill, mask.inside);
  fill.loop->moveAfter(gemm);
  OpBuilder b(fill.store);
  Value value = fill.store.getValue();
  Value product = tile::LoadOp::create(b, fill.store.getLoc(), value.getType(), fill.buffer(),
                                       fill.store.getIndices(), FloatAttr());
  fill.store.getValueMutable().assign(
      arith::AddFOp::create(b, fill.store.getLoc(), product, value));
  guard(fill, mask.everywhere);
}

void simplify(Fill &fill, MaskPlace place) {
  if (isZero(fill.store.getValue())) {
    if (tile::GemmOp gemm = gemmAfter(fill); gemm && gemm.getWarpGroup()) {
      OpBuilder b(gemm);
      gemm.getClearMutable().assign(
          arith::ConstantIntOp::create(b, gemm.getLoc(), b.getI1Type(), 1));
      fill.loop.erase();
    }
    return;
  }
  if (std::optional<Mask> mask =
          maskOf(fill, [&](Value value) { return isOldElement(value, fill); }))
    return guard(fill, mask->everywhere);
  tile::GemmOp gemm = gemmAfter(fill);
  std::optional<Mask> mask = gemm ? maskOf(fill, isZero) : std::nullopt;
  if (!mask)
    return;
  // Only instructions of warp groups ignore what C holds.
  if (!gemm.getWarpGroup() && place == MaskPlace::Behind &&
      matchPattern(mask->outside, m_NegInfFloat()))
    return maskBehind(fill, *mask, gemm);
  if (!gemm.getWarpGroup())
    return guard(fill, mask->everywhere, plainFill(fill, mask->inside));
  gemm.getClearMutable().assign(mask->everywhere);
  guard(fill, mask->everywhere);
}

} // namespace

void simplifyFills(tile::KernelOp kernel, MaskPlace place, bool byGroup) {
  SmallVector<tile::ParallelOp> loops;
  kernel.walk([&](tile::ParallelOp loop) { loops.push_back(loop); });
  for (tile::ParallelOp loop : loops)
    if (std::optional<Fill> fill = fillOf(loop)) {
      fill->byGroup = byGroup;
      simplify(*fill, place);
    }
}

} // namespace tilec
