//===- LiftElements.cpp - single elements of fragments --------------------===//
//
// Outside of T.Parallel a statement happens once per block. One that reads or writes an element of
// a fragment gets a form that lanes share.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_LIFTELEMENTSPASS
#include "tilec/Transforms/Passes.h.inc"

/// A write becomes a parallel over the fragment in which one iteration writes; a read goes through
/// a shared copy, which every lane can read.
static void liftElements(tile::ProgramOp program) {
  SmallVector<Operation *> accesses;
  program.walk([&](Operation *op) {
    if (op->getParentOfType<tile::ParallelOp>())
      return;
    if (auto load = dyn_cast<tile::LoadOp>(op); load && load.getBuffer().getType().isFragment())
      accesses.push_back(op);
    if (auto store = dyn_cast<tile::StoreOp>(op); store && store.getBuffer().getType().isFragment())
      accesses.push_back(op);
  });
  for (Operation *op : accesses) {
    OpBuilder b(op);
    Location loc = op->getLoc();
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      tile::BufferType type = load.getBuffer().getType();
      auto sharedType =
          tile::BufferType::get(type.getShape(), type.getElementType(), tile::Scope::Shared);
      Value copy = tile::AllocOp::create(b, loc, sharedType, "element", Attribute());
      expandCopy(b, loc, load.getBuffer(), copy);
      load.getBufferMutable().assign(copy);
      continue;
    }
    auto store = cast<tile::StoreOp>(op);
    SmallVector<Value> extents;
    for (int64_t size : store.getBuffer().getType().getShape())
      extents.push_back(arith::ConstantIndexOp::create(b, loc, size));
    bool isScalar = extents.empty();
    if (isScalar)
      extents.push_back(arith::ConstantIndexOp::create(b, loc, 1));
    auto loop = tile::ParallelOp::create(b, loc, extents);
    OpBuilder inner = OpBuilder::atBlockEnd(loop.bodyBlock());
    SmallVector<Value> ivs(loop.ivs().begin(), loop.ivs().end());
    if (isScalar) {
      tile::StoreOp::create(inner, loc, store.getValue(), store.getBuffer(), ValueRange());
    } else {
      Value hit;
      for (auto [iv, index] : llvm::zip(ivs, store.getIndices())) {
        Value same = arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::eq, iv, index);
        hit = hit ? arith::AndIOp::create(inner, loc, hit, same).getResult() : same;
      }
      // Select keeps the lanes together; all of them hold their element anyway.
      Type scalar = store.getValue().getType();
      Value old = tile::LoadOp::create(inner, loc, scalar, store.getBuffer(), ivs, FloatAttr());
      Value value = arith::SelectOp::create(inner, loc, hit, store.getValue(), old);
      tile::StoreOp::create(inner, loc, value, store.getBuffer(), ivs);
    }
    store.erase();
  }
}

namespace {
struct LiftElementsPass : impl::LiftElementsPassBase<LiftElementsPass> {
  void runOnOperation() override { liftElements(getOperation()); }
};
} // namespace

} // namespace tilec
