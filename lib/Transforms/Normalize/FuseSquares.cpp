//===- FuseSquares.cpp - sums of squares ----------------------------------===//
//
// Takes a kernel, lets squares that are added to sums of squares be one fma with the sum.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/RelaxMath.h"

#include "Normalize/RowMaxima.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_FUSESQUARESPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Whether two values of one loop are the same expression, of elements that no store changes
/// between.
bool isSameValue(Value a, Value b) {
  if (a == b)
    return true;
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  if (!x || !y || x->getBlock() != y->getBlock() || x->getName() != y->getName() ||
      x->getAttrDictionary() != y->getAttrDictionary() || x->getNumRegions() != 0 ||
      x->getNumOperands() != y->getNumOperands())
    return false;
  if (y->isBeforeInBlock(x))
    std::swap(x, y);
  if (!isa<tile::LoadOp>(x) && !isMemoryEffectFree(x))
    return false;
  for (Operation *op = x; isa<tile::LoadOp>(x) && op != y; op = op->getNextNode())
    if (isChangedBy(accessesOf(op).writes, rootOf(x->getOperand(0))))
      return false;
  return llvm::all_of(llvm::zip(x->getOperands(), y->getOperands()),
                      [](auto pair) { return isSameValue(std::get<0>(pair), std::get<1>(pair)); });
}

/// x * x + y, where x * x is a term of a sum: all terms are positive, so one rounding less is only
/// nearer to the sum. Reductions allow it (ReduceEmitter); here the product does.
void fuseSummedSquares(tile::ReduceOp reduce) {
  Value squares = reduce.getSrc();
  if (reduce.getKind() != tile::ReduceKind::Sum || !squares.getDefiningOp<tile::AllocOp>())
    return;
  SmallVector<arith::MulFOp> products;
  for (Operation *user : squares.getUsers()) {
    auto store = dyn_cast<tile::StoreOp>(user);
    auto product = store ? store.getValue().getDefiningOp<arith::MulFOp>() : arith::MulFOp();
    if (product && product.getType().isF32() && isSameValue(product.getLhs(), product.getRhs()))
      products.push_back(product);
  }
  for (arith::MulFOp product : products)
    allow(product, arith::FastMathFlags::contract);
}

/// The product of a statement s = s + x * x, null of others.
arith::MulFOp squareAdded(tile::StoreOp store) {
  auto sum = store.getValue().getDefiningOp<arith::AddFOp>();
  for (unsigned n = 0; sum && n < 2; ++n) {
    auto old = sum->getOperand(n).getDefiningOp<tile::LoadOp>();
    auto product = sum->getOperand(1 - n).getDefiningOp<arith::MulFOp>();
    if (old && product && product.getType().isF32() && old.getBuffer() == store.getBuffer() &&
        llvm::equal(old.getIndices(), store.getIndices()) &&
        isSameValue(product.getLhs(), product.getRhs()))
      return product;
  }
  return {};
}

/// The same of sums that are kept by statements of loops: all terms are squares, and they start at
/// no less than 0.
void fuseRunningSquares(tile::AllocOp sums) {
  if (!sums.getResult().getType().isFragment() ||
      !sums.getResult().getType().getElementType().isF32())
    return;
  SmallVector<arith::MulFOp> products;
  for (Operation *user : sums->getUsers()) {
    auto store = dyn_cast<tile::StoreOp>(user);
    if (auto product = store ? squareAdded(store) : arith::MulFOp()) {
      products.push_back(product);
      continue;
    }
    auto fill = dyn_cast<tile::FillOp>(user);
    std::optional<double> start = fill ? constantOf(fill.getValue()) : std::nullopt;
    bool isStart = start && *start >= 0;
    if (!isStart && (isa<tile::SubviewOp, tile::ReshapeOp>(user) ||
                     llvm::is_contained(accessesOf(user).writes, sums.getResult())))
      return;
  }
  for (arith::MulFOp product : products) {
    allow(product, arith::FastMathFlags::contract);
    for (Operation *sum : product->getUsers())
      if (isa<arith::AddFOp>(sum))
        allow(sum, arith::FastMathFlags::contract);
  }
}

struct FuseSquaresPass : impl::FuseSquaresPassBase<FuseSquaresPass> {
  using FuseSquaresPassBase::FuseSquaresPassBase;

  void runOnOperation() override {
    for (tile::KernelOp kernel : relaxedKernels(getOperation())) {
      kernel.walk([](tile::ReduceOp reduce) { fuseSummedSquares(reduce); });
      kernel.walk([](tile::AllocOp sums) { fuseRunningSquares(sums); });
    }
  }
};

} // namespace

} // namespace tilec
