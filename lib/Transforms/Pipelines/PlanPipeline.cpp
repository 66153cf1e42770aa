//===- PlanPipeline.cpp - which copies run ahead, and how far -------------===//
//
// Decides; changes nothing. docs/machine-code/pipelining.md has the rules.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/LoopLayout.h"
#include "Pipelines/Gather.h"
#include "Pipelines/LoopMemory.h"
#include "Pipelines/Pipeline.h"
#include "Roles/ProducerLoop.h"
#include "Roles/RingSlots.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Base/Math.h"

using namespace mlir;

namespace tilec {

int64_t asyncPieceBytes(Value srcView, Value dstView, const TargetInfo &target) {
  auto src = cast<tile::BufferType>(srcView.getType());
  auto dst = cast<tile::BufferType>(dstView.getType());
  if (!src.isGlobal() || !dst.isShared() || src.getElementType() != dst.getElementType())
    return 0;
  auto ring = boxRootOf(dstView).getDefiningOp<tile::AllocOp>();
  const SharedLayout *layout = ring ? sharedLayoutOf(ring) : nullptr;
  if (!layout || (layout->panelElems != 0 && dst.rank() != 2))
    return 0;
  BufferBox box = boxOf(srcView);
  auto tensor = box.root.getDefiningOp<tile::TensorOp>();
  tile::BufferType root = box.rootType();
  if (tensor && !tensor.getStrides().empty())
    return 0;
  // 32-bit offsets: larger and dynamic tensors are copied through registers. A lane's own address
  // has 64 bits.
  bool isNarrow = root.hasStaticShape() && storageBytes(tile::dtypeOf(root.getElementType()),
                                                        root.numElems()) <= (int64_t(1) << 31);
  if (!isNarrow && target.asyncCopies.lanesInRow)
    return 0;
  // The last dimension of the box runs along the tensor's rows.
  if (root.rank() == 0 || box.dims.empty() || box.dims.back() != root.rank() - 1)
    return 0;
  int64_t rowElems = root.getShape().back(),
          elemBits = bitsOf(tile::dtypeOf(root.getElementType()));
  if (elemBits % 8 != 0)
    return 0;
  int64_t elemBytes = elemBits / 8;
  int64_t startDivisor = divisorOf(box.offsets.back());
  for (int64_t bytes : target.asyncCopies.bytes) {
    int64_t elems = bytes / elemBytes;
    if (bytes % elemBytes != 0 || elems == 0)
      continue;
    // Rows of a length that only the run knows are asked for it (emitAsyncCopy).
    bool isAligned =
        (ShapedType::isDynamic(rowElems) || rowElems % elems == 0) && startDivisor % elems == 0;
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
/// nothing that the body stores; with `mayLoad`, elements of tensors that it does not store either.
static bool isIndexOnly(Value value, tile::ForOp loop, const Accesses *mayLoad = nullptr) {
  if (!loop.getBody().isAncestor(value.getParentRegion()))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == loop.bodyBlock();
  Operation *op = value.getDefiningOp();
  auto load = dyn_cast<tile::LoadOp>(op);
  bool isRead = mayLoad && load && load.getBuffer().getType().isGlobal() &&
                !isChangedBy(mayLoad->writes, rootOf(load.getBuffer()));
  if (!isRead && !isPure(op))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value v) { return isIndexOnly(v, loop, mayLoad); });
}

/// Whether only `fill` writes the buffer and only its block reads it, and not before that.
static bool isFilledBy(Operation *fill, tile::AllocOp ring) {
  for (Operation *user : ring->getUsers()) {
    Operation *inBody = fill->getBlock()->findAncestorOpInBlock(*user);
    if (!inBody || isa<tile::ReshapeOp>(user))
      return false;
    if (inBody == fill)
      continue;
    if (!fill->isBeforeInBlock(inBody) ||
        llvm::is_contained(accessesOf(inBody).writes, ring.getResult()))
      return false;
  }
  return true;
}

/// Adds the loops over elements that a copy could stand for, where the target can.
static void addGathers(PipelinePlan &plan, tile::ForOp loop, const TargetInfo &target) {
  if (loop->getParentOfType<tile::KernelOp>().getLockstep())
    return;
  Accesses all = accessesOf(loop);
  for (tile::ElementLoop parallel : loop.bodyBlock()->getOps<tile::ElementLoop>()) {
    std::optional<Gather> gather = gatherOf(parallel, target);
    auto ring = gather ? gather->store.getBuffer().getDefiningOp<tile::AllocOp>() : tile::AllocOp();
    if (!ring || loop->isAncestor(ring) || !isFilledBy(parallel, ring))
      continue;
    bool isLegal = llvm::none_of(accessesOf(parallel).reads,
                                 [&](Value root) { return isChangedBy(all.writes, root); });
    parallel->walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        isLegal &= parallel->isAncestor(operand.getParentRegion()->getParentOp()) ||
                   isIndexOnly(operand, loop, &all);
    });
    if (!isLegal)
      continue;
    plan.gathers.push_back(parallel);
    plan.rings.push_back(ring);
  }
}

