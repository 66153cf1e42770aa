//===- GroupGuards.cpp - branches that cut a row of elements --------------===//
//
//   for j in T.Parallel(2048):
//     if first + j < n: B[first + j] = A[first + j] * 2
//
// A branch for each element would make each an access of its own. The elements of a lane are side
// by side: all or none of them are below n but at the end of the row. So a lane takes the branch
// once where they agree, and for each element where they do not (Emitter::emitIf).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ToWave/GroupGuards.h"

using namespace mlir;

namespace tilec {

/// The elements that a comparison holds for first and last: if for one, then for the first, and if
/// for the last, then for all.
static std::optional<std::pair<int64_t, int64_t>> endsOf(Value condition, Elements &elements) {
  using enum arith::CmpIPredicate;
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || !llvm::is_contained({slt, sle, sgt, sge}, compare.getPredicate()))
    return std::nullopt;
  LinearForm form = linearize(compare.getLhs());
  form.add(linearize(compare.getRhs()), -1);
  for (auto [term, factor] : form.terms)
    if (!llvm::is_contained(elements.loop.ivs(), term) &&
        !ElementBuilder::agrees(term, elements, 0, elements.count))
      return std::nullopt;
  auto movedBy = [&](int64_t n) {
    int64_t by = 0;
    for (auto [d, iv] : llvm::enumerate(elements.loop.ivs()))
      by += form.coefficient(iv) * elements.deltas[n][d];
    return by;
  };
  int64_t least = 0, most = 0;
  for (int64_t n = 1; n < elements.count; ++n) {
    least = movedBy(n) < movedBy(least) ? n : least;
    most = movedBy(n) > movedBy(most) ? n : most;
  }
  bool isBelow = llvm::is_contained({slt, sle}, compare.getPredicate());
  return isBelow ? std::pair(least, most) : std::pair(most, least);
}

static bool isOrdered(Emitter &e, Value condition, Elements &elements) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return isOrdered(e, both.getLhs(), elements) && isOrdered(e, both.getRhs(), elements);
  return e.isSameForAll(condition, elements) || endsOf(condition, elements);
}

/// The condition for the group's first or last element, each comparison in its own order.
static Value atEnd(Emitter &e, Value condition, bool isLast, Elements &elements) {
  if (e.isSameForAll(condition, elements))
    return e.lookup(condition, 0, elements);
  if (auto both = condition.getDefiningOp<arith::AndIOp>())
    return e.andMasks(atEnd(e, both.getLhs(), isLast, elements),
                      atEnd(e, both.getRhs(), isLast, elements));
  auto [first, last] = *endsOf(condition, elements);
  return e.lookup(condition, isLast ? last : first, elements);
}

Value anyTakes(Emitter &e, Value condition, Elements &elements) {
  return atEnd(e, condition, /*isLast=*/false, elements);
}

Value allTake(Emitter &e, Value condition, Elements &elements) {
  return atEnd(e, condition, /*isLast=*/true, elements);
}

bool cutsGroup(Emitter &e, scf::IfOp branch, Elements &elements) {
  if (!elements.loop || elements.count == 1 || elements.masks.size() > 1 ||
      branch.getNumResults() != 0 || e.isSameForAll(branch.getCondition(), elements) ||
      !isOrdered(e, branch.getCondition(), elements))
    return false;
  auto result = branch.walk([&](Operation *op) {
    std::optional<ElementAccess> access = elementAccess(op);
    bool isMemory =
        access && (e.tensors.contains(access->buffer) || e.shared.contains(access->buffer));
    bool isWide = isMemory && e.widthOf(op, access->indices, access->buffer, elements).elems > 1;
    return isWide ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

} // namespace tilec
