//===- DropGuards.cpp - guards that say what the tensors' ends say --------===//
//
// Elements up to the end of a tensor are written so, as on devices that mask nothing by themselves:
//
//   for j in T.Parallel(2048):
//     if first + j < N: B[first + j] = A[first + j] * 2
//
// What is outside of a tensor is not written, and reads as zero. So a branch is not needed that
// stores only to tensors, where each place lies outside whenever the condition does not hold. Under
// the branch each element would be an access of its own.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_DROPGUARDSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

bool isAtLeast(const LinearForm &form, int64_t least) {
  std::optional<IndexRange> range = rangeOf(form);
  return range && range->low >= least;
}

/// The condition does not hold where this is not negative; nothing: it is no comparison of order.
std::optional<LinearForm> overshootOf(Value condition) {
  using enum arith::CmpIPredicate;
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || !llvm::is_contained({slt, sle, sgt, sge}, compare.getPredicate()))
    return std::nullopt;
  bool isBelow = llvm::is_contained({slt, sle}, compare.getPredicate());
  LinearForm form = linearize(isBelow ? compare.getLhs() : compare.getRhs());
  form.add(linearize(isBelow ? compare.getRhs() : compare.getLhs()), -1);
  form.constant -= llvm::is_contained({sle, sge}, compare.getPredicate());
  return form;
}

/// Whether the element is outside of its tensor wherever the form is not negative.
bool isOutside(const ElementAccess &access, const LinearForm &overshoot) {
  auto tensor = access.buffer.getDefiningOp<tile::TensorOp>();
  if (!tensor)
    return false;
  ValueRange dims = tensor.getDims();
  for (auto [index, size] : llvm::zip_equal(access.indices, access.type().getShape())) {
    LinearForm behind = linearize(index), before;
    before.add(behind, -1);
    before.constant -= 1;
    if (!ShapedType::isDynamic(size)) {
      behind.constant -= size;
    } else {
      behind.add(linearize(dims.front()), -1);
      dims = dims.drop_front();
    }
    for (LinearForm *distance : {&behind, &before}) {
      distance->add(overshoot, -1);
      if (isAtLeast(*distance, 0))
        return true;
    }
  }
  return false;
}

bool isInside(tile::LoadOp load) {
  return llvm::all_of(llvm::zip_equal(load.getIndices(), load.getBuffer().getType().getShape()),
                      [](auto pair) {
                        std::optional<IndexRange> range = rangeOf(std::get<0>(pair));
                        return range && range->low >= 0 && range->high < std::get<1>(pair);
                      });
}

/// What the branch writes, if it only writes elements of tensors and does nothing that iterations
/// which do not take it could not do.
std::optional<SmallVector<ElementAccess, 4>> writesOf(scf::IfOp branch) {
  SmallVector<ElementAccess, 4> writes;
  for (Operation &op : branch.thenBlock()->without_terminator()) {
    auto load = dyn_cast<tile::LoadOp>(op);
    auto atomic = dyn_cast<tile::AtomicOp>(op);
    if (load && (load.getBuffer().getType().isGlobal() || isInside(load)))
      continue;
    if (isa<tile::StoreOp>(op) || (atomic && atomic.getOld().use_empty()))
      writes.push_back(*elementAccess(&op));
    else if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op) || !isSpeculatable(&op))
      return std::nullopt;
  }
  return writes.empty() ? std::nullopt : std::optional(writes);
}

/// What is left of the condition; null: nothing.
Value withoutBounds(Value condition, ArrayRef<ElementAccess> writes, OpBuilder &b) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    Value left = withoutBounds(both.getLhs(), writes, b);
    Value right = withoutBounds(both.getRhs(), writes, b);
    if (!left || !right)
      return left ? left : right;
    bool isWhole = left == both.getLhs() && right == both.getRhs();
    return isWhole ? condition
                   : arith::AndIOp::create(b, condition.getLoc(), left, right).getResult();
  }
  std::optional<LinearForm> overshoot = overshootOf(condition);
  bool isBound = overshoot && llvm::all_of(writes, [&](const ElementAccess &access) {
                   return isOutside(access, *overshoot);
                 });
  return isBound ? Value() : condition;
}

void dropGuard(scf::IfOp branch) {
  bool hasElse = branch.elseBlock() && !branch.elseBlock()->without_terminator().empty();
  if (branch.getNumResults() != 0 || hasElse)
    return;
  auto writes = writesOf(branch);
  if (!writes)
    return;
  OpBuilder b(branch);
  if (Value left = withoutBounds(branch.getCondition(), *writes, b)) {
    branch.getConditionMutable().assign(left);
    return;
  }
  for (Operation &op : llvm::make_early_inc_range(branch.thenBlock()->without_terminator()))
    op.moveBefore(branch);
  branch.erase();
}

struct DropGuardsPass : impl::DropGuardsPassBase<DropGuardsPass> {
  void runOnOperation() override {
    SmallVector<scf::IfOp> branches; // inner ones first
    getOperation().walk([&](scf::IfOp branch) {
      if (branch->getParentOfType<tile::ParallelOp>())
        branches.push_back(branch);
    });
    llvm::for_each(branches, dropGuard);
  }
};

} // namespace

} // namespace tilec