PipelinePlan planPipeline(tile::ForOp loop, const TargetInfo &target) {
  PipelinePlan plan;
  plan.stages = loop.getStages();
  // What places are read from tensors is waited for in order where copies are counted: too late.
  bool mayLoad = target.asyncCopies.completion == Completion::Groups &&
                 !loop->getParentOfType<tile::KernelOp>().getLockstep();
  Accesses all = accessesOf(loop);
  Block *round = roundOf(loop);
  if (round != loop.bodyBlock()) {
    plan.round = cast<scf::IfOp>(round->getParentOp());
    if (!mayLoad || !isIndexOnly(plan.round.getCondition(), loop, &all))
      round = loop.bodyBlock();
  }
  for (tile::CopyOp copy : round->getOps<tile::CopyOp>()) {
    if (asyncPieceBytes(copy.getSrc(), copy.getDst(), target) == 0)
      continue;
    auto ring = copy.getDst().getDefiningOp<tile::AllocOp>();
    if (!ring || !ring.getResult().getType().isShared() || loop->isAncestor(ring))
      continue;
    auto view = copy.getSrc().getDefiningOp<tile::SubviewOp>();
    bool legal = !view || llvm::all_of(view.getOffsets(), [&](Value v) {
      return isIndexOnly(v, loop, mayLoad ? &all : nullptr);
    });
    legal &= isFilledBy(copy, ring);
    // The source is not written while it is read ahead.
    Value source = rootOf(copy.getSrc());
    legal &= !isChangedBy(all.writes, source);
    if (!legal)
      continue;
    plan.copies.push_back(copy);
    plan.rings.push_back(ring);
  }
  if (round == loop.bodyBlock()) {
    plan.round = {};
    addGathers(plan, loop, target);
  }
  if (plan.isEmpty())
    plan.stages = 1;
  return plan;
}

void fitInto(PipelinePlan &plan, SharedMemory &memory) {
  auto fits = [&] {
    for (tile::AllocOp ring : plan.rings)
      memory.setSlots(ring, plan.stages);
    return memory.fits();
  };
  while (plan.stages > 1 && !fits())
    --plan.stages;
}

void leaveCopiesInFlight(PipelinePlan &plan, tile::KernelOp kernel, LoopMemory &loops,
                         const TargetInfo &target) {
  // Where copies are counted, other waves of the scheduler fill the wait: in the simulator's
  // model products take 1 to 3 % longer with a third slot, and attention 15 %.
  if (plan.stages != 2 || target.asyncCopies.completion != Completion::Groups)
    return;
  SharedMemory &memory = loops.wished();
  auto bytesWith = [&](int64_t slots) {
    for (tile::AllocOp ring : plan.rings)
      memory.setSlots(ring, slots);
    return memory.bytes();
  };
  int64_t before = bytesWith(2), after = bytesWith(3);
  int64_t most = hasUnitsForAll(kernel, target)
                     ? target.sharedBytes
                     : bytesForSameOccupancy(kernel, /*producer=*/0, before, target);
  if (after <= most)
    plan.stages = 3;
}

} // namespace tilec
