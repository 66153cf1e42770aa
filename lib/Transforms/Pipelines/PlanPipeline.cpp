//===- PlanPipeline.cpp - which copies run ahead, and how far -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/LoopLayout.h"
#include "Memory/Shared.h"
#include "Pipelines/Pipeline.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Base/Math.h"

using namespace mlir;

namespace tilec {

void PipelinePlan::print(llvm::raw_ostream &os) const {
  os << "stages " << stages << ", copies " << copies.size() << ", shared bytes " << sharedBytes;
  for (tile::AllocOp ring : rings)
    os << ", " << ring.getName();
  os << '\n';
}

int64_t asyncPieceBytes(Value srcView, Value dstView, const TargetInfo &target) {
  auto src = cast<tile::BufferType>(srcView.getType());
  auto dst = cast<tile::BufferType>(dstView.getType());
  if (!src.isGlobal() || !dst.isShared() || src.getElementType() != dst.getElementType())
    return 0;
  auto ring = boxRootOf(dstView).getDefiningOp<tile::AllocOp>();
  const SharedLayout *layout = ring ? sharedLayoutOf(ring) : nullptr;
  if (!layout || (layout->panelElems != 0 && dst.rank() != 2))
    return 0;
  // Built for the question only; dead ops are erased at the end of the pass.
  OpBuilder scratch(src.getContext());
  scratch.setInsertionPointAfterValue(srcView);
  std::optional<BufferBox> box = boxOf(srcView, scratch, srcView.getLoc());
  if (!box)
    return 0;
  auto tensor = box->root.getDefiningOp<tile::TensorOp>();
  tile::BufferType root = box->rootType();
  if (tensor && !tensor.getStrides().empty())
    return 0;
  // 32-bit offsets: larger and dynamic tensors are copied through registers.
  if (!root.hasStaticShape() ||
      storageBytes(tile::dtypeOf(root.getElementType()), root.numElems()) > (int64_t(1) << 31))
    return 0;
  // The last dimension of the box runs along the tensor's rows.
  if (root.rank() == 0 || box->dims.empty() || box->dims.back() != root.rank() - 1)
    return 0;
  int64_t rowElems = root.getShape().back(),
          elemBits = bitsOf(tile::dtypeOf(root.getElementType()));
  if (ShapedType::isDynamic(rowElems) || elemBits % 8 != 0)
    return 0;
  int64_t elemBytes = elemBits / 8;
  Value start = box->offsets.back();
  int64_t startDivisor = start ? divisorOf(start) : int64_t(1) << 20;
  for (int64_t bytes : target.asyncCopies.bytes) {
    int64_t elems = bytes / elemBytes;
    if (bytes % elemBytes != 0 || elems == 0)
      continue;
    bool isAligned = rowElems % elems == 0 && startDivisor % elems == 0;
    bool staysTogether =
        layout->phases == 1 ? layout->pitchElems % elems == 0 : layout->vecElems % elems == 0;
    bool fillsWaves = true;
    if (target.asyncCopies.lanesInRow) {
      // One instruction writes waveLanes pieces in a row; the last one may not pass the end.
      fillsWaves = dst.numElems() * elemBytes % (target.waveLanes * bytes) == 0 &&
                   layout->pitchElems == dst.getShape().back();
    }
    if (isAligned && staysTogether && fillsWaves && dst.getShape().back() % elems == 0)
      return bytes;
  }
  return 0;
}

/// Whether `value` is the same in every iteration but for the induction variable, and computed from
/// nothing that the body stores.
static bool isIndexOnly(Value value, tile::ForOp loop) {
  if (!loop.getBody().isAncestor(value.getParentRegion()))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == loop.bodyBlock();
  Operation *op = value.getDefiningOp();
  if (!isPure(op))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value v) { return isIndexOnly(v, loop); });
}

PipelinePlan planPipeline(tile::ForOp loop, const TargetInfo &target, int64_t sharedLeftBytes) {
  PipelinePlan plan;
  plan.stages = loop.getStages();
  for (tile::CopyOp copy : loop.bodyBlock()->getOps<tile::CopyOp>()) {
    if (asyncPieceBytes(copy.getSrc(), copy.getDst(), target) == 0)
      continue;
    auto ring = copy.getDst().getDefiningOp<tile::AllocOp>();
    if (!ring || !ring.getResult().getType().isShared() || loop->isAncestor(ring))
      continue;
    auto view = copy.getSrc().getDefiningOp<tile::SubviewOp>();
    bool legal =
        !view || llvm::all_of(view.getOffsets(), [&](Value v) { return isIndexOnly(v, loop); });
    // Only this copy writes the buffer, only this loop reads it, and not before the copy.
    for (Operation *user : ring->getUsers()) {
      Operation *inBody = loop.bodyBlock()->findAncestorOpInBlock(*user);
      legal &=
          inBody && !isa<tile::ReshapeOp>(user) && (user == copy || copy->isBeforeInBlock(inBody));
      if (inBody && user != copy)
        legal &= !llvm::is_contained(accessesOf(inBody).writes, ring.getResult());
    }
    // The source is not written while it is read ahead.
    Value source = rootOf(copy.getSrc());
    legal &= !llvm::is_contained(accessesOf(loop).writes, source);
    if (!legal)
      continue;
    plan.copies.push_back(copy);
    plan.rings.push_back(ring);
    const SharedLayout *layout = sharedLayoutOf(ring);
    plan.sharedBytes +=
        bytesOf(tile::dtypeOf(ring.getResult().getType().getElementType())) * layout->numElems();
  }
  int64_t oneStage = plan.sharedBytes;
  while (plan.stages > 1 && oneStage * plan.stages > sharedLeftBytes + oneStage)
    --plan.stages;
  if (plan.copies.empty())
    plan.stages = 1;
  plan.sharedBytes = oneStage * plan.stages;
  return plan;
}

} // namespace tilec
