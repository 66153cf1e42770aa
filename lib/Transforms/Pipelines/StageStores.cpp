//===- StageStores.cpp - accumulators stored in wide pieces ----------------===//
//
// A lane of mma.sync has two neighbouring columns of C: four bytes of 16-bit elements,
// and a warp's store touches half of each sector that it meets. The loop that stores
// them writes a shared tile instead, which a second loop copies in 16 bytes a lane and
// whole rows a warp. The tile lies where operands were, so that it costs a barrier:
// kernels that would need more shared memory for it keep their stores.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/LoopLayout.h"
#include "Layouts/Stores.h"
#include "Memory/SharedMemory.h"
#include "Pipelines/Pipeline.h"
#include "Roles/TileStore.h"

#include "tilec/Analysis/Index.h"
#include "tilec/Base/Math.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_STAGESTORESPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Runs up to here are staged: where four lanes of a row store longer ones, they fill sectors.
constexpr int64_t narrowBytes = 4;

/// The element bytes of what the store writes; 0 for types that are not moved as they are.
int64_t movedBytes(tile::StoreOp store) {
  DType dtype = tile::dtypeOf(store.getBuffer().getType().getElementType());
  bool isInteger8 = bitsOf(dtype) == 8 && !isFloat(dtype) && dtype != DType::Bool;
  return bitsOf(dtype) == 16 ? 2 : isInteger8 ? 1 : 0;
}

/// Adds the arithmetic inside of the loop that `value` comes from; false where it reads memory.
bool addArithmetic(Value value, tile::ElementLoop loop, llvm::SetVector<Operation *> &slice) {
  Operation *op = value.getDefiningOp();
  if (!op || !loop->isProperAncestor(op) || slice.contains(op))
    return true;
  if (!isMemoryEffectFree(op) ||
      !llvm::all_of(op->getOperands(), [&](Value v) { return addArithmetic(v, loop, slice); }))
    return false;
  slice.insert(op);
  return true;
}

/// Bytes of the run along the last dimension that a lane holds.
int64_t runBytes(const FragmentLayout &layout, int64_t elemBytes) {
  int64_t run = 1;
  for (const Coords &base : layout.atom().inputs()[0].bases)
    if (base == Coords{0, run})
      run *= 2;
  return run * elemBytes;
}

/// Whether pieces of a row of the tile are whole pieces of the tensor's rows.
bool isAligned(tile::StoreOp store, tile::ElementLoop loop, int64_t elemBytes,
               const TargetInfo &target) {
  tile::BufferType type = store.getBuffer().getType();
  auto tensor = store.getBuffer().getDefiningOp<tile::TensorOp>();
  int64_t piece = target.accessBytes / elemBytes, rowElems = type.getShape().back();
  if (!tensor.getStrides().empty() || ShapedType::isDynamic(rowElems) || rowElems % piece != 0 ||
      (*loop.constantExtents())[1] % piece != 0)
    return false;
  LinearForm last = linearize(store.getIndices().back());
  if (last.coefficient(loop.ivs()[1]) != 1 || last.constant % piece != 0)
    return false;
  return llvm::all_of(last.terms, [&](auto term) {
    return term.first == loop.ivs()[1] ||
           (!loop->isAncestor(term.first.getParentRegion()->getParentOp()) &&
            divisorOf(term.first) * std::abs(term.second) % piece == 0);
  });
}

/// Rewrites the loop when that needs no more shared memory.
void stage(tile::ElementLoop loop, tile::KernelOp kernel, const TargetInfo &target) {
  tile::StoreOp store = onlyStore(loop);
  auto extents = loop.constantExtents();
  bool isToTensor = store && store.getBuffer().getDefiningOp<tile::TensorOp>();
  bool hasBranches =
      llvm::any_of(*loop.bodyBlock(), [](Operation &op) { return op.getNumRegions() != 0; });
  int64_t elemBytes = isToTensor && !hasBranches ? movedBytes(store) : 0;
  if (elemBytes == 0 || !extents || extents->size() != 2 || loop.getPart())
    return;
  std::optional<FragmentLayout> layout = layoutFromFragments(loop);
  llvm::SetVector<Operation *> slice;
  if (!layout || runBytes(*layout, elemBytes) > narrowBytes ||
      !isAligned(store, loop, elemBytes, target) ||
      !llvm::all_of(store.getIndices(), [&](Value v) { return addArithmetic(v, loop, slice); }))
    return;
  int64_t before = SharedMemory(kernel, target).bytes();
  Location loc = loop.getLoc();
  OpBuilder b(loop);
  tile::BufferType tensor = store.getBuffer().getType();
  auto type = tile::BufferType::get(*extents, tensor.getElementType(), tile::Scope::Shared);
  SharedLayout place = SharedLayout::swizzled(*extents, elemBytes * 8);
  auto tile = tile::AllocOp::create(b, loc, type, "stored",
                                    tile::SharedLayoutAttr::get(b.getContext(), place));
  b.setInsertionPoint(store);
  auto fill = tile::StoreOp::create(b, loc, store.getValue(), tile.getResult(), loop.ivs());
  b.setInsertionPointAfter(loop);
  auto drain = tile::MoveOp::create(b, loc, loop.getExtents());
  OpBuilder inner = OpBuilder::atBlockEnd(drain.bodyBlock());
  IRMapping mapping;
  mapping.map(loop.ivs(), drain.ivs());
  for (Operation *op : slice)
    inner.clone(*op, mapping);
  Value value = tile::LoadOp::create(inner, loc, store.getValue().getType(), tile.getResult(),
                                     drain.ivs(), FloatAttr());
  SmallVector<Value> indices;
  for (Value index : store.getIndices())
    indices.push_back(mapping.lookupOrDefault(index));
  tile::StoreOp::create(inner, loc, value, store.getBuffer(), indices);
  if (SharedMemory(kernel, target).bytes() <= before) {
    store.erase();
    return;
  }
  drain.erase();
  fill.erase();
  tile.erase();
}

struct StageStoresPass : impl::StageStoresPassBase<StageStoresPass> {
  using StageStoresPassBase::StageStoresPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>()) {
      // Warps of other roles meet no barrier; TMA stores what they would.
      if (kernel.getLockstep() || !kernel.getBody().getOps<tile::ProducerOp>().empty())
        continue;
      SmallVector<tile::ElementLoop> loops;
      kernel.walk([&](tile::ElementLoop loop) {
        if (!isa<tile::StoreTileOp>(*loop) && !loop->getParentOfType<tile::ElementLoop>())
          loops.push_back(loop);
      });
      for (tile::ElementLoop loop : loops)
        stage(loop, kernel, *chip);
    }
  }
};

} // namespace

} // namespace tilec
