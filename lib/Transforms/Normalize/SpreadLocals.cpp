//===- SpreadLocals.cpp - local buffers that are gone through element by element -===//
//
// A local buffer of the block in shared memory (tile-place-locals), all of whose accesses are tile
// operations and loops over its elements, is a fragment; so is one that a product multiplies into.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/LoopLayout.h"
#include "Normalize/Locals.h"
#include "Normalize/Normalize.h"

#include "tilec/Transforms/Passes.h"

#include "llvm/ADT/SmallSet.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_SPREADLOCALSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Whether the loop goes through the elements of a buffer of this shape, each by one iteration when
/// it writes.
bool isOverElements(tile::ParallelOp loop, ValueRange indices, ArrayRef<int64_t> shape,
                    bool isWrite) {
  auto extents = loop.constantExtents();
  if (!extents)
    return false;
  llvm::SmallSet<int, 4> used;
  for (auto [d, iv] : llvm::enumerate(directIndices(indices, loop))) {
    if (iv < 0 && shape[d] == 1 && tile::constantInt(indices[d]) == 0)
      continue;
    if (iv < 0 || !used.insert(iv).second || (*extents)[iv] != shape[d])
      return false;
  }
  for (auto [n, extent] : llvm::enumerate(*extents))
    if (isWrite && extent != 1 && !used.contains(int(n)))
      return false;
  return true;
}

/// Whether the registers of the block serve the access where it is.
bool suitsFragment(Local &local, Operation *user) {
  if (auto gemm = dyn_cast<tile::GemmOp>(user))
    return gemm.getC() == local.alloc.getResult();
  if (isa<tile::CopyOp, tile::FillOp, tile::ReduceOp>(user))
    return !outermostParallelOf(user);
  auto loop = user->getParentOfType<tile::ParallelOp>();
  if (!loop || loop != outermostParallelOf(user))
    return false;
  if (auto load = dyn_cast<tile::LoadOp>(user))
    return isOverElements(loop, load.getIndices(), local.type().getShape(), false);
  auto store = dyn_cast<tile::StoreOp>(user);
  return store && isOverElements(loop, store.getIndices(), local.type().getShape(), true);
}

} // namespace

static void spreadLocal(tile::AllocOp alloc) {
  Local local(alloc);
  bool isAccumulator = llvm::any_of(local.users, [&](Operation *user) {
    auto gemm = dyn_cast<tile::GemmOp>(user);
    return gemm && gemm.getC() == alloc.getResult();
  });
  bool suits = local.views.empty() && llvm::all_of(local.users, [&](Operation *user) {
                 return suitsFragment(local, user);
               });
  if (suits || (isAccumulator && local.views.empty()))
    local.setScope(tile::Scope::Fragment);
}

static void spreadLocals(tile::ProgramOp program) {
  program.walk([](tile::AllocOp alloc) {
    if (!alloc.getWasLocal())
      return;
    alloc.setWasLocal(false);
    spreadLocal(alloc);
  });
}

namespace {
struct SpreadLocalsPass : impl::SpreadLocalsPassBase<SpreadLocalsPass> {
  void runOnOperation() override { spreadLocals(getOperation()); }
};
} // namespace

} // namespace tilec
