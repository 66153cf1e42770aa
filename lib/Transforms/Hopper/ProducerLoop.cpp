//===- ProducerLoop.cpp - loops whose copies a producer warp can do --------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Hopper/ProducerLoop.h"

#include "Hopper/TmaBox.h"

#include "tilec/Analysis/Buffers.h"

using namespace mlir;

namespace tilec {

bool isComputable(Value value, tile::KernelOp kernel) {
  if (!kernel->isAncestor(value.getParentRegion()->getParentOp()))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<tile::KernelOp, tile::ForOp>(argument.getOwner()->getParentOp());
  Operation *op = value.getDefiningOp();
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), [&](Value v) { return isComputable(v, kernel); });
}

namespace {

bool isInComputableLoops(tile::ForOp loop, tile::KernelOp kernel) {
  for (Operation *up = loop; up != kernel; up = up->getParentOp()) {
    auto outer = dyn_cast<tile::ForOp>(up);
    if (!outer || !isComputable(outer.getLower(), kernel) ||
        !isComputable(outer.getUpper(), kernel) || !isComputable(outer.getStep(), kernel))
      return false;
    bool leaves = false;
    outer.walk([&](tile::BreakOp) { leaves = true; });
    if (leaves)
      return false;
  }
  return true;
}

bool isReadOnlyBy(Operation *op, Value ring) {
  auto gemm = dyn_cast<tile::GemmOp>(op);
  return gemm && gemm.getWarpGroup() && rootOf(gemm.getA()) != rootOf(gemm.getC()) &&
         rootOf(gemm.getC()) != ring;
}

/// Whether the copy can be the producer's; fills the plan's ring list.
bool takesCopy(tile::CopyOp copy, ProducerLoop &plan, tile::KernelOp kernel) {
  auto ring = copy.getDst().getDefiningOp<tile::AllocOp>();
  std::optional<TmaBox> box;
  if (!ring || plan.loop->isAncestor(ring) || !(box = tmaBoxOf(copy.getSrc(), copy.getDst())))
    return false;
  // Transfers begin at multiples of the swizzle's period, 1024 bytes at most; slots as well.
  if (box->bytes % 1024 != 0 || !isComputable(copy.getSrc(), kernel))
    return false;
  for (Operation *user : ring->getUsers()) {
    Operation *inBody = plan.loop.bodyBlock()->findAncestorOpInBlock(*user);
    if (!inBody || (user != copy && !copy->isBeforeInBlock(inBody)))
      return false;
    if (user == copy || isa<tile::SubviewOp>(user))
      continue;
    if (llvm::is_contained(accessesOf(inBody).writes, ring.getResult()))
      return false;
    plan.everyThread |= !isReadOnlyBy(inBody, ring.getResult());
  }
  if (llvm::is_contained(accessesOf(kernel).writes, rootOf(copy.getSrc())))
    return false;
  plan.copies.push_back(copy);
  plan.rings.push_back(ring);
  plan.slotBytes += box->bytes;
  return true;
}

/// The gemm that may stay in flight over the end of the round.
tile::GemmOp onlyGemm(ProducerLoop &plan) {
  tile::GemmOp gemm;
  for (Operation &op : *plan.loop.bodyBlock()) {
    if (isMemoryEffectFree(&op) || llvm::is_contained(plan.copies, dyn_cast<tile::CopyOp>(op)))
      continue;
    auto candidate = dyn_cast<tile::GemmOp>(op);
    if (gemm || !candidate)
      return {};
    gemm = candidate;
  }
  bool isPlain = gemm && gemm.getWarpGroup() && gemm.getA().getType().isShared() &&
                 gemm.getC().getDefiningOp<tile::AllocOp>();
  return isPlain ? gemm : tile::GemmOp();
}

} // namespace

SmallVector<SmallVector<unsigned>> ProducerLoop::pipes() {
  SmallVector<SmallVector<unsigned>> result(overlap ? 2 : 1);
  for (unsigned i = 0; i < copies.size(); ++i)
    result[overlap && !feedsFirst(*overlap, rings[i].getResult())].push_back(i);
  llvm::erase_if(result, [](ArrayRef<unsigned> list) { return list.empty(); });
  return result;
}

int64_t ProducerLoop::bytesOf(ArrayRef<unsigned> numbers) {
  int64_t bytes = 0;
  for (unsigned i : numbers)
    bytes += tmaBoxOf(copies[i].getSrc(), copies[i].getDst())->bytes;
  return bytes;
}

std::optional<ProducerLoop> planProducerLoop(tile::ForOp loop, tile::KernelOp kernel,
                                             int64_t sharedLeftBytes) {
  ProducerLoop plan;
  plan.loop = loop;
  plan.stages = loop.getStages();
  bool hasGemm = false;
  for (Operation &op : *loop.bodyBlock()) {
    if (auto gemm = dyn_cast<tile::GemmOp>(op))
      hasGemm |= gemm.getWarpGroup();
    auto copy = dyn_cast<tile::CopyOp>(op);
    bool fillsShared = copy && copy.getSrc().getType().isGlobal();
    if (fillsShared && !takesCopy(copy, plan, kernel))
      return std::nullopt;
  }
  if (!hasGemm || plan.copies.empty() || !isInComputableLoops(loop, kernel))
    return std::nullopt;
  while (plan.stages > 1 && plan.slotBytes * (plan.stages - 1) > sharedLeftBytes)
    --plan.stages;
  if (plan.stages < 2)
    return std::nullopt;
  plan.inFlight = onlyGemm(plan);
  return plan;
}

} // namespace tilec
