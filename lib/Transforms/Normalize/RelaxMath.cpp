//===- RelaxMath.cpp - arithmetic whose last bits are rounded away --------===//
//
// The question is where a value goes. Inside a parallel it is followed through
// products, quotients and negations, which keep relative errors, and sums of positive
// values with positive constants, to stores; from a fragment of f32 on through the
// statements that read it until it is overwritten.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/RelaxMath.h"

#include "tilec/Analysis/Buffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilec {
namespace {

/// Whether the op overwrites all of the fragment without reading it.
bool overwrites(Operation *op, Value fragment) {
  auto gemm = dyn_cast<tile::GemmOp>(op);
  if (gemm && gemm.getC() == fragment)
    return gemm.getClear() && tile::constantInt(gemm.getClear()).value_or(0) != 0;
  auto loop = dyn_cast<tile::ParallelOp>(op);
  if (!loop || !loop.constantExtents() || llvm::is_contained(accessesOf(op).reads, fragment))
    return false;
  auto type = cast<tile::BufferType>(fragment.getType());
  return ArrayRef<int64_t>(*loop.constantExtents()) == type.getShape() &&
         llvm::any_of(loop.bodyBlock()->getOps<tile::StoreOp>(), [&](tile::StoreOp store) {
           return store.getBuffer() == fragment && llvm::equal(store.getIndices(), loop.ivs());
         });
}

/// Where values go from an op on.
class Uses {
public:
  /// `mayBeSummed`: sums of the values are no matter either.
  explicit Uses(bool mayBeSummed) : mayBeSummed(mayBeSummed) {}

  /// Whether all that the value leads to is rounded to 16 bits.
  bool areRounded(Value value) { return areRounded(value, /*isPositive=*/false); }

  /// The same for a positive value, of which no more is asked than what is left of it beside a
  /// positive constant: what is below 2^-126 counts for nothing there.
  bool areRoundedInSums(Value positive) {
    return llvm::all_of(positive.getUses(), [&](OpOperand &use) {
      return isSumWithConstant(use) && areRounded(use.getOwner()->getResult(0), true);
    });
  }

private:
  bool areRounded(Value value, bool isPositive) {
    return llvm::all_of(value.getUses(),
                        [&](OpOperand &use) { return isRounded(use, isPositive); });
  }
  static bool isSumWithConstant(OpOperand &use) {
    constexpr double noticeable = 0x1p-60;
    llvm::APFloat constant(0.0);
    Operation *user = use.getOwner();
    return isa<arith::AddFOp>(user) &&
           matchPattern(user->getOperand(1 - use.getOperandNumber()), m_ConstantFloat(&constant)) &&
           constant.convertToDouble() >= noticeable;
  }
  bool isRounded(OpOperand &use, bool isPositive) {
    Operation *user = use.getOwner();
    if (isa<arith::MulFOp, arith::NegFOp, arith::DivFOp>(user))
      return areRounded(user->getResult(0), /*isPositive=*/false);
    if (isPositive && isSumWithConstant(use))
      return areRounded(user->getResult(0), /*isPositive=*/true);
    if (auto round = dyn_cast<tile::RoundOp>(user))
      return bitsOf(tile::dtypeOf(round.getDtype())) <= 16;
    auto store = dyn_cast<tile::StoreOp>(user);
    if (!store || store.getValue() != use.get())
      return false;
    auto type = cast<tile::BufferType>(store.getBuffer().getType());
    if (bitsOf(tile::dtypeOf(type.getElementType())) <= 16)
      return true;
    auto loop = store->getParentOfType<tile::ParallelOp>();
    return type.isFragment() && store.getBuffer().getDefiningOp<tile::AllocOp>() && loop &&
           !loop->getParentOfType<tile::ParallelOp>() && followFragment(store.getBuffer(), loop);
  }
  /// What reads the fragment after `writer`.
  bool followFragment(Value fragment, Operation *writer) {
    if (!followed.insert({fragment, writer}).second)
      return true; // a round further
    return scan(fragment, writer->getBlock(), std::next(writer->getIterator()));
  }
  bool scan(Value fragment, Block *block, Block::iterator at);
  bool isHarmless(Operation *op, Value fragment);

