//===- Facts.cpp - what holds between two passes, looked up in the IR -----===//
//
// One function a fact about tile programs: takes the IR, gives the first op that breaks it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Contracts/Rounds.h"
#include "Contracts/Snapshot.h"
#include "Contracts/WaveFacts.h"
#include "Layouts/GemmPlan.h"
#include "Layouts/LoopLayout.h"
#include "Layouts/Stores.h"
#include "Memory/SharedMemory.h"
#include "Roles/ProducerLoop.h"

#include "tilec/Analysis/AsyncCopies.h"
#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilec {

std::optional<Breach>
firstBreach(Operation *root,
            llvm::function_ref<std::optional<std::string>(Operation *)> complaintAbout) {
  std::optional<Breach> found;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    std::optional<std::string> text = complaintAbout(op);
    if (!text)
      return WalkResult::advance();
    found = Breach{"`" + op->getName().getStringRef().str() + "` " + *text, op->getLoc()};
    return WalkResult::interrupt();
  });
  return found;
}

namespace {

using Complaint = std::optional<std::string>;

//===----------------------------------------------------------------------===//
// Forms of operations
//===----------------------------------------------------------------------===//

/// Registers can be seen in another shape through indices, memory and other bits cannot.
bool isFoldedAway(tile::ReshapeOp view) {
  return (view.getType().isFragment() || view.getType().isLocal()) &&
         view.getType().getElementType() == view.getSource().getType().getElementType();
}

bool isInRegisters(Value buffer) {
  auto type = cast<tile::BufferType>(buffer.getType());
  return type.isFragment() || type.isLocal();
}

Complaint usesView(Operation *op) {
  Value buffer = llvm::TypeSwitch<Operation *, Value>(op)
                     .Case<tile::LoadOp, tile::StoreOp, tile::AtomicOp>(
                         [](auto access) { return access.getBuffer(); })
                     .Default([](Operation *) { return Value(); });
  if (!buffer)
    return std::nullopt;
  auto reshape = buffer.getDefiningOp<tile::ReshapeOp>();
  bool isView = buffer.getDefiningOp<tile::SubviewOp>() || (reshape && isFoldedAway(reshape));
  return isView ? Complaint("names a view") : std::nullopt;
}

Complaint standsInParallel(Operation *op) {
  bool isTile = isa<tile::CopyOp, tile::FillOp, tile::ReduceOp>(op);
  return isTile && op->getParentOfType<tile::ParallelOp>() ? Complaint("stands in a parallel")
                                                           : std::nullopt;
}

Complaint isBreak(Operation *op) {
  return isa<tile::BreakOp>(op) ? Complaint("is left") : std::nullopt;
}

Complaint waitsForPlace(Operation *op) {
  auto alloc = dyn_cast<tile::AllocOp>(op);
  return alloc && alloc.getWasLocal() ? Complaint("has no place for good") : std::nullopt;
}

Complaint hasOtherExtents(Operation *op) {
  auto loop = dyn_cast<tile::ParallelOp>(op);
  return loop && !loop.constantExtents() ? Complaint("has extents that only the run knows")
                                         : std::nullopt;
}

Complaint isNested(Operation *op) {
  return isa<tile::ParallelOp>(op) && op->getParentOfType<tile::ParallelOp>()
             ? Complaint("stands in another one")
             : std::nullopt;
}

Complaint touchesLooseElement(Operation *op) {
  Value buffer;
  if (auto load = dyn_cast<tile::LoadOp>(op))
    buffer = load.getBuffer();
  else if (auto store = dyn_cast<tile::StoreOp>(op))
    buffer = store.getBuffer();
  bool isLoose = buffer && cast<tile::BufferType>(buffer.getType()).isFragment() &&
                 !op->getParentOfType<tile::ElementLoop>();
  return isLoose ? Complaint("touches an element of a fragment outside of a parallel")
                 : std::nullopt;
}

/// A parallel that stands in no other one, or nothing.
tile::ParallelOp outermostLoop(Operation *op) {
  auto loop = dyn_cast<tile::ParallelOp>(op);
  return loop && !loop->getParentOfType<tile::ParallelOp>() ? loop : tile::ParallelOp();
}

Complaint isUnnamedFill(Operation *op) {
  tile::ParallelOp loop = outermostLoop(op);
  return loop && onlyFills(loop) ? Complaint("is a fill and nothing else") : std::nullopt;
}

Complaint copiesRegisters(Operation *op) {
  auto copy = dyn_cast<tile::CopyOp>(op);
  return copy && (isInRegisters(copy.getSrc()) || isInRegisters(copy.getDst()))
             ? Complaint("copies registers")
             : std::nullopt;
}

Complaint fillsPart(Operation *op) {
  auto fill = dyn_cast<tile::FillOp>(op);
  return fill && !isWholeTile(fill.getDst())
             ? Complaint("fills something else than a whole tile on the chip")
             : std::nullopt;
}

Complaint isUnnamedMove(Operation *op) {
  tile::ParallelOp loop = outermostLoop(op);
  return loop && tile::MoveOp::isBodyOf(loop) ? Complaint("is a move and nothing else")
                                              : std::nullopt;
}

/// A is read from memory in a box, too, and so is B.
Complaint takesPart(Operation *op) {
  auto isFragment = [](Value buffer) {
    return cast<tile::BufferType>(buffer.getType()).isFragment() &&
           buffer.getDefiningOp<tile::AllocOp>();
  };
  auto isFactor = [&](Value buffer) {
    return cast<tile::BufferType>(buffer.getType()).isShared() || isFragment(buffer);
  };
  bool isWhole =
      llvm::TypeSwitch<Operation *, bool>(op)
          .Case([&](tile::GemmOp gemm) {
            return isFactor(gemm.getA()) && isFactor(gemm.getB()) && isFragment(gemm.getC());
          })
          .Case<tile::ReduceOp, tile::ScanOp>([&](auto combined) {
            return isFragment(combined.getSrc()) && isFragment(combined.getDst());
          })
          .Default([](Operation *) { return true; });
  return isWhole ? std::nullopt : Complaint("has an operand that is no whole fragment");
}

/// No layout of its own, or no atoms that the target has.
Complaint isOpen(Operation *op, const TargetInfo &target) {
  if (auto alloc = dyn_cast<tile::AllocOp>(op)) // the verifier compares shapes
    return alloc.getLayout() || !alloc.getResult().getType().isFragment()
               ? std::nullopt
               : Complaint("has no layout");
  auto gemm = dyn_cast<tile::GemmOp>(op);
  if (!gemm)
    return std::nullopt;
  llvm::Expected<GemmPlan> plan =
      gemmPlanOf(gemm, target, wavesOf(gemm->getParentOfType<tile::KernelOp>(), target));
  return plan ? std::nullopt : Complaint(llvm::toString(plan.takeError()));
}

Complaint lacksLayout(Operation *op, const TargetInfo &target) {
  if (Complaint open = isOpen(op, target))
    return open;
  if (auto alloc = dyn_cast<tile::AllocOp>(op))
    return alloc.getLayout() || alloc.getResult().getType().isLocal() ? std::nullopt
                                                                      : Complaint("has no layout");
  auto gemm = dyn_cast<tile::GemmOp>(op);
  if (!gemm || gemm.getC() != rootOf(gemm.getC()))
    return std::nullopt;
  const FragmentLayout *c = fragmentLayoutOf(gemm.getC());
  GemmPlan plan = llvm::cantFail(
      gemmPlanOf(gemm, target, wavesOf(gemm->getParentOfType<tile::KernelOp>(), target)));
  return c && plan.c != *c ? Complaint("multiplies into a C that has another layout than its atoms")
                           : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Producers
//===----------------------------------------------------------------------===//

Complaint isLeftToThreads(Operation *op) {
  auto copy = dyn_cast<tile::CopyOp>(op);
  if (!copy || copy.getTransfers() || !copy.getSrc().getType().isGlobal())
    return std::nullopt;
  auto loop = copy->getParentOfType<tile::ForOp>();
  bool isOfRound = loop && loop.getServed() && roundOf(loop) == copy->getBlock();
  return isOfRound ? Complaint("stands in a round of a served loop and is left to the threads")
                   : std::nullopt;
}

Complaint sharesRings(Operation *op, const TargetInfo &target) {
  auto kernel = dyn_cast<tile::KernelOp>(op);
  if (!kernel)
    return std::nullopt;
  SmallVector<ProducerLoop, 1> plans = producerLoopsOf(kernel, target);
  for (ProducerLoop &plan : plans) {
    if (!hasWholeRings(plan, plans))
      return "has loops with and without a producer that use one ring";
    for (ProducerLoop &other : plans)
      if (other.sharesRings(plan) && other.served.slots != plan.served.slots)
        return "has loops with " + std::to_string(plan.served.slots) + " and " +
               std::to_string(other.served.slots) + " slots that use one ring";
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

Complaint hasStages(Operation *op) {
  auto loop = dyn_cast<tile::ForOp>(op);
  if (loop && (loop.getStages() != 1 || loop.getKind() == tile::LoopKind::Pipelined))
    return "has " + std::to_string(loop.getStages()) + " stages and is still to be pipelined";
  return std::nullopt;
}

/// Whether a wait for copies stands at the op or in front of it in its block, with a barrier behind
/// the wait: `isBehindBarrier` says whether one has been met already. Where a loop may have no
/// rounds, its first copies and the wait for them stand in a branch in front.
bool isAwaitedUpTo(Operation *op, bool &isBehindBarrier) {
  for (; op; op = op->getPrevNode()) {
    isBehindBarrier |= isa<tile::BarrierOp>(op);
    if (isBehindBarrier && isa<tile::AsyncWaitOp>(op))
      return true;
    auto branch = dyn_cast<scf::IfOp>(op);
    if (branch && isAwaitedUpTo(&branch.thenBlock()->back(), isBehindBarrier))
      return true;
  }
  return false;
}

/// Whether the op is reached through a wait for copies, and then a barrier. Which copies these are,
/// and whether they are awaited on either way, the walk through the rounds tells.
bool standsBehindWait(Operation *op) {
  bool isBehindBarrier = false;
  for (; op && !isa<tile::KernelOp>(op); op = op->getParentOp())
    if (op->getPrevNode() && isAwaitedUpTo(op->getPrevNode(), isBehindBarrier))
      return true;
  return false;
}

std::optional<Breach> copyWithoutWait(Operation *root, const TargetInfo &target) {
  llvm::SmallPtrSet<Value, 4> rings;
  root->walk([&](Operation *op) {
    if (isAsyncCopy(op))
      rings.insert_range(accessesOf(op).writes);
  });
  std::optional<Breach> found = firstBreach(root, [&](Operation *op) -> Complaint {
    if (isAsyncCopy(op)) {
      // One of a round that may be left out stands in a branch, behind which its group ends.
      for (Operation *at : {op, op->getParentOp()})
        for (Operation *next = at->getNextNode(); next; next = next->getNextNode())
          if (isa<tile::AsyncCommitOp>(next))
            return std::nullopt;
      return "belongs to no group";
    }
    bool isLeaf = op->getNumRegions() == 0 || isa<tile::ElementLoop>(op);
    if (!isLeaf || isa<tile::SubviewOp, tile::ReshapeOp, tile::Im2colOp>(op) ||
        op->getParentOfType<tile::ElementLoop>())
      return std::nullopt;
    for (Value read : accessesOf(op).reads)
      if (rings.contains(read) && !standsBehindWait(op))
        return "reads what an asynchronous copy brings without a wait and a barrier before it";
    return std::nullopt;
  });
  root->walk([&](tile::KernelOp kernel) {
    if (!found)
      found = touchedInFlight(kernel, target);
  });
  return found;
}

/// Bytes that a copy into a tile brings: the last panel of a row may be padded.
int64_t bytesBroughtTo(Value tile) {
  auto type = cast<tile::BufferType>(tile.getType());
  const SharedLayout *layout = sharedLayoutOf(boxRootOf(tile));
  int64_t cols = type.getShape().back(), stored = cols;
  if (layout && layout->panelElems != 0)
    stored = layout->panels() * layout->panelElems;
  return storageBytes(tile::dtypeOf(type.getElementType()), type.numElems() / cols * stored);
}

Complaint fillsWrongBytes(Operation *op) {
  if (isa<tile::TmaCopyOp, tile::PipeAcquireOp>(op))
    return op->getParentOfType<tile::ProducerOp>() ? std::nullopt
                                                   : Complaint("stands outside of a producer");
  auto pipe = dyn_cast<tile::PipeOp>(op);
  if (!pipe)
    return std::nullopt;
  bool isAwaited = false;
  for (Operation *user : pipe->getUsers()) {
    isAwaited |= isa<tile::PipeWaitOp>(user);
    auto acquire = dyn_cast<tile::PipeAcquireOp>(user);
    if (!acquire)
      continue;
    int64_t bytes = 0;
    for (Operation *copy : acquire->getUsers())
      if (auto transfer = dyn_cast<tile::TmaCopyOp>(copy))
        bytes += bytesBroughtTo(transfer.getDst());
    if (bytes != int64_t(pipe.getBytes()))
      return "awaits " + std::to_string(pipe.getBytes()) + " bytes a fill, which brings " +
             std::to_string(bytes);
  }
  return isAwaited ? std::nullopt : Complaint("is awaited by nobody");
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

std::optional<Breach> misplaced(Operation *root, const TargetInfo &target) {
  return firstBreach(root, [&](Operation *op) -> Complaint {
    auto kernel = dyn_cast<tile::KernelOp>(op);
    std::string wrong = kernel ? misplacedIn(kernel, target) : "";
    return wrong.empty() ? std::nullopt : Complaint(wrong);
  });
}

/// What another run of a pass that adds synchronisation would add.
std::optional<Breach> notSettled(Operation *root, std::unique_ptr<Pass> pass) {
  std::optional<Breach> found;
  root->walk<WalkOrder::PreOrder>([&](tile::ProgramOp program) {
    OwningOpRef<tile::ProgramOp> again(program.clone());
    Snapshot before(*again, {/*all=*/true, {}, ""});
    ScopedDiagnosticHandler quiet(program.getContext(), [](Diagnostic &) { return success(); });
    PassManager manager(program.getContext(), tile::ProgramOp::getOperationName());
    manager.addPass(std::move(pass));
    if (failed(manager.run(*again)))
      found = Breach{"threads cannot be kept apart", program.getLoc()};
    else if ((found = before.differenceFrom(*again)))
      found->text = "synchronisation is missing: " + found->text;
    return WalkResult::interrupt();
  });
  return found;
}

/// A warp group waits for its turn until the one before it has multiplied: that one must not wait
/// for all others in between.
Complaint meetsInTurn(Operation *op) {
  if (!isa<tile::BarrierOp, tile::ClusterBarrierOp, tile::SyncThreadsOp, tile::GridSyncOp,
           tile::BlockVoteOp>(op))
    return std::nullopt;
  for (Operation *at = op; at && !isa<tile::KernelOp>(at); at = at->getParentOp())
    for (Operation *before = at->getPrevNode(); before; before = before->getPrevNode())
      if (auto turn = dyn_cast<tile::GroupTurnOp>(before)) {
        if (!turn.getPass())
          return "lets all warp groups meet between a turn and its end";
        break;
      }
  return std::nullopt;
}

} // namespace

std::optional<Breach> breachOf(Fact fact, Operation *root, const TargetInfo &target) {
  switch (fact) {
  case Fact::WholeBuffers:
    return firstBreach(root, usesView);
  case Fact::ThreadsApart:
    return notSettled(root, createSeparateThreadsPass());
  case Fact::OuterTiles:
    return firstBreach(root, standsInParallel);
  case Fact::NoBreaks:
    return firstBreach(root, isBreak);
  case Fact::PlacedLocals:
    return firstBreach(root, waitsForPlace);
  case Fact::ConstantExtents:
    return firstBreach(root, hasOtherExtents);
  case Fact::FlatLoops:
    return firstBreach(root, isNested);
  case Fact::LiftedElements:
    return firstBreach(root, touchesLooseElement);
  case Fact::NamedFills:
    return firstBreach(root, isUnnamedFill);
  case Fact::MovedRegisters:
    return firstBreach(root, copiesRegisters);
  case Fact::WholeFills:
    return firstBreach(root, fillsPart);
  case Fact::NamedMoves:
    return firstBreach(root, isUnnamedMove);
  case Fact::WholeOperands:
    return firstBreach(root, takesPart);
  case Fact::FragmentLayouts:
    return firstBreach(root, [&](Operation *op) { return isOpen(op, target); });
  case Fact::Layouts:
    return firstBreach(root, [&](Operation *op) { return lacksLayout(op, target); });
  case Fact::BroughtTiles:
    return firstBreach(root, isLeftToThreads);
  case Fact::WholeRings:
    return firstBreach(root, [&](Operation *op) { return sharesRings(op, target); });
  case Fact::OneStage:
    return firstBreach(root, hasStages);
  case Fact::CopiesWaited:
    return copyWithoutWait(root, target);
  case Fact::PipesFilled:
    return firstBreach(root, fillsWrongBytes);
  case Fact::Places:
    return misplaced(root, target);
  case Fact::Barriers:
    if (std::optional<Breach> breach = firstBreach(root, meetsInTurn))
      return breach;
    return notSettled(root, createPlaceBarriersPass());
  case Fact::OneDialect:
    return firstBreach(root, hasTileOp);
  case Fact::OnTarget:
    return firstBreach(root, [&](Operation *op) { return isMissingOn(op, target); });
  case Fact::Planned:
    return firstBreach(root, waitsForOrder);
  }
  llvm_unreachable("unknown fact");
}

} // namespace tilec
