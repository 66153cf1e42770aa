//===- ProducerLoop.cpp - loops whose copies a producer warp can do --------===//
//
// Checks copies, readers and control flow of a loop; ProducerLoop.h has what comes out.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/ProducerLoop.h"

#include "Roles/ScheduleWishes.h"
#include "Roles/TmaBox.h"

#include "tilec/Analysis/Buffers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {

namespace {

llvm::Error refuse(const Twine &why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), why);
}

bool isReadOnlyBy(Operation *op, Value ring) {
  auto gemm = dyn_cast<tile::GemmOp>(op);
  // Places of a sparse A are read by the lanes.
  return gemm && gemm.getWarpGroup() && rootOf(gemm.getA()) != rootOf(gemm.getC()) &&
         rootOf(gemm.getC()) != ring && !(gemm.getPlaces() && rootOf(gemm.getPlaces()) == ring);
}

bool isPipelined(tile::ForOp loop) {
  return loop.getKind() == tile::LoopKind::Pipelined && loop.getStages() > 1;
}

/// Whether `op` stands in a pipelined loop, which may have a producer too.
bool isInPipelinedLoop(Operation *op) {
  auto loop = op->getParentOfType<tile::ForOp>();
  while (loop && !isPipelined(loop))
    loop = loop->getParentOfType<tile::ForOp>();
  return bool(loop);
}

/// Adds the copy to the plan, or says why it cannot be the producer's.
llvm::Error takeCopy(tile::CopyOp copy, ProducerLoop &plan, const Accesses &ofKernel,
                     const TargetInfo &chip) {
  auto ring = copy.getDst().getDefiningOp<tile::AllocOp>();
  std::string target = quotedName(copy.getDst());
  if (!ring || plan.loop->isAncestor(ring))
    return refuse(target + " is no whole buffer from outside of the loop");
  if (llvm::is_contained(plan.rings, ring))
    return refuse(target + " is filled twice a round");
  llvm::Expected<TmaBox> box = planTmaBox(copy.getSrc(), copy.getDst(), chip);
  if (!box)
    return box.takeError();
  // Transfers begin at multiples of the swizzle's period; slots as well.
  if (int64_t period = box->periodBytes; box->tileBytes() % period != 0)
    return refuse(target + " is no multiple of " + Twine(period) + " bytes");
  for (Operation *user : ring->getUsers()) {
    Operation *inBody = plan.round->findAncestorOpInBlock(*user);
    if (!inBody && isInPipelinedLoop(user))
      continue; // keepWholeRings asks whether that loop has a producer
    if (!inBody || (user != copy && !copy->isBeforeInBlock(inBody)))
      return refuse(target + " is used outside of the loop, or before it is filled");
    if (user == copy || isa<tile::SubviewOp>(user))
      continue;
    if (llvm::is_contained(accessesOf(inBody).writes, ring.getResult()))
      return refuse(target + " is written by more than the copy");
    plan.everyThread |= !isReadOnlyBy(inBody, ring.getResult());
  }
  if (isChangedBy(ofKernel.writes, rootOf(copy.getSrc())))
    return refuse("the kernel writes " + quotedName(copy.getSrc()) + ", from which it copies");
  plan.copies.push_back(copy);
  plan.rings.push_back(ring);
  plan.slotBytes.push_back(box->tileBytes());
  return llvm::Error::success();
}

/// Whether the op reads or writes a variable, or reads an element of a tensor.
bool isOfScalars(Operation *op) {
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return load.getBuffer().getType().isLocal() || load.getBuffer().getType().isGlobal();
  auto store = dyn_cast<tile::StoreOp>(op);
  return store && store.getBuffer().getType().isLocal();
}

