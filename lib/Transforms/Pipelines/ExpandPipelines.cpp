//===- ExpandPipelines.cpp - which way each pipelined loop goes -----------===//
//
// A loop's copies run ahead in rings (RunAhead). Where shared memory holds one slot, or tiles
// cannot be copied without registers, the next round's may wait in those (HeldRounds), or the
// copies of a round start together (RunAhead::copyTogether).
//
// A loop that is a matrix product and nothing else keeps its iterations in order:
// `wave-schedule` plans its copies together with the rest (docs/machine-code/scheduling.md).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/GemmPlan.h"
#include "Memory/SharedMemory.h"
#include "Normalize/Normalize.h"
#include "Pipelines/Ahead.h"
#include "Pipelines/AsyncPieces.h"
#include "Pipelines/BesideProducer.h"
#include "Pipelines/FragmentRounds.h"
#include "Pipelines/HalfRounds.h"
#include "Pipelines/HeldRounds.h"
#include "Pipelines/LoopMemory.h"
#include "Pipelines/Pipeline.h"
#include "Pipelines/RowNumbers.h"
#include "Pipelines/RunAhead.h"
#include "Pipelines/Schedulable.h"
#include "Pipelines/SharedRows.h"
#include "Roles/ProducerLoop.h"
#include "Roles/ScheduleWishes.h"

#include "tilec/Analysis/AsyncCopies.h"
#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Base/Math.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_EXPANDPIPELINESPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

