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

bool onlyComputes(Operation &op) {
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return llvm::all_of(branch->getRegions(), [](Region &region) {
      return region.empty() || llvm::all_of(region.front(), onlyComputes);
    });
  return op.getNumRegions() == 0 && (isMemoryEffectFree(&op) || isa<tile::LoadOp>(op));
}

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
    else if (!onlyComputes(inner))
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

/// Asks, in front of the loop, whether a condition (comparisons of index arithmetic, joined by
/// `and` and `or`) is the same in all of the loop: each comparison in the corner where it is
/// hardest to meet.
class Corner {
public:
  explicit Corner(tile::ParallelOp loop) : loop(loop), b(loop), loc(loop.getLoc()) {}

  /// True only where the condition is `wanted` everywhere; null where that cannot be told.
  Value everywhere(Value condition, bool wanted);

private:
  bool isVariable(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == loop.bodyBlock();
  }
  bool isOutside(Value value) { return !loop->isAncestor(value.getParentRegion()->getParentOp()); }
  /// The value in front of the loop; null where that depends on the loop or on what the kernel
  /// writes.
  Value hoisted(Value value);
  Value sum(const LinearForm &form, bool wantLow);
  std::optional<LinearForm> formOf(Value value);
  Value compare(arith::CmpIOp op, bool wanted);

  tile::ParallelOp loop;
  OpBuilder b;
  Location loc;
};

Value Corner::hoisted(Value value) {
  if (isOutside(value))
    return value;
  Operation *op = value.getDefiningOp();
  auto load = dyn_cast_or_null<tile::LoadOp>(op);
  bool isConstantLoad =
      load && isa_and_nonnull<tile::TensorOp>(rootOf(load.getBuffer()).getDefiningOp()) &&
      !llvm::is_contained(accessesOf(loop->getParentOfType<tile::KernelOp>()).writes,
                          rootOf(load.getBuffer()));
  if (!op || op->getNumRegions() != 0 || !(isMemoryEffectFree(op) || isConstantLoad))
    return {};
  IRMapping operands;
  for (Value operand : op->getOperands()) {
    Value outside = hoisted(operand);
    if (!outside)
      return {};
    operands.map(operand, outside);
  }
  // As far out as it can be: a load in a pipelined loop would keep its gemms from being overlapped.
  Operation *place = loop;
  for (Operation *up = place->getParentOp(); !isa<tile::KernelOp>(up); up = up->getParentOp()) {
    bool needsUp = llvm::any_of(op->getOperands(), [&](Value operand) {
      return up->isAncestor(operands.lookup(operand).getParentRegion()->getParentOp());
    });
    if (needsUp)
      break;
    place = up;
  }
  return OpBuilder(place).clone(*op, operands)->getResult(0);
}

/// The linear form of an integer in the loop's own variables and values in front of it.
std::optional<LinearForm> Corner::formOf(Value value) {
  // Scripts compare with int32 values; indices have 32 bits as well.
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>();
      cast && cast.getIn().getType().isIndex())
    value = cast.getIn();
  if (!value.getType().isIndex()) {
    value = value.getType().isInteger(32) ? hoisted(value) : Value();
    if (!value)
      return std::nullopt;
    value = arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
  }
  LinearForm form = linearize(value);
  for (auto &[term, factor] : form.terms)
    if (!isVariable(term) && !(term = hoisted(term)))
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
    Value value = term;
    if (!value.getType().isIndex())
      value = arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
    Value part = arith::MulIOp::create(b, loc, value, constant(factor));
    total = total ? arith::AddIOp::create(b, loc, total, part).getResult() : part;
  }
  Value offset = constant(fixed);
  return total ? arith::AddIOp::create(b, loc, total, offset).getResult() : offset;
}

Value Corner::compare(arith::CmpIOp op, bool wanted) {
  using P = arith::CmpIPredicate;
  P predicate = wanted ? op.getPredicate() : arith::invertPredicate(op.getPredicate());
  bool wantsMore = predicate == P::sge || predicate == P::sgt;
  if (!wantsMore && predicate != P::sle && predicate != P::slt)
    return {};
  std::optional<LinearForm> left = formOf(op.getLhs()), right = formOf(op.getRhs());
  if (!left || !right)
    return {};
  // Each side by itself in its hardest corner: never too often true.
  Value hardest = sum(*left, wantsMore), bound = sum(*right, !wantsMore);
  std::optional<IndexRange> from = rangeOf(hardest), to = rangeOf(bound);
  bool isStrict = predicate == P::sgt || predicate == P::slt;
  bool isKnown = from && to &&
                 (wantsMore ? from->low >= to->high + isStrict : from->high <= to->low - isStrict);
  if (isKnown)
    return arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1);
  return arith::CmpIOp::create(b, loc, predicate, hardest, bound);
}

Value Corner::everywhere(Value condition, bool wanted) {
  Operation *op = condition.getDefiningOp();
  if (isa_and_nonnull<arith::AndIOp, arith::OrIOp>(op)) {
    Value left = everywhere(op->getOperand(0), wanted),
          right = everywhere(op->getOperand(1), wanted);
    if (isa<arith::AndIOp>(op) == wanted) // both have to be
      return left && right ? arith::AndIOp::create(b, loc, left, right).getResult() : Value();
    if (left && right)
      return arith::OrIOp::create(b, loc, left, right);
    return left ? left : right;
  }
  if (auto comparison = dyn_cast_or_null<arith::CmpIOp>(op))
    return compare(comparison, wanted);
  return {};
}

/// One of two values: a select, or the result of a branch.
struct Choice {
  Value condition, whenTrue, whenFalse;
};
std::optional<Choice> choiceOf(Value value) {
  if (auto select = value.getDefiningOp<arith::SelectOp>())
    return Choice{select.getCondition(), select.getTrueValue(), select.getFalseValue()};
  auto branch = value.getDefiningOp<scf::IfOp>();
  if (!branch)
    return std::nullopt;
  unsigned number = cast<OpResult>(value).getResultNumber();
  return Choice{branch.getCondition(), branch.thenYield().getOperand(number),
                branch.elseYield().getOperand(number)};
}

/// What the loop stores where its mask does not cut, and when it cuts nowhere.
struct Mask {
  Value inside, everywhere;
};
/// The mask of a loop that stores one of two values, one of which is told to be the inside.
std::optional<Mask> maskOf(Fill &fill, llvm::function_ref<bool(Value)> isInside) {
  std::optional<Choice> choice = choiceOf(fill.store.getValue());
  if (!choice)
    return std::nullopt;
  for (bool side : {true, false}) {
    Value inside = side ? choice->whenTrue : choice->whenFalse;
    if (!isInside(inside))
      continue;
    if (Value everywhere = Corner(fill.loop).everywhere(choice->condition, side))
      return Mask{inside, everywhere};
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

void simplify(Fill &fill) {
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
  if (!gemm.getWarpGroup())
    return guard(fill, mask->everywhere, plainFill(fill, mask->inside));
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
