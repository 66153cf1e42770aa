//===- WholeTiles.cpp - guarded stores of tiles that are whole -------------===//
//
// Finds guards of stores that hold for all elements of a tile where they hold for its last ones:
//
//   for i, j: if i < rows: Y[m + i, j] = C[i, j]       rows of a group, which others follow
//
// becomes
//
//   if 127 < rows: for i, j: Y[m + i, j] = C[i, j]     which TMA can store
//   else: as before
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/WholeTiles.h"

#include "tilec/Analysis/Index.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tilec {
namespace {

using P = arith::CmpIPredicate;

/// The branch that is all the loop does beside arithmetic.
scf::IfOp guardOf(tile::ElementLoop loop) {
  scf::IfOp guard;
  for (Operation &op : *loop.bodyBlock()) {
    auto branch = dyn_cast<scf::IfOp>(op);
    if (branch && !guard && branch.getNumResults() == 0 && branch.getElseRegion().empty())
      guard = branch;
    else if (!(isMemoryEffectFree(&op) && op.getNumRegions() == 0))
      return {};
  }
  return guard;
}

class CornerOf {
public:
  CornerOf(tile::ElementLoop loop, ArrayRef<int64_t> extents)
      : loop(loop), extents(extents), b(loop) {}

  /// In front of the loop: whether the condition holds for all iterations. Null where no iteration
  /// speaks for all.
  Value holdsForAll(Value condition);

private:
  /// The value in the iteration `at`; null: it reads memory.
  Value valueAt(Value value, IRMapping &at);

  tile::ElementLoop loop;
  ArrayRef<int64_t> extents;
  OpBuilder b;
};

Value CornerOf::valueAt(Value value, IRMapping &at) {
  Operation *op = value.getDefiningOp();
  if (Value known = at.lookupOrNull(value))
    return known;
  if (!op || !loop->isProperAncestor(op))
    return loop->isAncestor(value.getParentRegion()->getParentOp()) ? Value() : value;
  if (!isMemoryEffectFree(op) || op->getNumRegions() != 0)
    return {};
  for (Value operand : op->getOperands()) {
    Value own = valueAt(operand, at);
    if (!own)
      return {};
    at.map(operand, own);
  }
  b.clone(*op, at);
  return at.lookup(value);
}

Value CornerOf::holdsForAll(Value condition) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    Value left = holdsForAll(both.getLhs());
    Value right = left ? holdsForAll(both.getRhs()) : Value();
    return right ? arith::AndIOp::create(b, loop.getLoc(), left, right).getResult() : Value();
  }
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return {};
  P predicate = compare.getPredicate();
  bool isBelow = predicate == P::slt || predicate == P::sle;
  if (!isBelow && predicate != P::sgt && predicate != P::sge)
    return {};
  // How far the smaller side is below the other one.
  LinearForm room = linearize(compare.getRhs());
  room.add(linearize(compare.getLhs()), -1);
  IRMapping worst;
  int64_t least = (isBelow ? 1 : -1) * room.constant;
  for (auto [iv, extent] : llvm::zip(loop.ivs(), extents)) {
    int64_t factor = (isBelow ? 1 : -1) * room.coefficient(iv), at = factor >= 0 ? 0 : extent - 1;
    worst.map(iv, arith::ConstantIndexOp::create(b, loop.getLoc(), at));
    least += factor * at;
  }
  bool isStrict = predicate == P::slt || predicate == P::sgt;
  if (room.without(loop.ivs()).terms.empty() && least < (isStrict ? 1 : 0))
    return {}; // no tile is whole
  for (auto [term, factor] : room.without(loop.ivs()).terms)
    if (loop->isAncestor(term.getParentRegion()->getParentOp()))
      return {};
  Value left = valueAt(compare.getLhs(), worst);
  Value right = left ? valueAt(compare.getRhs(), worst) : Value();
  return right ? arith::CmpIOp::create(b, loop.getLoc(), predicate, left, right).getResult()
               : Value();
}

} // namespace

bool areExclusive(Operation *a, Operation *b) {
  for (auto branch = a->getParentOfType<scf::IfOp>(); branch;
       branch = branch->getParentOfType<scf::IfOp>()) {
    bool isInThen = branch.getThenRegion().isAncestor(a->getParentRegion());
    Region &other = isInThen ? branch.getElseRegion() : branch.getThenRegion();
    if (other.isAncestor(b->getParentRegion()))
      return true;
  }
  return false;
}

bool splitWholeTile(tile::ElementLoop loop, llvm::function_ref<bool(tile::ElementLoop)> suits) {
  scf::IfOp guard = guardOf(loop);
  auto extents = loop.constantExtents();
  if (!guard || !extents || loop.getPart())
    return false;
  Value holds = CornerOf(loop, *extents).holdsForAll(guard.getCondition());
  if (!holds)
    return false;
  OpBuilder b(loop);
  auto branch = scf::IfOp::create(b, loop.getLoc(), holds, /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  auto whole = cast<tile::ElementLoop>(b.clone(*loop));
  scf::IfOp own = guardOf(whole);
  for (Operation &op : llvm::make_early_inc_range(own.thenBlock()->without_terminator()))
    op.moveBefore(own);
  own.erase();
  loop->moveBefore(branch.elseBlock()->getTerminator());
  if (suits(whole))
    return true;
  loop->moveBefore(branch);
  branch.erase();
  return false;
}

} // namespace tilec
