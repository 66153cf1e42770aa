//===- SplitVariables.cpp - updates of groups of elements -----------------===//
//
//   for i, j in T.Parallel(8, 2048):
//     m[i, j // 128] = T.max(m[i, j // 128], A[i, j])
//
// is a loop over i, the groups and the elements of a group, of which reductions are made.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_SPLITVARIABLESPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Of a variable that is divided, which is nowhere negative: how often, or what is left.
bool isQuotient(Operation *op) {
  return isa<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(op);
}
bool isRest(Operation *op) { return isa<arith::RemUIOp, arith::RemSIOp>(op); }

struct Groups {
  size_t variable = 0;
  int64_t size = 0;
};

/// The variable of the loop whose quotient is an index of an element that is updated.
std::optional<Groups> groupsIn(tile::ParallelOp loop) {
  std::optional<Groups> found;
  SmallVector<int64_t> extents = *loop.constantExtents();
  loop.walk([&](tile::StoreOp store) {
    if (found || !matchReduction(store))
      return;
    for (Value index : store.getIndices()) {
      Operation *quotient = index.getDefiningOp();
      if (!quotient || !isQuotient(quotient))
        continue;
      auto variable = llvm::find(loop.ivs(), quotient->getOperand(0));
      std::optional<int64_t> size = tile::constantInt(quotient->getOperand(1));
      size_t n = variable - loop.ivs().begin();
      if (variable != loop.ivs().end() && size && *size > 1 && *size < extents[n] &&
          extents[n] % *size == 0)
        found = Groups{n, *size};
    }
  });
  return found;
}

bool split(tile::ParallelOp loop) {
  std::optional<Groups> groups;
  if (loop.constantExtents())
    groups = groupsIn(loop);
  if (!groups)
    return false;
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  SmallVector<Value> extents(loop.getExtents());
  int64_t count = (*loop.constantExtents())[groups->variable] / groups->size;
  extents[groups->variable] = arith::ConstantIndexOp::create(b, loc, count);
  Value size = arith::ConstantIndexOp::create(b, loc, groups->size);
  extents.insert(extents.begin() + groups->variable + 1, size);
  auto wide = tile::ParallelOp::create(b, loc, extents);
  Value group = wide.ivs()[groups->variable], rest = wide.ivs()[groups->variable + 1];
  b.setInsertionPointToEnd(wide.bodyBlock());
  Value whole = arith::MulIOp::create(b, loc, group, size);
  whole = arith::AddIOp::create(b, loc, whole, rest);
  for (auto [n, iv] : llvm::enumerate(loop.ivs())) {
    if (n != groups->variable) {
      Value(iv).replaceAllUsesWith(wide.ivs()[n + (n > groups->variable ? 1 : 0)]);
      continue;
    }
    for (Operation *user : llvm::make_early_inc_range(iv.getUsers())) {
      bool isByGroup = (isQuotient(user) || isRest(user)) && user->getOperand(0) == iv &&
                       tile::constantInt(user->getOperand(1)) == groups->size;
      if (isByGroup)
        user->getResult(0).replaceAllUsesWith(isQuotient(user) ? group : rest);
    }
    Value(iv).replaceAllUsesWith(whole);
  }
  auto &ops = wide.bodyBlock()->getOperations();
  ops.splice(ops.end(), loop.bodyBlock()->getOperations());
  loop.erase();
  return true;
}

struct SplitVariablesPass : impl::SplitVariablesPassBase<SplitVariablesPass> {
  void runOnOperation() override {
    auto splitOne = [](tile::ParallelOp loop) {
      return !loop->getParentOfType<tile::KernelOp>().getLockstep() && split(loop);
    };
    while (llvm::any_of(outermostParallels(getOperation()), splitOne)) {
    }
  }
};

} // namespace

} // namespace tilec
