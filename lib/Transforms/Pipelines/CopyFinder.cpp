//===- CopyFinder.cpp - the copies of a loop that can run ahead -----------===//
//
// A copy whose tile only its round reads, from a tensor that the loop does not write, at a place
// that is known before. docs/machine-code/pipelining.md has the rules.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Pipelines/CopyFinder.h"

#include "Pipelines/Ahead.h"
#include "Pipelines/AsyncPieces.h"
#include "Roles/ProducerLoop.h"

using namespace mlir;

namespace tilec {

bool canLieOutside(tile::CopyOp copy) {
  auto view = copy.getSrc().getDefiningOp<tile::SubviewOp>();
  return view && view.getSource().getDefiningOp<tile::TensorOp>() &&
         canLieOutside(view.getSource().getType());
}

/// Whether loops over elements read what it brings, and nothing else: the numbers of their rows.
static bool bringsNumbers(tile::CopyOp copy) {
  return llvm::all_of(copy.getDst().getUsers(), [&](Operation *user) {
    return user == copy || user->getParentOfType<tile::ElementLoop>();
  });
}

CopyFinder::CopyFinder(tile::ForOp loop, const TargetInfo &target, PipelinePlan &plan)
    : loop(loop), target(target), plan(plan), kernel(loop->getParentOfType<tile::KernelOp>()),
      all(accessesOf(loop)) {
  // What lanes read of tensors is waited for in order where copies are counted: too late. Words
  // that are the same for all lanes, of what the kernel does not write, have another counter.
  isCounted = target.asyncCopies.completion != Completion::Groups;
  mayLoad = !kernel.getLockstep() && (!isCounted || copiesWidePieces(target));
  plan.countsRounds = isCounted;
}

Block *CopyFinder::block() {
  Block *round = roundOf(loop);
  if (round == loop.bodyBlock())
    return round;
  plan.round = cast<scf::IfOp>(round->getParentOp());
  return mayLoad && isIndex(plan.round.getCondition()) ? round : loop.bodyBlock();
}

void CopyFinder::addCopies(Block *block) {
  for (tile::CopyOp copy : block->getOps<tile::CopyOp>()) {
    bool isCountable =
        block == loop.bodyBlock() || !isCounted || canLieOutside(copy) || bringsNumbers(copy);
    if (mayRunAhead(copy, copy) && isCountable)
      add(copy, copy);
  }
}

void CopyFinder::addFromBranch(scf::IfOp branch) {
  if (!isIndex(branch.getCondition()))
    return;
  SmallVector<tile::CopyOp, 2> choices = choicesOf(branch);
  bool isWhole = !choices.empty() && llvm::all_of(choices, [&](tile::CopyOp copy) {
    return mayRunAhead(copy, branch) && !leavesLanesOut(copy, target);
  });
  if (isWhole)
    add(choices.front(), branch);
  for (Region *side : {&branch.getThenRegion(), &branch.getElseRegion()})
    if (!side->empty() && choices.empty() && mayLoad)
      addCopies(&side->front());
}

bool CopyFinder::isIndex(Value value) {
  if (isIndexOnly(value, loop, nullptr, isCounted))
    return true;
  if (mayLoad && !read)
    read = isCounted ? accessesOf(kernel) : all;
  return mayLoad && isIndexOnly(value, loop, &*read, isCounted);
}

bool CopyFinder::mayRunAhead(tile::CopyOp copy, Operation *fill) {
  tile::AllocOp ring = tileOf(copy);
  if (isOfPart(copy) && (fill != copy || copy->getBlock() != loop.bodyBlock()))
    return false;
  if (asyncPieceBytes(copy.getSrc(), copy.getDst(), target) == 0 || !ring ||
      !ring.getResult().getType().isShared() || loop->isAncestor(ring))
    return false;
  auto view = copy.getSrc().getDefiningOp<tile::SubviewOp>();
  bool isKnown = !view || llvm::all_of(view.getOffsets(), [&](Value v) { return isIndex(v); });
  // The source is not written while it is read ahead.
  return isKnown && isFilledBy(fill, ring) && !isChangedBy(all.writes, rootOf(copy.getSrc()));
}

void CopyFinder::add(tile::CopyOp copy, Operation *fill) {
  plan.fills.push_back(fill);
  plan.rings.push_back(tileOf(copy));
}

} // namespace tilec