/// The gemm that may stay in flight over the end of the round. Not where rounds are left out: ptxas
/// waits for it where ways meet.
tile::GemmOp onlyGemm(ProducerLoop &plan) {
  tile::GemmOp gemm;
  if (plan.round != plan.loop.bodyBlock())
    return gemm;
  for (Operation &op : *plan.loop.bodyBlock()) {
    if (isMemoryEffectFree(&op) || isOfScalars(&op) ||
        llvm::is_contained(plan.copies, dyn_cast<tile::CopyOp>(op)))
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

/// Whether some tile of the round is brought in some rounds alone. The consumers would wait for it
/// where they multiply.
bool copiesUnderCondition(Block *round) {
  for (auto branch : round->getOps<scf::IfOp>())
    for (Region *side : {&branch.getThenRegion(), &branch.getElseRegion()})
      for (tile::CopyOp copy : side->getOps<tile::CopyOp>())
        if (copy.getSrc().getType().isGlobal() && copy.getDst().getType().isShared())
          return true;
  return false;
}

} // namespace

Block *roundOf(tile::ForOp loop) {
  scf::IfOp only;
  for (Operation &op : *loop.bodyBlock()) {
    auto branch = dyn_cast<scf::IfOp>(op);
    if (branch && !only && branch->getNumResults() == 0 && branch.getElseRegion().empty())
      only = branch;
    else if (!isMemoryEffectFree(&op) && !isOfScalars(&op))
      return loop.bodyBlock();
  }
  return only ? only.thenBlock() : loop.bodyBlock();
}

bool ProducerLoop::sharesRings(ProducerLoop &other) {
  auto ringsOf = [](ProducerLoop &plan) {
    SmallVector<SmallVector<Operation *>> result;
    for (ArrayRef<unsigned> list : plan.pipes()) {
      result.emplace_back();
      for (unsigned i : list)
        result.back().push_back(plan.rings[i]);
      llvm::sort(result.back());
    }
    return result;
  };
  return ringsOf(*this) == ringsOf(other);
}

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
    bytes += slotBytes[i];
  return bytes;
}

llvm::Error ProducerLoop::addTo(ProducerSlice &slice) {
  SmallVector<Value> values = {loop.getLower(), loop.getUpper(), loop.getStep()};
  for (tile::CopyOp copy : copies)
    values.push_back(copy.getSrc());
  return slice.add(&round->front(), values);
}

bool multipliesByWarpGroups(tile::ForOp loop) {
  return llvm::any_of(roundOf(loop)->getOps<tile::GemmOp>(),
                      [](tile::GemmOp gemm) { return gemm.getWarpGroup(); });
}

void ProducerLoop::takeFrom(SharedMemory &memory) {
  for (tile::AllocOp ring : rings)
    memory.setSlots(ring, stages);
  for (size_t i = 0; i < pipes().size(); ++i)
    memory.addPipe(stages);
}

void ProducerLoop::takeSlots(SharedMemory &memory, int64_t count) {
  stages += count;
  for (tile::AllocOp ring : rings)
    memory.setSlots(ring, stages);
  for (size_t i = 0; i < pipes().size(); ++i)
    memory.addPipe(count);
}

bool ProducerLoop::fitInto(const SharedMemory &memory) {
  auto fits = [&] {
    SharedMemory with = memory;
    takeFrom(with);
    return with.fits();
  };
  const int64_t fewest = std::min<int64_t>(stages, 2);
  while (stages > fewest && !fits())
    --stages;
  return fits();
}

llvm::Expected<ProducerLoop> planProducerLoop(tile::ForOp loop, tile::KernelOp kernel,
                                              const Accesses &ofKernel, const TargetInfo &target) {
  ProducerLoop plan;
  plan.loop = loop;
  plan.round = roundOf(loop);
  plan.stages = loop.getStages();
  if (!multipliesByWarpGroups(loop))
    return refuse("no warp groups multiply in it");
  if (loop.walk([&](tile::ForOp inner) {
            return inner != loop && isPipelined(inner) ? WalkResult::interrupt()
                                                       : WalkResult::advance();
          })
          .wasInterrupted())
    return refuse("another pipelined loop stands in it");
  if (copiesUnderCondition(plan.round))
    return refuse(
        "a copy stands under a condition of its own: all threads start it, a round ahead");
  for (tile::CopyOp copy : plan.round->getOps<tile::CopyOp>())
    if (copy.getSrc().getType().isGlobal())
      if (llvm::Error error = takeCopy(copy, plan, ofKernel, target))
        return std::move(error);
  if (plan.copies.empty())
    return refuse("it copies nothing to shared memory");
  ProducerSlice slice(kernel, ofKernel.writes);
  if (llvm::Error error = plan.addTo(slice))
    return std::move(error);
  plan.inFlight = onlyGemm(plan);
  return plan;
}

void keepWholeRings(SmallVectorImpl<ProducerLoop> &plans) {
  auto fits = [&](ProducerLoop &plan) {
    for (tile::AllocOp ring : plan.rings)
      for (Operation *user : ring->getUsers())
        if (llvm::none_of(plans, [&](ProducerLoop &other) {
              return other.loop->isAncestor(user) && other.sharesRings(plan);
            }))
          return false;
    return true;
  };
  for (bool isStable = false; !isStable;) {
    auto bad = llvm::find_if_not(plans, fits);
    isStable = bad == plans.end();
    if (isStable)
      break;
    bad->loop.emitRemark() << noProducer
                           << "another loop uses its buffers, which has none or copies other ones";
    refuseSchedule(bad->loop, "another loop uses its buffers");
    plans.erase(bad);
  }
}

} // namespace tilec
