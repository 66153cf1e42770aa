//===- FindProducers.cpp - which loops a producer warp can serve -----------===//
//
// Checks copies, readers and control flow of each pipelined loop. A copy is the producer's when TMA
// brings all of its tile, when nobody else writes the tile, and when the producer can come to it by
// itself (ProducerSlice.h). What is found is written down: `served` on the loop, `transfers` on its
// copies. How rounds run and how many slots there are is not asked here.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/ProducerLoop.h"
#include "Roles/ScheduleWishes.h"
#include "Roles/TmaBox.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_FINDPRODUCERSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// What a producer would bring for a loop.
struct Service {
  SmallVector<tile::CopyOp, 4> copies;
  SmallVector<tile::AllocOp, 4> rings;
  SmallVector<tile::TransfersAttr, 4> transfers;
  bool everyThread = false;
};

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

bool multipliesByWarpGroups(tile::ForOp loop) {
  return llvm::any_of(roundOf(loop)->getOps<tile::GemmOp>(),
                      [](tile::GemmOp gemm) { return gemm.getWarpGroup(); });
}

/// Adds the copy to what the producer does, or says why it cannot be.
llvm::Error takeCopy(tile::CopyOp copy, tile::ForOp loop, Service &service,
                     const Accesses &ofKernel, const TargetInfo &chip) {
  auto ring = copy.getDst().getDefiningOp<tile::AllocOp>();
  std::string target = quotedName(copy.getDst());
  if (!ring || loop->isAncestor(ring))
    return refuse(target + " is no whole buffer from outside of the loop");
  if (llvm::is_contained(service.rings, ring))
    return refuse(target + " is filled twice a round");
  llvm::Expected<TmaBox> box = planTmaBox(copy.getSrc(), copy.getDst(), chip);
  if (!box)
    return box.takeError();
  // Transfers begin at multiples of the swizzle's period; slots as well.
  if (int64_t period = box->periodBytes; box->tileBytes() % period != 0)
    return refuse(target + " is no multiple of " + Twine(period) + " bytes");
  for (Operation *user : ring->getUsers()) {
    Operation *inBody = copy->getBlock()->findAncestorOpInBlock(*user);
    if (!inBody && isInPipelinedLoop(user))
      continue; // keepWholeRings asks whether that loop has a producer
    if (!inBody || (user != copy && !copy->isBeforeInBlock(inBody)))
      return refuse(target + " is used outside of the loop, or before it is filled");
    if (user == copy || isa<tile::SubviewOp>(user))
      continue;
    if (llvm::is_contained(accessesOf(inBody).writes, ring.getResult()))
      return refuse(target + " is written by more than the copy");
    service.everyThread |= !isReadOnlyBy(inBody, ring.getResult());
  }
  if (isChangedBy(ofKernel.writes, rootOf(copy.getSrc())))
    return refuse("the kernel writes " + quotedName(copy.getSrc()) + ", from which it copies");
  service.copies.push_back(copy);
  service.rings.push_back(ring);
  service.transfers.push_back(box->transfers);
  return llvm::Error::success();
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

/// Says why when a producer cannot serve the loop. `ofKernel`: what its kernel accesses.
llvm::Expected<Service> serviceFor(tile::ForOp loop, tile::KernelOp kernel,
                                   const Accesses &ofKernel, const TargetInfo &target) {
  Service service;
  Block *round = roundOf(loop);
  if (!multipliesByWarpGroups(loop))
    return refuse("no warp groups multiply in it");
  if (loop.walk([&](tile::ForOp inner) {
            return inner != loop && isPipelined(inner) ? WalkResult::interrupt()
                                                       : WalkResult::advance();
          })
          .wasInterrupted())
    return refuse("another pipelined loop stands in it");
  if (copiesUnderCondition(round))
    return refuse(
        "a copy stands under a condition of its own: all threads start it, a round ahead");
  for (tile::CopyOp copy : round->getOps<tile::CopyOp>())
    if (copy.getSrc().getType().isGlobal())
      if (llvm::Error error = takeCopy(copy, loop, service, ofKernel, target))
        return std::move(error);
  if (service.copies.empty())
    return refuse("it copies nothing to shared memory");
  ProducerSlice slice(kernel, ofKernel.writes);
  if (llvm::Error error = slice.addRound(loop, *round, service.copies))
    return std::move(error);
  return service;
}

/// Marks the loops that a producer can serve, and says of the others why not.
class Finder {
public:
  Finder(tile::KernelOp kernel, const TargetInfo &target)
      : kernel(kernel), target(target), ofKernel(accessesOf(kernel)) {}

  void visit(tile::ForOp loop) {
    if (loop.getKind() != tile::LoopKind::Pipelined)
      return;
    const int64_t stages = loop.getStages();
    if (stages < 1)
      return leaveOut(loop, "nothing runs ahead with num_stages=0");
    // One stage asks for no ring. `tile-choose-rounds` says which of such loops have a producer.
    const bool mayHaveNone = stages == 1;
    const std::string none = mayHaveNone ? "nothing runs ahead with num_stages=1" : "";
    if (roundOf(loop)->getOps<tile::GemmOp>().empty())
      return leaveOut(loop, mayHaveNone ? none : "it has no gemm");
    if (!multipliesByWarpGroups(loop))
      return leaveOut(loop,
                      mayHaveNone ? none : "no warp groups multiply in it; --remarks says why");
    llvm::Expected<Service> service = serviceFor(loop, kernel, ofKernel, target);
    if (!service) {
      std::string reason = llvm::toString(service.takeError());
      if (mayHaveNone)
        return leaveOut(loop, none);
      loop.emitRemark() << noProducer << reason;
      return leaveOut(loop, "no producer warp copies for it: " + reason);
    }
    for (auto [copy, transfers] : llvm::zip(service->copies, service->transfers))
      copy.setTransfersAttr(transfers);
    tile::Served served;
    served.slots = stages;
    served.everyThread = service->everyThread;
    loop.setServedAttr(tile::ServedAttr::get(kernel.getContext(), served));
    found = true;
  }

  bool found = false;
  std::string why; ///< the first of the others has none

private:
  void leaveOut(tile::ForOp loop, const Twine &reason) {
    if (why.empty())
      why = reason.str();
    refuseSchedule(loop, reason);
  }

  tile::KernelOp kernel;
  const TargetInfo &target;
  Accesses ofKernel;
};

void findProducers(tile::KernelOp kernel, const TargetInfo &target, StringRef strategy) {
  if (!target.tensorCopies)
    return;
  if (std::string why = whyNoProducer(kernel, target); !why.empty()) {
    kernel.walk([&](tile::ForOp loop) { refuseSchedule(loop, why); });
    return refuseEverywhere(kernel, strategy, why);
  }
  Finder finder(kernel, target);
  kernel.walk([&](tile::ForOp loop) { finder.visit(loop); });
  if (!finder.found)
    refuseEverywhere(kernel, strategy, finder.why.empty() ? "no loop is pipelined" : finder.why);
}

struct FindProducersPass : impl::FindProducersPassBase<FindProducersPass> {
  using FindProducersPassBase::FindProducersPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      findProducers(kernel, *chip, strategy);
  }
};
} // namespace

} // namespace tilec
