//===- GatherFlags.cpp - one value that some iterations write -------------===//
//
// Where some iterations of a parallel store the same value to the same element, all threads get to
// know whether one has: a reduction, with the store behind the loop. Else lanes would store on
// their own.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Locals.h"
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_GATHERFLAGSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Whether several iterations may do the store, and all of them store one value to one element,
/// which the loop does not touch otherwise.
bool isFlag(tile::StoreOp store, tile::ParallelOp loop) {
  Value root = rootOf(store.getBuffer());
  auto alloc = root.getDefiningOp<tile::AllocOp>();
  if (!alloc || loop->isAncestor(alloc) || hasOneIteration(loop) ||
      variesIn(store.getValue(), loop) || variesIn(store.getBuffer(), loop) ||
      llvm::any_of(store.getIndices(), [&](Value v) { return variesIn(v, loop); }))
    return false;
  int64_t accesses = 0;
  loop.walk([&](Operation *op) {
    if (op->getNumRegions() != 0)
      return;
    Accesses all = accessesOf(op);
    accesses += llvm::is_contained(all.reads, root) || llvm::is_contained(all.writes, root);
  });
  return accesses == 1;
}

/// The store stands behind the loop, and in the loop whether an iteration does it.
void gatherFlag(tile::StoreOp store, tile::ParallelOp loop) {
  hoistBefore(store.getValue(), loop);
  hoistBefore(store.getBuffer(), loop);
  for (Value index : store.getIndices())
    hoistBefore(index, loop);
  Location loc = store.getLoc();
  OpBuilder before(loop), inside(store), behind(loop->getContext());
  behind.setInsertionPointAfter(loop);
  auto constant = [&](OpBuilder &b, int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, loc, b.getI32Type(), value);
  };
  auto load = [&](OpBuilder &b, Value hit) -> Value {
    return tile::LoadOp::create(b, loc, b.getI32Type(), hit, ValueRange(), FloatAttr());
  };
  auto type = tile::BufferType::get({}, before.getI32Type(), tile::Scope::Local);
  Value hit = tile::AllocOp::create(before, loc, type, "hit", Attribute());
  tile::StoreOp::create(before, loc, constant(before, 0), hit, ValueRange());
  Value most = arith::MaxSIOp::create(inside, loc, load(inside, hit), constant(inside, 1));
  tile::StoreOp::create(inside, loc, most, hit, ValueRange());
  Value isHit = arith::CmpIOp::create(behind, loc, arith::CmpIPredicate::ne, load(behind, hit),
                                      constant(behind, 0));
  auto branch = scf::IfOp::create(behind, loc, isHit, /*withElseRegion=*/false);
  store->moveBefore(&branch.getThenRegion().front(), branch.getThenRegion().front().begin());
}

} // namespace

static void gatherFlags(tile::KernelOp kernel) {
  SmallVector<tile::StoreOp> stores;
  kernel.walk([&](tile::StoreOp store) {
    if (tile::ParallelOp loop = outermostParallelOf(store); loop && isFlag(store, loop))
      stores.push_back(store);
  });
  for (tile::StoreOp store : stores)
    gatherFlag(store, outermostParallelOf(store));
}

namespace {
struct GatherFlagsPass : impl::GatherFlagsPassBase<GatherFlagsPass> {
  void runOnOperation() override {
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      if (!kernel.getLockstep())
        gatherFlags(kernel);
  }
};
} // namespace

} // namespace tilec
