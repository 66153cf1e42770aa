//===- WidenParallels.cpp - serial loops inside of parallels --------------===//
//
//   for i, j in T.Parallel(8, 128):
//     for v in T.vectorized(8): B[i, j * 8 + v] = A[i, j * 8 + v]
//
// is one parallel over i, j and v, where no round of the loop touches what another one writes:
// whose elements lie side by side is then seen where layouts are chosen.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/KnownLoops.h"
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_WIDENPARALLELSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// The loop that is all that a block does, under a condition or not; what is read beside it, each
/// of its rounds can read.
tile::ForOp onlyLoopIn(Block &block, ArrayRef<Value> written) {
  tile::ForOp found;
  for (Operation &op : block) {
    if (isa<scf::YieldOp>(op) || (isPure(&op) && op.getNumRegions() == 0))
      continue;
    if (auto load = dyn_cast<tile::LoadOp>(op);
        load && !isChangedBy(written, rootOf(load.getBuffer())))
      continue;
    auto branch = dyn_cast<scf::IfOp>(op);
    bool isGuard = branch && branch.getNumResults() == 0 && !branch.elseBlock();
    auto loop = isGuard ? onlyLoopIn(*branch.thenBlock(), written) : dyn_cast<tile::ForOp>(op);
    if (found || !loop)
      return {};
    found = loop;
  }
  return found;
}

} // namespace

tile::ForOp loopToWiden(tile::ParallelOp parallel) {
  if (parallel->getParentOfType<tile::KernelOp>().getLockstep())
    return {};
  tile::ForOp loop = onlyLoopIn(*parallel.bodyBlock(), accessesOf(parallel).writes);
  return loop && countsOn(loop) && areRoundsIndependent(loop, loop.iv()) ? loop : tile::ForOp();
}

namespace {

bool widen(tile::ParallelOp parallel) {
  tile::ForOp loop = loopToWiden(parallel);
  if (!loop)
    return false;
  OpBuilder b(parallel);
  SmallVector<Value> extents(parallel.getExtents());
  extents.push_back(
      arith::ConstantIndexOp::create(b, loop.getLoc(), *tile::constantInt(loop.getUpper())));
  auto wide = tile::ParallelOp::create(b, parallel.getLoc(), extents);
  for (auto [n, iv] : llvm::enumerate(parallel.ivs()))
    Value(iv).replaceAllUsesWith(wide.ivs()[n]);
  loop.iv().replaceAllUsesWith(wide.ivs().back());
  auto &ops = wide.bodyBlock()->getOperations();
  ops.splice(ops.end(), parallel.bodyBlock()->getOperations());
  loop->getBlock()->getOperations().splice(loop->getIterator(), loop.bodyBlock()->getOperations());
  loop.erase();
  parallel.erase();
  return true;
}

struct WidenParallelsPass : impl::WidenParallelsPassBase<WidenParallelsPass> {
  void runOnOperation() override {
    while (llvm::any_of(outermostParallels(getOperation()), widen)) {
    }
  }
};

} // namespace

} // namespace tilec
