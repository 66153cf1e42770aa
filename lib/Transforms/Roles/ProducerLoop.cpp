//===- ProducerLoop.cpp - loops whose copies a producer warp can do --------===//
//
// What several passes ask about loops with a producer; which loops these are says
// FindProducers.cpp.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/ProducerLoop.h"

#include "Layouts/Registers.h"
#include "Roles/ScheduleWishes.h"
#include "Roles/TmaBox.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/IR/Tile/Uniformity.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {

namespace {

/// Whether threads read what threads write to a tensor. Tile operations between them order that, by
/// a barrier in each round; with a producer a round has none.
bool tellsThroughTensors(tile::KernelOp kernel) {
  llvm::DenseSet<Value> read, written;
  kernel.walk([&](Operation *op) {
    if (!isa<tile::LoadOp, tile::StoreOp, tile::AtomicOp>(op) ||
        op->getParentOfType<tile::ElementLoop>())
      return;
    Accesses own = accessesOf(op);
    if (isa<tile::LoadOp>(op)) // atomics need no order among themselves
      read.insert_range(own.reads);
    written.insert_range(own.writes);
  });
  return llvm::any_of(read, [&](Value root) {
    return cast<tile::BufferType>(root.getType()).isGlobal() && written.contains(root);
  });
}

} // namespace

std::string whyNoProducer(tile::KernelOp kernel, const TargetInfo &target) {
  if (!target.tensorCopies)
    return "the target has no TMA";
  // It would run ahead of what other blocks write.
  if (tile::hasGridSync(kernel))
    return "the kernel's blocks wait for each other";
  if (kernel.getLockstep() && tellsThroughTensors(kernel))
    return "threads of the kernel read what others write to a tensor";
  if (kernel.getThreads() % target.groupLanes() != 0 ||
      int64_t(kernel.getThreads()) + producerThreads(target, kernel.getThreads()) >
          target.maxThreads)
    return "a producer warp needs threads= a multiple of " + std::to_string(target.groupLanes()) +
           ", at most " + std::to_string(target.maxThreads - target.groupLanes()) + ", not " +
           std::to_string(kernel.getThreads());
  return "";
}

bool isOfScalars(Operation *op) {
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return load.getBuffer().getType().isLocal() || load.getBuffer().getType().isGlobal();
  auto store = dyn_cast<tile::StoreOp>(op);
  return store && store.getBuffer().getType().isLocal();
}

bool canFly(tile::GemmOp gemm) {
  return gemm.getWarpGroup() && !gemm.getPlaces() && gemm.getC().getDefiningOp<tile::AllocOp>() &&
         gemm.getC().getType().isFragment();
}

bool writesInRounds(tile::ForOp loop) {
  for (Operation &op : *loop.bodyBlock()) {
    auto copy = dyn_cast<tile::CopyOp>(op);
    if (copy && copy.getTransfers())
      continue;
    for (Value root : accessesOf(&op).writes)
      if (auto type = cast<tile::BufferType>(root.getType()); type.isShared() || type.isGlobal())
        return true;
  }
  return false;
}

bool feedsFirst(tile::ForOp loop, Value ring) {
  tile::GemmOp first = *loop.bodyBlock()->getOps<tile::GemmOp>().begin();
  return rootOf(first.getA()) == ring || rootOf(first.getB()) == ring;
}

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

tile::GemmOp ProducerLoop::gemmInFlight() {
  return served.form == tile::RoundForm::InFlight
             ? *loop.bodyBlock()->getOps<tile::GemmOp>().begin()
             : tile::GemmOp();
}

SmallVector<SmallVector<unsigned>> ProducerLoop::pipes() {
  SmallVector<SmallVector<unsigned>> result(isOverlapped() ? 2 : 1);
  for (unsigned i = 0; i < copies.size(); ++i)
    result[isOverlapped() && !feedsFirst(loop, rings[i].getResult())].push_back(i);
  llvm::erase_if(result, [](ArrayRef<unsigned> list) { return list.empty(); });
  return result;
}

