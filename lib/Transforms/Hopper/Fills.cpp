//===- Fills.cpp - accumulators that need not be filled -------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Hopper/Fills.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilec {
namespace {

/// A parallel that stores one value to each element of a whole fragment.
struct Fill {
  tile::ParallelOp loop;
  tile::StoreOp store;
  Value buffer() { return store.getBuffer(); }
};

std::optional<Fill> fillOf(Operation *op) {
  auto loop = dyn_cast<tile::ParallelOp>(op);
  if (!loop || !loop.constantExtents())
    return std::nullopt;
  Fill fill{loop, {}};
  for (Operation &inner : *loop.bodyBlock()) {
    auto store = dyn_cast<tile::StoreOp>(inner);
    if (store && fill.store)
      return std::nullopt;
    if (store)
      fill.store = store;
    else if (inner.getNumRegions() != 0 ||
             !(isMemoryEffectFree(&inner) || isa<tile::LoadOp>(inner)))
      return std::nullopt;
  }
  if (!fill.store || !fill.buffer().getDefiningOp<tile::AllocOp>())
    return std::nullopt;
  auto type = cast<tile::BufferType>(fill.buffer().getType());
  if (!type.isFragment() || ArrayRef<int64_t>(*loop.constantExtents()) != type.getShape() ||
      !llvm::equal(fill.store.getIndices(), loop.ivs()))
    return std::nullopt;
  return fill;
}

bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

/// The next op of the block that touches the buffer, if it is a gemm of warp groups with it as C.
tile::GemmOp gemmAfter(Fill &fill) {
  for (Operation *op = fill.loop->getNextNode(); op; op = op->getNextNode()) {
    Accesses accesses = accessesOf(op);
    if (!llvm::is_contained(accesses.reads, fill.buffer()) &&
        !llvm::is_contained(accesses.writes, fill.buffer()))
      continue;
    auto gemm = dyn_cast<tile::GemmOp>(op);
    return gemm && gemm.getWarpGroup() && gemm.getC() == fill.buffer() && !gemm.getClear()
               ? gemm
               : tile::GemmOp();
  }
  return {};
}

/// Builds, in front of the loop, the value that a comparison (or a conjunction of some) of index
/// arithmetic has in the corner of the loop where it is hardest to meet.
class Corner {
public:
  explicit Corner(tile::ParallelOp loop) : loop(loop), b(loop), loc(loop.getLoc()) {}

  Value everywhere(Value condition);

private:
  bool isVariable(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == loop.bodyBlock();
  }
  Value sum(const LinearForm &form, bool wantLow);
  std::optional<LinearForm> formOf(Value value);

  tile::ParallelOp loop;
  OpBuilder b;
  Location loc;
};

/// The linear form of an index, when the loop is needed for its own variables only.
std::optional<LinearForm> Corner::formOf(Value value) {
  if (!value.getType().isIndex())
    return std::nullopt;
  LinearForm form = linearize(value);
  for (auto [term, factor] : form.terms)
    if (!isVariable(term) && loop->isAncestor(term.getParentRegion()->getParentOp()))
      return std::nullopt;
  return form;
}

Value Corner::sum(const LinearForm &form, bool wantLow) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  int64_t fixed = form.constant;
  Value total;
  for (auto [term, factor] : form.terms) {
    if (isVariable(term)) {
      int64_t last = (*loop.constantExtents())[cast<BlockArgument>(term).getArgNumber()] - 1;
      fixed += (factor > 0) == wantLow ? 0 : factor * last;
      continue;
    }
    Value part = arith::MulIOp::create(b, loc, term, constant(factor));
    total = total ? arith::AddIOp::create(b, loc, total, part).getResult() : part;
  }
  Value offset = constant(fixed);
  return total ? arith::AddIOp::create(b, loc, total, offset).getResult() : offset;
}

Value Corner::everywhere(Value condition) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    Value left = everywhere(both.getLhs()), right = everywhere(both.getRhs());
    return left && right ? arith::AndIOp::create(b, loc, left, right).getResult() : Value();
  }
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  std::optional<LinearForm> left, right;
  if (!compare || !(left = formOf(compare.getLhs())) || !(right = formOf(compare.getRhs())))
    return {};
  using P = arith::CmpIPredicate;
  P predicate = compare.getPredicate();
  bool wantsMore = predicate == P::sge || predicate == P::sgt;
  if (!wantsMore && predicate != P::sle && predicate != P::slt)
    return {};
  // Each side by itself in its hardest corner: never too often true.
  return arith::CmpIOp::create(b, loc, predicate, sum(*left, wantsMore), sum(*right, !wantsMore));
}

/// What the loop stores where its mask holds, and when it holds everywhere.
struct Mask {
  Value inside, everywhere;
};
std::optional<Mask> maskOf(Fill &fill) {
  auto select = fill.store.getValue().getDefiningOp<arith::SelectOp>();
  if (!select || select->getBlock() != fill.loop.bodyBlock())
    return std::nullopt;
  Value everywhere = Corner(fill.loop).everywhere(select.getCondition());
  if (!everywhere)
    return std::nullopt;
  return Mask{select.getTrueValue(), everywhere};
}

/// Whether the value is what the buffer has in the element that is stored.
bool isOldElement(Value value, Fill &fill) {
  auto load = value.getDefiningOp<tile::LoadOp>();
  return load && load.getBuffer() == fill.buffer() &&
         llvm::equal(load.getIndices(), fill.store.getIndices());
}

/// The loop runs only where the mask does not hold everywhere.
void guard(Fill &fill, Value everywhere) {
  OpBuilder b(fill.loop);
  Location loc = fill.loop.getLoc();
  Value truth = arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1);
  Value isCut = arith::XOrIOp::create(b, loc, everywhere, truth);
  auto branch = scf::IfOp::create(b, loc, isCut, /*withElseRegion=*/false);
  fill.loop->moveBefore(branch.thenBlock()->getTerminator());
}

void simplify(Fill &fill) {
  if (isZero(fill.store.getValue())) {
    if (tile::GemmOp gemm = gemmAfter(fill)) {
      OpBuilder b(gemm);
      gemm.getClearMutable().assign(
          arith::ConstantIntOp::create(b, gemm.getLoc(), b.getI1Type(), 1));
      fill.loop.erase();
    }
    return;
  }
  std::optional<Mask> mask = maskOf(fill);
  if (!mask)
    return;
  if (isOldElement(mask->inside, fill))
    return guard(fill, mask->everywhere);
  tile::GemmOp gemm = isZero(mask->inside) ? gemmAfter(fill) : tile::GemmOp();
  if (!gemm)
    return;
  gemm.getClearMutable().assign(mask->everywhere);
  guard(fill, mask->everywhere);
}

} // namespace

void simplifyFills(tile::KernelOp kernel) {
  SmallVector<tile::ParallelOp> loops;
  kernel.walk([&](tile::ParallelOp loop) { loops.push_back(loop); });
  for (tile::ParallelOp loop : loops)
    if (std::optional<Fill> fill = fillOf(loop))
      simplify(*fill);
}

} // namespace tilec
