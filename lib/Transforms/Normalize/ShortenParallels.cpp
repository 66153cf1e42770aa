//===- ShortenParallels.cpp - parallels of which a guard leaves a piece ---===//
//
// A loop as long as a fragment, of which a guard keeps the first part, reads the fragment at other
// places than its own iterations: no distribution of all of them has in each lane what it reads.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_SHORTENPARALLELSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// The only statement of a body, if it is a branch to nothing else.
scf::IfOp guardOf(tile::ParallelOp loop) {
  scf::IfOp guard;
  for (Operation &op : *loop.bodyBlock()) {
    if (isPure(&op))
      continue;
    auto branch = dyn_cast<scf::IfOp>(op);
    bool isGuard =
        branch && !guard && branch->getNumResults() == 0 &&
        (branch.getElseRegion().empty() || branch.elseBlock()->without_terminator().empty());
    if (!isGuard)
      return {};
    guard = branch;
  }
  return guard;
}

/// How many of the variable's values the condition allows, from 0 on; nothing where it says
/// something else.
std::optional<int64_t> allowedBy(Value condition, Value iv) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    std::optional<int64_t> left = allowedBy(both.getLhs(), iv);
    return left ? left : allowedBy(both.getRhs(), iv);
  }
  using enum arith::CmpIPredicate;
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || !compare.getLhs().getType().isIndex() ||
      !llvm::is_contained({slt, sle}, compare.getPredicate()))
    return std::nullopt;
  LinearForm difference = linearize(compare.getLhs());
  difference.add(linearize(compare.getRhs()), -1);
  if (difference.terms.size() != 1 || difference.coefficient(iv) != 1)
    return std::nullopt;
  return -difference.constant + (compare.getPredicate() == sle);
}

/// Whether the loop reads a fragment at places that are moved along the variable, and none at the
/// variable itself: the fragment's lanes would run all iterations then.
bool readsMoved(tile::ParallelOp loop, Value iv) {
  bool isMoved = false, isOwn = false;
  loop.walk([&](Operation *op) {
    std::optional<ElementAccess> access = elementAccess(op);
    if (!access || !access->type().isFragment())
      return;
    for (Value index : access->indices) {
      LinearForm form = linearize(index);
      isOwn |= form.terms.size() == 1 && form.constant == 0 && form.coefficient(iv) == 1;
      isMoved |= form.coefficient(iv) == 1 && (form.terms.size() > 1 || form.constant != 0);
    }
  });
  return isMoved && !isOwn;
}

void shorten(tile::ParallelOp loop) {
  scf::IfOp guard = guardOf(loop);
  if (!guard)
    return;
  for (auto [n, iv] : llvm::enumerate(loop.ivs())) {
    std::optional<int64_t> extent = tile::constantInt(loop.getExtents()[n]);
    std::optional<int64_t> allowed = allowedBy(guard.getCondition(), iv);
    if (!extent || !allowed || *allowed < 1 || *allowed >= *extent || *extent % *allowed != 0 ||
        !readsMoved(loop, iv))
      continue;
    OpBuilder builder(loop);
    loop.getExtentsMutable()[n].set(
        arith::ConstantIndexOp::create(builder, loop.getLoc(), *allowed));
  }
}

} // namespace

/// `for i in T.Parallel(32): if i < 16: S[i] = F[p * 16 + i]` has 16 iterations: then they are a
/// piece of the fragment, which its lanes have (Infer/Windows.h). The guard is decided next.
static void shortenToPieces(tile::ProgramOp program) {
  program.walk([](tile::ParallelOp loop) { shorten(loop); });
}

namespace {
struct ShortenParallelsPass : impl::ShortenParallelsPassBase<ShortenParallelsPass> {
  void runOnOperation() override { shortenToPieces(getOperation()); }
};
} // namespace

} // namespace tilec