struct ExpandPipelinesPass : impl::ExpandPipelinesPassBase<ExpandPipelinesPass> {
  using ExpandPipelinesPassBase::ExpandPipelinesPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      expandKernel(kernel, *chip);
    eraseDeadOps(getOperation());
    foldViews(getOperation());
    eraseDeadOps(getOperation());
  }

  /// The next round's tiles of a loop of products wait in registers, where those have room. Tiles
  /// that copies without registers could bring are read in accesses of so many `bytes`; 0: the
  /// widest.
  static bool holdNextRound(HeldRounds &held, const SharedMemory &memory, const TargetInfo &chip,
                            int64_t fewestWaves = 0, int64_t bytes = 0) {
    // Copies that need no registers are better at pieces that are narrower than an access. Parts of
    // words each take a register: with matrix instructions of half the depth, as targets have whose
    // copies are narrow, too, that is slower (docs/machine-code/pipelining.md).
    constexpr int64_t wordBytes = 4; // of a register
    auto suits = [&](Operation *fill) {
      if (held.isBesideCopies() && held.isLittle(fill))
        return true;
      auto copy = dyn_cast<tile::CopyOp>(fill);
      if (copy && asyncPieceBytes(copy.getSrc(), copy.getDst(), chip) != 0)
        return held.readsPieces(fill, bytes != 0 ? bytes : chip.accessBytes);
      return held.readsPieces(fill, copiesWidePieces(chip) ? wordBytes / 2 : wordBytes);
    };
    return !held.fills().empty() && llvm::all_of(held.fills(), suits) && held.fits(fewestWaves) &&
           held.hasRoom(memory) && held.expand();
  }

  static bool mayHold(tile::ForOp loop) {
    return !roundOf(loop)->getOps<tile::GemmOp>().empty() &&
           !loop->getParentOfType<tile::KernelOp>().getLockstep();
  }

  static bool multiplies(tile::ForOp loop) {
    return loop.walk([](tile::GemmOp) { return WalkResult::interrupt(); }).wasInterrupted();
  }

  /// A loop of which some tiles cannot be copied without registers, and the others only in narrow
  /// pieces, or not ahead: all wait in registers. False where it is no such loop.
  static bool holdMixedRound(tile::ForOp loop, const PipelinePlan &plan, LoopMemory &memory,
                             const TargetInfo &chip) {
    bool keepsSlots = plan.stages > 1 && (copiesWidePieces(chip) || loop.getExact());
    if (!mayHold(loop) || keepsSlots)
      return false;
    HeldRounds held(loop, chip);
    held.readFewUnlessFits(HeldRounds::enoughWaves);
    bool isMixed = !held.readers().empty() || llvm::any_of(held.fills(), [&](Operation *fill) {
      return !llvm::is_contained(plan.fills, fill);
    });
    if (!held.isAll() || !isMixed)
      return false;
    SharedMemory ofOneSlot = memory.now();
    for (tile::AllocOp ring : plan.rings)
      ofOneSlot.setSlots(ring, 1);
    // The alternative is a round that waits for what it reads itself. Reads of rounds under a
    // condition are done in any case, and halves of them cost more than that (0.86).
    bool isEachRound = roundOf(loop) == loop.bodyBlock();
    return holdNextRound(held, ofOneSlot, chip, HeldRounds::enoughWaves,
                         chip.accessBytes / (isEachRound ? 2 : 1));
  }

  /// Whether the one wait of a round is for all copies that are under way.
  static bool waitsForAll(const PipelinePlan &plan, const TargetInfo &chip) {
    return plan.stages == 2 && chip.asyncCopies.completion != Completion::Groups && !plan.round &&
           !plan.second && plan.deeperSlots == 0 && !plan.awaitedAt && !plan.fillsBehind;
  }

  /// Whether narrow copies, which are many, cost a round more than accesses of registers do: those
  /// of a second group, as a wait for each, or in a number of slots that takes a product and a
  /// quotient. Of a second slot's depth alone they do not. What the round writes to tensors would
  /// be waited for with what it reads ahead.
  static bool copiesCostMore(const PipelinePlan &plan, tile::ForOp loop) {
    return !plan.round && !anyGlobal(accessesOf(loop).writes) &&
           (plan.awaitedAt || plan.stages > 2);
  }

  /// A loop of which further slots do not keep copies in flight, or cost more than they save: its
  /// tiles wait in registers, where copies are narrow. Wide ones and a wait are as fast, or faster
  /// by a tenth.
  static bool holdInsteadOfSlots(tile::ForOp loop, const PipelinePlan &plan, LoopMemory &memory,
                                 const TargetInfo &chip) {
    if (copiesWidePieces(chip) || !(waitsForAll(plan, chip) || copiesCostMore(plan, loop)) ||
        !mayHold(loop) || loop.getExact())
      return false;
    HeldRounds held(loop, chip);
    held.readFewUnlessFits(HeldRounds::enoughWaves);
    SharedMemory ofOneSlot = memory.now();
    for (tile::AllocOp ring : plan.rings)
      ofOneSlot.setSlots(ring, 1);
    return held.isAll() && holdNextRound(held, ofOneSlot, chip, HeldRounds::enoughWaves);
  }

  /// What the plan does not copy goes through registers, a round ahead: tiles beside copies in wide
  /// pieces, and of what takes a few registers (scales) beside all.
  static bool holdOthers(tile::ForOp loop, HeldRounds &held, const PipelinePlan &plan,
                         LoopMemory &memory, const TargetInfo &chip) {
    bool isLockstep = loop->getParentOfType<tile::KernelOp>().getLockstep();
    if (isLockstep || plan.round || plan.numbers != 0 || !held.isAll())
      return false;
    if (held.fills().empty())
      return !held.readers().empty() && held.expand(); // a few registers
    if (!mayHold(loop))
      return false;
    bool areLittle =
        llvm::all_of(held.fills(), [&](Operation *fill) { return held.isLittle(fill); });
    if (!copiesWidePieces(chip) && !areLittle)
      return false;
    SharedMemory withPlan = memory.now();
    setSlots(plan, withPlan);
    return holdNextRound(held, withPlan, chip, HeldRounds::enoughWaves);
  }

  /// A round whose other tiles a producer brings: what the round itself reads of tensors waits in
  /// registers.
  static bool holdBesideProducer(tile::ForOp loop, LoopMemory &memory, const TargetInfo &chip) {
    if (loop.bodyBlock()->getOps<tile::PipeWaitOp>().empty() || !mayHold(loop))
      return false;
    HeldRounds held(loop, chip);
    return held.isAll() && holdNextRound(held, memory.now(), chip, HeldRounds::enoughWaves);
  }

  /// Whether one slot of each of the plan's tiles has room beside all that a round needs.
  static bool hasRoom(const PipelinePlan &plan, tile::ForOp loop, const TargetInfo &chip) {
    SharedMemory memory(loop->getParentOfType<tile::KernelOp>(), chip);
    for (tile::AllocOp ring : plan.rings)
      memory.keepDuring(loop, ring);
    return memory.fits();
  }

  /// A loop of products without room to run ahead: its copies at least overlap each other, where
  /// what they fill has room beside all that a round needs, and no assembler moves loads up anyway.
  static bool copyTogether(tile::ForOp loop, const TargetInfo &chip) {
    if (!chip.keepsOrder || loop.bodyBlock()->getOps<tile::GemmOp>().empty())
      return false;
    PipelinePlan plan = planPipeline(loop, chip);
    plan.stages = 1;
    bool fits = !plan.isEmpty() && hasRoom(plan, loop, chip);
    if (fits)
      RunAhead(loop, plan).copyTogether();
    return fits;
  }

  /// A loop that nobody wants to run ahead.
  static void expandPlain(tile::ForOp loop, LoopMemory &memory, const TargetInfo &chip) {
    refuseSchedule(loop, "nothing runs ahead with num_stages=" + Twine(loop.getStages()));
    loop.setStages(1);
    loop.setKind(loop.getKind() == tile::LoopKind::Pipelined ? tile::LoopKind::Serial
                                                             : loop.getKind());
    if (gatherBesideProducer(loop, memory, chip))
      return;
    if (holdBesideProducer(loop, memory, chip) || copyTogether(loop, chip))
      memory.forget();
  }

  /// A loop that should have run ahead, and cannot.
  static void expandAlone(tile::ForOp loop, PipelinePlan &plan, LoopMemory &memory,
                          const TargetInfo &chip, StringRef why) {
    refuseSchedule(loop, plan.isEmpty() ? "no copy can run ahead" : why);
    loop.setKind(tile::LoopKind::Serial);
    if (FragmentRounds fragments(loop, chip); plan.isEmpty() && fragments.fits()) {
      loop.emitRemark() << "fragments are read a round ahead";
      fragments.expand();
      return memory.forget();
    }
    HeldRounds held(loop, chip);
    held.readFewUnlessFits();
    bool isLockstep = loop->getParentOfType<tile::KernelOp>().getLockstep();
    if (!isLockstep && holdNextRound(held, memory.now(), chip))
      return memory.forget();
    PipelinePlan turns = plan;
    if (canTakeTurns(turns, loop, chip) && hasRoom(turns, loop, chip)) {
      loop.emitRemark() << "a tile is copied while another is read";
      return memory.replace(loop, turns, RunAhead(loop, turns).run());
    }
    if (copyTogether(loop, chip))
      memory.forget();
    else
      memory.leave(loop, plan);
  }

  /// Rows that lanes share are tiles of the plan, where that costs neither slots nor blocks.
  static void copySharedRows(tile::ForOp loop, PipelinePlan &plan, LoopMemory &memory,
                             const TargetInfo &chip) {
    if (plan.stages < 2)
      return;
    auto blocksOf = [&](const PipelinePlan &of) {
      return competes(loop, chip) ? blocksWith(of, of.stages, loop, memory.wished(), chip) : 1;
    };
    int64_t blocks = blocksOf(plan);
    SharedRows rows(loop, chip);
    if (rows.isEmpty())
      return;
    memory.forget();
    PipelinePlan withRows = planThatFits(loop, memory, chip);
    if (withRows.stages == plan.stages && rows.areCopiedBy(withRows) &&
        blocksOf(withRows) == blocks) {
      rows.keep();
      plan = withRows;
      return;
    }
    rows.undo();
    memory.forget();
    plan = planThatFits(loop, memory, chip);
  }

  static void expandLoop(tile::ForOp loop, LoopMemory &memory, const TargetInfo &chip) {
    if (loop.getStages() > 1 && hasOneRound(loop) && !multiplies(loop))
      loop.setStages(1); // what is behind its end would be brought again
    if (loop.getStages() < 2)
      return expandPlain(loop, memory, chip);
    RowNumbers numbers(loop, chip);
    auto undoNumbers = [&] {
      if (numbers.isEmpty())
        return;
      numbers.undo();
      memory.forget();
    };
    if (!numbers.isEmpty())
      memory.forget();
    PipelinePlan plan = planThatFits(loop, memory, chip);
    if (plan.stages > 1 && gathersTakeUnit(plan, loop, memory, chip)) {
      SmallVector<tile::AllocOp> gathered;
      for (auto [n, ring] : llvm::enumerate(plan.rings))
        if (!plan.copyAt(n))
          gathered.push_back(ring);
      undoNumbers();
      plan = planThatFits(loop, memory, chip, /*withGathers=*/false);
      for (tile::AllocOp ring : gathered)
        memory.wished().setSlots(ring, 1);
    } else if (!numbers.isEmpty() && (plan.stages < 2 || plan.numbers == 0)) {
      undoNumbers();
      plan = planThatFits(loop, memory, chip);
    }
    leaveConditions(plan, loop, memory, chip);
    int64_t asked = loop.getStages();
    if (holdMixedRound(loop, plan, memory, chip)) {
      loop.emitRemark() << "pipelined with one slot instead of " << asked
                        << ": the next round's tiles wait in registers, as some cannot be copied "
                           "without";
      refuseSchedule(loop, "its tiles run ahead in registers");
      loop.setStages(1);
      loop.setKind(tile::LoopKind::Serial);
      return memory.forget();
    }
    if (numbers.isEmpty())
      copySharedRows(loop, plan, memory, chip);
    if (plan.stages < int64_t(loop.getStages()))
      loop.emitRemark() << "pipelined with " << plan.stages << " instead of " << loop.getStages()
                        << " stages: "
                        << (plan.isEmpty() ? "no copy can run ahead"
                                           : "shared memory holds no more");
    loop.setStages(plan.stages);
    if (plan.stages < 2)
      return expandAlone(loop, plan, memory, chip, "shared memory holds no more than one stage");
    llvm::Expected<MatrixLoop> matrix = matrixLoop(loop, plan, chip);
    if (matrix) {
      shareUnit(plan, loop, memory, chip);
      loop.setStages(plan.stages);
      return memory.replace(loop, plan, RunAhead(loop, plan).rotate());
    }
    std::string reason = llvm::toString(matrix.takeError());
    if (takeTurnsForBlocks(plan, loop, memory, chip)) {
      refuseSchedule(loop, reason);
      return memory.replace(loop, plan, RunAhead(loop, plan).run());
    }
    leaveRoomForBlocks(plan, loop, memory, chip);
    loop.setStages(plan.stages);
    if (plan.stages < 2) {
      undoNumbers();
      plan = planThatFits(loop, memory, chip);
      return expandAlone(loop, plan, memory, chip, "a second stage takes the room of a block");
    }
    leaveCopiesInFlight(plan, loop, memory, chip);
    bool hasWish = loop.getStrategy().has_value();
    refuseSchedule(loop, reason);
    if (holdInsteadOfSlots(loop, plan, memory, chip)) {
      loop.emitRemark() << "pipelined with one slot: the next round's tiles wait in registers, as "
                        << (waitsForAll(plan, chip) ? "a second slot leaves no copy in flight"
                                                    : "narrow copies to slots cost more");
      loop.setStages(1);
      loop.setKind(tile::LoopKind::Serial);
      return memory.forget();
    }
    if (!hasWish && chip.keepsOrder && !loop.bodyBlock()->getOps<tile::GemmOp>().empty())
      loop.emitRemark() << "pipelined without a planned schedule: " << reason;
    HeldRounds held(loop, chip, plan.fills);
    bool isBeside = holdOthers(loop, held, plan, memory, chip);
    plan.fillsBehind =
        (!isBeside || held.fills().empty()) && (plan.fillsBehind || fillsBehind(plan, chip));
    memory.replace(loop, plan, RunAhead(loop, plan).run(isBeside ? &held : nullptr));
  }

  /// Two slots, of which a wait for the one would be a wait for everything: a second barrier costs
  /// less. Where the compiler keeps the order of a round, copies stand where it has them.
  static bool fillsBehind(const PipelinePlan &plan, const TargetInfo &chip) {
    return plan.stages == 2 && chip.asyncCopies.completion == Completion::Groups && !plan.second &&
           plan.deeperSlots == 0 && !plan.awaitedAt && plan.numbers == 0;
  }

  static void expandKernel(tile::KernelOp kernel, const TargetInfo &chip) {
    SmallVector<tile::ForOp> loops;
    kernel.walk([&](tile::ForOp loop) { loops.push_back(loop); });
    LoopMemory memory(kernel, chip, loops);
    for (tile::ForOp loop : loops)
      expandLoop(loop, memory, chip);
  }
};

} // namespace

} // namespace tilec
