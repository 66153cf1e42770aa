//===- MeetingIterations.cpp - iterations that touch one element ----------===//
//
// Tries out the iterations of the variables that no dimension of the place separates.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/MeetingIterations.h"

#include "Normalize/IterationValues.h"

#include "tilec/Analysis/Index.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {

static void collectIvs(Value value, tile::ElementLoop loop, Variables &ivs) {
  // Expressions share parts: each is looked at once.
  SmallVector<Value> open = {value};
  llvm::SmallDenseSet<Value> seen;
  while (!open.empty()) {
    Value at = open.pop_back_val();
    Operation *op = at.getDefiningOp();
    if (auto argument = dyn_cast<BlockArgument>(at);
        argument && argument.getOwner() == loop.bodyBlock())
      ivs.insert(argument.getArgNumber());
    else if (op && loop->isProperAncestor(op) && seen.insert(at).second)
      llvm::append_range(open, op->getOperands());
  }
}

Variables variablesIn(ValueRange indices, tile::ElementLoop loop) {
  Variables ivs;
  for (Value index : indices)
    collectIvs(index, loop, ivs);
  return ivs;
}

/// Whether a dimension of the element's place holds the variable, and of the loop nothing else.
static bool isSeparated(tile::StoreOp store, unsigned iv, tile::ParallelOp loop) {
  return llvm::any_of(store.getIndices(), [&](Value index) {
    LinearForm form = linearize(index);
    if (form.coefficient(loop.ivs()[iv]) == 0)
      return false;
    return llvm::all_of(form.terms, [&](auto &term) {
      Variables own;
      collectIvs(term.first, loop, own);
      return term.first == loop.ivs()[iv] || own.empty();
    });
  });
}

/// Whether a condition around the update does not hold, for certain.
static bool isLeftOut(tile::StoreOp store, IterationValues &values) {
  for (Operation *at = store; !isa<tile::KernelOp>(at); at = at->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(at->getParentOp());
    if (!branch)
      continue;
    std::optional<int64_t> condition = values.of(branch.getCondition(), /*exact=*/true);
    if (condition && (*condition != 0) != branch.getThenRegion().isAncestor(at->getParentRegion()))
      return true;
  }
  return false;
}

bool mayMeet(tile::StoreOp store, const Variables &used, tile::ParallelOp loop) {
  constexpr int64_t mostTried = 1 << 18;
  SmallVector<unsigned> open;
  for (unsigned n = 0; n < loop.ivs().size(); ++n)
    if (used.contains(n) && !isSeparated(store, n, loop))
      open.push_back(n);
  if (open.empty())
    return false;
  // Those that are separated say nothing about the others but in conditions; of a condition on
  // those that are not in the place at all nothing is known.
  Variables asked;
  for (Operation *at = store; at != loop; at = at->getParentOp())
    if (auto branch = dyn_cast<scf::IfOp>(at->getParentOp()))
      collectIvs(branch.getCondition(), loop, asked);
  bool knowsConditions = true;
  for (unsigned n : asked) {
    knowsConditions &= used.contains(n);
    if (used.contains(n) && !llvm::is_contained(open, n))
      open.push_back(n);
  }
  IterationValues values(loop);
  for (Value iv : loop.ivs())
    values.variables[iv] = 0;
  SmallVector<int64_t, 4> extents = *loop.constantExtents();
  int64_t count = 1;
  for (unsigned n : open)
    if (__builtin_mul_overflow(count, extents[n], &count) || count > mostTried)
      return true; // for all that is known
  llvm::DenseSet<uint64_t> places;
  for (int64_t iteration = 0; iteration < count; ++iteration) {
    int64_t rest = iteration;
    for (unsigned n : llvm::reverse(open)) {
      values.variables[loop.ivs()[n]] = rest % extents[n];
      rest /= extents[n];
    }
    if (knowsConditions && isLeftOut(store, values))
      continue;
    uint64_t place = 0;
    for (Value index : store.getIndices()) {
      std::optional<int64_t> at = values.of(index, /*exact=*/false);
      if (!at)
        return false;
      place = place * 1000003 + uint64_t(*at);
    }
    if (!places.insert(place).second)
      return true;
  }
  return false;
}

} // namespace tilec