  bool mayBeSummed;
  llvm::DenseSet<std::pair<Value, Operation *>> followed;
  llvm::DenseSet<std::pair<Value, Operation *>> roundsOfLoops;
};

bool Uses::isHarmless(Operation *op, Value fragment) {
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return mayBeSummed && reduce.getKind() == tile::ReduceKind::Sum && reduce.getDst() != fragment;
  auto loop = dyn_cast<tile::ParallelOp>(op);
  if (!loop)
    return false;
  bool isRounded = true;
  loop.walk([&](tile::LoadOp load) {
    if (rootOf(load.getBuffer()) == fragment)
      isRounded &= areRounded(load.getResult());
  });
  return isRounded;
}

bool Uses::scan(Value fragment, Block *block, Block::iterator at) {
  for (; at != block->end(); ++at) {
    if (overwrites(&*at, fragment))
      return true;
    if (llvm::is_contained(accessesOf(&*at).reads, fragment) && !isHarmless(&*at, fragment))
      return false;
  }
  Operation *parent = block->getParentOp();
  if (isa<tile::KernelOp>(parent))
    return true;
  if (isa<tile::ForOp>(parent) && roundsOfLoops.insert({fragment, parent}).second &&
      !scan(fragment, block, block->begin()))
    return false;
  return isa<tile::ForOp, scf::IfOp>(parent) &&
         scan(fragment, parent->getBlock(), std::next(parent->getIterator()));
}

/// The fragment element that a factor or term is: looks through products with constants.
tile::LoadOp elementIn(Value value) {
  if (auto product = value.getDefiningOp<arith::MulFOp>()) {
    tile::LoadOp left = elementIn(product.getLhs());
    return left ? left : elementIn(product.getRhs());
  }
  return value.getDefiningOp<tile::LoadOp>();
}

/// Whether the loop only raises what `top` holds.
bool raises(Operation *op, Value top) {
  auto loop = dyn_cast<tile::ParallelOp>(op);
  if (!loop)
    return false;
  bool onlyRaises = true;
  loop.walk([&](tile::StoreOp store) {
    if (store.getBuffer() != top)
      return;
    Operation *value = store.getValue().getDefiningOp();
    bool isMaximum = isa_and_nonnull<arith::MaxNumFOp, arith::MaximumFOp>(value);
    onlyRaises &= isMaximum && llvm::any_of(value->getOperands(), [&](Value term) {
                    auto load = term.getDefiningOp<tile::LoadOp>();
                    return load && load.getBuffer() == top &&
                           llvm::equal(load.getIndices(), store.getIndices());
                  });
  });
  return onlyRaises;
}

/// Whether `top` holds the maxima of the rows of `tile`, or more, in front of the loop.
bool holdsMaxima(Value top, Value tile, tile::ParallelOp loop) {
  for (Operation *op = loop->getPrevNode(); op; op = op->getPrevNode()) {
    auto reduce = dyn_cast<tile::ReduceOp>(op);
    if (reduce && reduce.getKind() == tile::ReduceKind::Max && reduce.getSrc() == tile &&
        reduce.getDst() == top)
      return true;
    llvm::SmallVector<Value, 4> writes = accessesOf(op).writes;
    if ((llvm::is_contained(writes, top) && !raises(op, top)) || llvm::is_contained(writes, tile))
      return false;
  }
  return false;
}

void allow(Operation *op, arith::FastMathFlags more) {
  auto withFlags = cast<arith::ArithFastMathInterface>(op);
  arith::FastMathFlags flags = withFlags.getFastMathFlagsAttr().getValue() | more;
  op->setAttr(withFlags.getFastMathAttrName(),
              arith::FastMathFlagsAttr::get(op->getContext(), flags));
}

void relaxExponential(Operation *op, tile::ParallelOp loop) {
  if (Uses(/*mayBeSummed=*/false).areRoundedInSums(op->getResult(0)))
    return allow(op, arith::FastMathFlags::afn);
  auto difference = op->getOperand(0).getDefiningOp<arith::SubFOp>();
  auto scaled = op->getOperand(0).getDefiningOp<arith::MulFOp>();
  if (!difference && scaled)
    for (Value factor : scaled->getOperands())
      if (auto inner = factor.getDefiningOp<arith::SubFOp>())
        difference = inner;
  if (!difference)
    return;
  tile::LoadOp element = elementIn(difference.getLhs()), top = elementIn(difference.getRhs());
  if (!element || !top || !holdsMaxima(top.getBuffer(), element.getBuffer(), loop) ||
      !Uses(/*mayBeSummed=*/true).areRounded(op->getResult(0)))
    return;
  using Flags = arith::FastMathFlags;
  allow(op, Flags::afn);
  allow(difference, Flags::contract);
  for (Value term : difference->getOperands())
    if (auto product = term.getDefiningOp<arith::MulFOp>())
      allow(product, Flags::contract);
}

} // namespace

void relaxMath(tile::KernelOp kernel) {
  kernel.walk([&](Operation *op) {
    auto loop = op->getParentOfType<tile::ParallelOp>();
    if (!loop || op->getNumResults() != 1 || !op->getResult(0).getType().isF32())
      return;
    if (isa<math::Exp2Op, math::ExpOp>(op))
      relaxExponential(op, loop);
    else if (isa<arith::DivFOp>(op) && Uses(/*mayBeSummed=*/false).areRounded(op->getResult(0)))
      allow(op, arith::FastMathFlags::arcp);
  });
}

} // namespace tilec