int64_t ProducerLoop::bytesOf(ArrayRef<unsigned> numbers) {
  int64_t bytes = 0;
  for (unsigned i : numbers)
    bytes += slotBytes[i];
  return bytes;
}

void ProducerLoop::takeFrom(SharedMemory &memory) {
  for (tile::AllocOp ring : rings)
    memory.setSlots(ring, served.slots);
  for (size_t i = 0; i < pipes().size(); ++i)
    memory.addPipe(served.slots);
}

void ProducerLoop::takeSlots(SharedMemory &memory, int64_t count) {
  served.slots += count;
  for (tile::AllocOp ring : rings)
    memory.setSlots(ring, served.slots);
  for (size_t i = 0; i < pipes().size(); ++i)
    memory.addPipe(count);
}

bool ProducerLoop::fitInto(const SharedMemory &memory) {
  auto fits = [&] {
    SharedMemory with = memory;
    takeFrom(with);
    return with.fits();
  };
  const int64_t fewest = std::min<int64_t>(served.slots, 2);
  while (served.slots > fewest && !fits())
    --served.slots;
  return fits();
}

ProducerLoop producerLoopOf(tile::ForOp loop, const TargetInfo &target) {
  ProducerLoop plan;
  plan.loop = loop;
  plan.round = roundOf(loop);
  plan.served = loop.getServed()->getServed();
  for (tile::CopyOp copy : plan.round->getOps<tile::CopyOp>()) {
    std::optional<tile::TransfersAttr> transfers = copy.getTransfers();
    if (!transfers)
      continue;
    plan.copies.push_back(copy);
    plan.rings.push_back(copy.getDst().getDefiningOp<tile::AllocOp>());
    plan.slotBytes.push_back(
        tmaBoxOf(copy.getSrc(), copy.getDst(), *transfers, target).tileBytes());
  }
  return plan;
}

SmallVector<ProducerLoop, 1> producerLoopsOf(tile::KernelOp kernel, const TargetInfo &target) {
  SmallVector<ProducerLoop, 1> plans;
  kernel.walk([&](tile::ForOp loop) {
    if (loop.getServed())
      plans.push_back(producerLoopOf(loop, target));
  });
  return plans;
}

ProducerSlice sliceOf(tile::KernelOp kernel, ArrayRef<Value> written,
                      ArrayRef<ProducerLoop> plans) {
  ProducerSlice slice(kernel, written);
  for (const ProducerLoop &plan : plans)
    llvm::cantFail(slice.addRound(plan.loop, *plan.round, plan.copies)); // asked when it was found
  return slice;
}

void forgetProducer(tile::ForOp loop) {
  for (tile::CopyOp copy : roundOf(loop)->getOps<tile::CopyOp>())
    copy.removeTransfersAttr();
  loop.removeServedAttr();
  loop.getDeadFromMutable().clear();
}

bool hasWholeRings(ProducerLoop &plan, MutableArrayRef<ProducerLoop> plans) {
  for (tile::AllocOp ring : plan.rings)
    for (Operation *user : ring->getUsers())
      if (llvm::none_of(plans, [&](ProducerLoop &other) {
            return other.loop->isAncestor(user) && other.sharesRings(plan);
          }))
        return false;
  return true;
}

void keepWholeRings(SmallVectorImpl<ProducerLoop> &plans) {
  for (bool isStable = false; !isStable;) {
    auto bad =
        llvm::find_if_not(plans, [&](ProducerLoop &plan) { return hasWholeRings(plan, plans); });
    isStable = bad == plans.end();
    if (isStable)
      break;
    bad->loop.emitRemark() << noProducer
                           << "another loop uses its buffers, which has none or copies other ones";
    refuseSchedule(bad->loop, "another loop uses its buffers");
    forgetProducer(bad->loop);
    plans.erase(bad);
  }
}

} // namespace tilec
