//===- PlanPipeline.cpp - which copies run ahead, and how far -------------===//
//
// Decides; changes nothing. docs/machine-code/pipelining.md has the rules.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/GemmPlan.h"
#include "Layouts/LoopLayout.h"
#include "Pipelines/Ahead.h"
#include "Pipelines/AsyncPieces.h"
#include "Pipelines/CopyFinder.h"
#include "Pipelines/Gather.h"
#include "Pipelines/LoopMemory.h"
#include "Pipelines/Pipeline.h"
#include "Roles/ProducerLoop.h"
#include "Roles/RingSlots.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Base/Math.h"

#include <numeric>

using namespace mlir;

namespace tilec {

int64_t PipelinePlan::slotsOf(size_t ring) const {
  if (ring >= numbers)
    return deeperSlots != 0 && ring >= second ? deeperSlots : stages;
  // What is brought in front of the loop, and one more.
  return int64_t(llvm::PowerOf2Ceil(numbersAhead() + 1));
}

tile::CopyOp PipelinePlan::partAt(size_t n) const {
  tile::CopyOp copy = copyAt(n);
  return copy && isOfPart(copy) ? copy : tile::CopyOp();
}

/// Whether the plan has all copies of the parts of that one's tile.
static bool hasAllParts(const PipelinePlan &plan, tile::CopyOp copy) {
  int64_t elements = 0;
  for (size_t n = 0; n < plan.fills.size(); ++n)
    if (tile::CopyOp part = plan.partAt(n); part && tileOf(part) == tileOf(copy))
      elements += part.getDst().getType().numElems();
  return elements == tileOf(copy).getResult().getType().numElems();
}

/// Takes the copies from `first` on out of the plan for which that holds.
static void drop(PipelinePlan &plan, llvm::function_ref<bool(tile::CopyOp)> isOut,
                 size_t first = 0) {
  size_t kept = first;
  for (size_t n = first; n < plan.fills.size(); ++n) {
    tile::CopyOp copy = plan.copyAt(n);
    if (copy && isOut(copy))
      continue;
    plan.fills[kept] = plan.fills[n];
    plan.rings[kept++] = plan.rings[n];
  }
  plan.fills.truncate(kept);
  plan.rings.truncate(kept);
  auto isAlone = [&](tile::CopyOp copy) { return isOfPart(copy) && !hasAllParts(plan, copy); };
  for (size_t n = first; n < plan.fills.size(); ++n)
    if (tile::CopyOp part = plan.partAt(n); part && isAlone(part))
      return drop(plan, isAlone, first);
}

/// Those that some lanes have no part in: a branch, and no wait counts on it.
static void dropParts(PipelinePlan &plan, const TargetInfo &target) {
  drop(plan, [&](tile::CopyOp copy) { return leavesLanesOut(copy, target); });
}

/// And those whose addresses cost more in each round: registers serve a round as well that waits
/// for its own copies.
static void dropCostly(PipelinePlan &plan, const TargetInfo &target) {
  drop(plan, [&](tile::CopyOp copy) {
    bool isFar = target.asyncCopies.lanesInRow &&
                 !fitsOffsets(cast<tile::BufferType>(boxRootOf(copy.getSrc()).getType()));
    return isFar || leavesLanesOut(copy, target);
  });
}

/// Brings the plan's fills into that order.
static void reorder(PipelinePlan &plan, ArrayRef<size_t> order) {
  PipelinePlan before = plan;
  for (auto [to, from] : llvm::enumerate(order)) {
    plan.fills[to] = before.fills[from];
    plan.rings[to] = before.rings[from];
  }
}

/// Where copies are counted, what lanes read of tensors in a round would be waited for with them:
/// rows are found by what is in shared memory, or by what is read once for all rounds.
static bool findsRowsByCopies(const Gather &gather, tile::ElementLoop parallel,
                              ArrayRef<Value> written, const PipelinePlan &plan) {
  return llvm::all_of(parallel.bodyBlock()->getOps<tile::LoadOp>(), [&](tile::LoadOp load) {
    if (load == gather.load || load->use_empty())
      return true;
    if (load.getBuffer().getType().isGlobal())
      return !variesByRound(load.getResult(), parallel, written);
    // Others of shared memory stay as they are in all rounds.
    return plan.stages > 1 ||
           !llvm::is_contained(plan.rings, load.getBuffer().getDefiningOp<tile::AllocOp>());
  });
}

/// Brings the copies of what gathers read to the front of the plan.
static void bringNumbersForward(PipelinePlan &plan) {
  SmallVector<size_t> order;
  auto isRead = [&](size_t n) {
    return llvm::any_of(plan.fills, [&](Operation *fill) {
      return !isa<tile::CopyOp>(fill) &&
             llvm::is_contained(accessesOf(fill).reads, plan.rings[n].getResult());
    });
  };
  for (bool isNumber : {true, false}) {
    for (size_t n = 0; n < plan.fills.size(); ++n)
      if (isRead(n) == isNumber)
        order.push_back(n);
    if (isNumber)
      plan.numbers = order.size();
  }
  reorder(plan, order);
}

/// Adds the loops over elements of the round that a copy could stand for, where the target can.
static void addGathers(PipelinePlan &plan, tile::ForOp loop, Block *round,
                       const TargetInfo &target) {
  bool isCounted = target.asyncCopies.completion != Completion::Groups;
  if (loop->getParentOfType<tile::KernelOp>().getLockstep() ||
      (isCounted && !copiesWidePieces(target)))
    return;
  Accesses all = accessesOf(loop);
  for (tile::ElementLoop parallel : round->getOps<tile::ElementLoop>()) {
    std::optional<Gather> gather = gatherOf(parallel, target);
    auto ring = gather ? gather->store.getBuffer().getDefiningOp<tile::AllocOp>() : tile::AllocOp();
    if (!ring || loop->isAncestor(ring) || !isFilledBy(parallel, ring))
      continue;
    bool isLegal = llvm::none_of(accessesOf(parallel).reads, [&](Value root) {
      size_t n = llvm::find(plan.rings, root.getDefiningOp<tile::AllocOp>()) - plan.rings.begin();
      bool isBrought = isCounted && n < plan.rings.size() && plan.copyAt(n);
      return !isBrought && isChangedBy(all.writes, root);
    });
    parallel->walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        isLegal &= parallel->isAncestor(operand.getParentRegion()->getParentOp()) ||
                   isIndexOnly(operand, loop, &all, isCounted);
    });
    if (isCounted)
      isLegal &= findsRowsByCopies(*gather, parallel, all.writes, plan);
    if (!isLegal)
      continue;
    plan.fills.push_back(parallel);
    plan.rings.push_back(ring);
  }
  if (isCounted)
    bringNumbersForward(plan);
}

PipelinePlan planPipeline(tile::ForOp loop, const TargetInfo &target, bool withGathers) {
  PipelinePlan plan;
  plan.stages = loop.getStages();
  CopyFinder copies(loop, target, plan);
  Block *round = copies.block();
  copies.addCopies(round);
  if (round == loop.bodyBlock())
    for (auto branch : round->getOps<scf::IfOp>())
      copies.addFromBranch(branch);
  // A tile is a ring's or none, with all its parts.
  drop(plan, [](tile::CopyOp) { return false; });
  // A wait has to count on something in each round.
  PipelinePlan whole = plan;
  dropParts(whole, target);
  if (plan.stages < 2)
    dropCostly(plan, target);
  else if (whole.isEmpty())
    plan = whole;
  if (round == loop.bodyBlock())
    plan.round = {};
  if (withGathers)
    addGathers(plan, loop, round, target);
  // Numbers of rows are brought of all rounds, whatever their condition.
  if (plan.round && target.asyncCopies.completion != Completion::Groups)
    drop(plan, [](tile::CopyOp copy) { return !canLieOutside(copy); }, plan.numbers);
  if (plan.isEmpty())
    plan.stages = 1;
  return plan;
}

void setSlots(const PipelinePlan &plan, SharedMemory &memory) {
  for (auto [n, ring] : llvm::enumerate(plan.rings))
    memory.setSlots(ring, plan.stages == 1 ? 1 : plan.slotsOf(n));
}

void fitInto(PipelinePlan &plan, SharedMemory &memory) {
  auto fits = [&] {
    setSlots(plan, memory);
    return memory.fits();
  };
  while (plan.stages > 1 && !fits())
    --plan.stages;
}

PipelinePlan planThatFits(tile::ForOp loop, LoopMemory &memory, const TargetInfo &target,
                          bool withGathers) {
  PipelinePlan plan = planPipeline(loop, target, withGathers);
  if (plan.stages < 2)
    return plan;
  PipelinePlan all = plan;
  fitInto(plan, memory.now());
  // Fewer copies may have more slots, or slots at all. Gathers keep the tiles that they read.
  auto prefer = [&](PipelinePlan fewer, int64_t below) {
    if (plan.stages >= below || plan.numbers != 0 || fewer.fills.size() == plan.fills.size())
      return;
    for (tile::AllocOp ring : all.rings)
      memory.now().setSlots(ring, 1);
    plan = std::move(fewer);
    if (plan.isEmpty())
      plan.stages = 1;
    fitInto(plan, memory.now());
  };
  PipelinePlan fewer = all;
  dropParts(fewer, target);
  prefer(fewer, all.stages);
  dropCostly(fewer, target);
  prefer(fewer, 2);
  return plan;
}

/// Bytes that a block may take without a block less being resident, with what it takes of `before`.
static int64_t freeBytes(tile::KernelOp kernel, int64_t before, const TargetInfo &target) {
  return hasUnitsForAll(kernel, target)
             ? target.sharedBytes
             : bytesForSameOccupancy(kernel, /*producer=*/0, before, target);
}

/// The first op of the round behind the fill that reads what it brings: where the fill stands under
/// a condition of its own, that is what they both stand in.
static Operation *firstReader(const PipelinePlan &plan, size_t n, tile::ForOp loop) {
  Operation *fill = plan.fills[n];
  tile::AllocOp ring = plan.rings[n];
  if (scf::IfOp branch = plan.round ? scf::IfOp() : branchOf(fill, loop))
    return branch;
  for (Operation *op = fill->getNextNode(); op; op = op->getNextNode())
    if (llvm::is_contained(accessesOf(op).reads, ring.getResult()))
      return op;
  return nullptr;
}

bool isOfAllWaves(const PipelinePlan &plan, size_t n, const TargetInfo &target) {
  tile::CopyOp copy = plan.copyAt(n);
  int64_t pieceBytes = copy ? asyncPieceBytes(copy.getSrc(), copy.getDst(), target)
                            : target.asyncCopies.bytes.front();
  int64_t waves = wavesOf(plan.fills[n]->getParentOfType<tile::KernelOp>(), target);
  tile::CopyOp part = plan.partAt(n);
  tile::AllocOp ring = plan.rings[n];
  int64_t bytes = bytesOfBuffer(ring);
  if (part)
    bytes = bytes * part.getDst().getType().numElems() / ring.getResult().getType().numElems();
  return bytes >= pieceBytes * target.waveLanes * waves;
}

/// Gives the smallest ring so many slots, if that fits in so many bytes. Of several, it is one that
/// a tile.copy of all waves fills: rows that lie further ahead would want their numbers further
/// ahead, too.
static bool deepenOne(PipelinePlan &plan, int64_t slots, SharedMemory &memory, int64_t most,
                      const TargetInfo &target) {
  PipelinePlan deeper = plan;
  auto isCounted = [&](size_t n) {
    return plan.copyAt(n) && !plan.partAt(n) && isOfAllWaves(plan, n, target);
  };
  if (plan.fills.size() - plan.numbers == 1) {
    if (!isOfAllWaves(plan, plan.numbers, target))
      return false;
    deeper.stages = slots;
  } else {
    SmallVector<size_t> order(plan.fills.size());
    std::iota(order.begin(), order.end(), 0);
    llvm::sort(MutableArrayRef(order).drop_front(plan.numbers), [&](size_t a, size_t b) {
      auto rank = [&](size_t n) {
        return std::tuple(isCounted(n), -bytesOfBuffer(plan.rings[n]), n);
      };
      return rank(a) < rank(b);
    });
    if (!isCounted(order.back()))
      return false;
    reorder(deeper, order);
    deeper.second = order.size() - 1;
    deeper.deeperSlots = slots;
  }
  setSlots(deeper, memory);
  if (memory.bytes() > most) {
    setSlots(plan, memory);
    return false;
  }
  plan = deeper;
  return true;
}

bool awaitApart(PipelinePlan &plan, tile::ForOp loop, const TargetInfo &target) {
  SmallVector<size_t> order;
  SmallVector<Operation *> readers;
  for (size_t n = 0; n < plan.fills.size(); ++n) {
    order.push_back(n);
    readers.push_back(firstReader(plan, n, loop));
    if (!readers.back())
      return false;
  }
  llvm::sort(MutableArrayRef(order).drop_front(plan.numbers), [&](size_t a, size_t b) {
    return readers[a] != readers[b] ? readers[a]->isBeforeInBlock(readers[b]) : a < b;
  });
  size_t second = order.size();
  while (second > plan.numbers && !isOfAllWaves(plan, order[second - 1], target))
    --second;
  if (second == plan.numbers)
    return false;
  Operation *last = readers[order[second - 1]];
  while (second > plan.numbers && readers[order[second - 1]] == last)
    --second;
  if (second == plan.numbers)
    return false;
  reorder(plan, order);
  plan.second = second;
  // Where waves are closest together: behind what they have read after the round's barrier.
  for (Operation *op = last->getPrevNode(); op && !plan.awaitedAt; op = op->getPrevNode())
    if (llvm::any_of(accessesOf(op).reads, [&](Value read) {
          return llvm::is_contained(
              ArrayRef(plan.rings).take_front(second).drop_front(plan.numbers),
              read.getDefiningOp<tile::AllocOp>());
        }))
      plan.awaitedAt = op->getNextNode();
  return true;
}

bool competes(tile::ForOp loop, const TargetInfo &target) {
  auto kernel = loop->getParentOfType<tile::KernelOp>();
  return target.asyncCopies.completion != Completion::Groups && !kernel.getLockstep() &&
         !loop.getExact() && !hasUnitsForAll(kernel, target);
}

int64_t blocksWith(PipelinePlan plan, int64_t stages, tile::ForOp loop, SharedMemory &memory,
                   const TargetInfo &target) {
  plan.stages = stages;
  setSlots(plan, memory);
  return residentBlocks(loop->getParentOfType<tile::KernelOp>(), /*producer=*/0, memory.bytes(),
                        target);
}

bool gathersTakeUnit(const PipelinePlan &plan, tile::ForOp loop, LoopMemory &loops,
                     const TargetInfo &target) {
  if (!plan.hasGathers() || !competes(loop, target))
    return false;
  SharedMemory &memory = loops.wished();
  if (blocksWith(plan, 2, loop, memory, target) > 1)
    return false;
  for (size_t n = 0; n < plan.fills.size(); ++n)
    if (n < plan.numbers || !isa<tile::CopyOp>(plan.fills[n]))
      memory.setSlots(plan.rings[n], 1);
  return residentBlocks(loop->getParentOfType<tile::KernelOp>(), /*producer=*/0, memory.bytes(),
                        target) > 1;
}

void leaveConditions(PipelinePlan &plan, tile::ForOp loop, LoopMemory &loops,
                     const TargetInfo &target) {
  if (plan.stages < 2 || plan.round || !competes(loop, target))
    return;
  PipelinePlan fewer = plan;
  drop(fewer, [&](tile::CopyOp copy) { return bool(branchOf(copy, loop)); });
  if (fewer.isEmpty() || fewer.fills.size() == plan.fills.size())
    return;
  SharedMemory &memory = loops.wished();
  int64_t blocks = blocksWith(plan, plan.stages, loop, memory, target);
  for (tile::AllocOp ring : plan.rings)
    memory.setSlots(ring, 1);
  if (blocksWith(fewer, fewer.stages, loop, memory, target) > blocks)
    plan = fewer;
  setSlots(plan, memory);
}

void leaveRoomForBlocks(PipelinePlan &plan, tile::ForOp loop, LoopMemory &loops,
                        const TargetInfo &target) {
  if (!competes(loop, target))
    return;
  SharedMemory &memory = loops.wished();
  auto blocks = [&](int64_t stages) { return blocksWith(plan, stages, loop, memory, target); };
  int64_t asked = plan.stages;
  if (plan.stages > 2 && blocks(plan.stages) < blocks(2))
    plan.stages = 2;
  if (plan.stages == 2 && blocks(2) == 1 && blocks(1) > 1)
    plan.stages = 1;
  if (plan.stages != asked)
    loop.emitRemark() << "pipelined with " << plan.stages << " instead of " << asked
                      << " stages: a compute unit has " << blocks(plan.stages) << " blocks so, and "
                      << blocks(asked) << " with more";
}

void shareUnit(PipelinePlan &plan, tile::ForOp loop, LoopMemory &loops, const TargetInfo &target) {
  constexpr int64_t fewRounds = 32; // measured, docs/machine-code/pipelining.md
  if (plan.stages < 3 || loop.getStrategy() || !competes(loop, target))
    return;
  bool isShort = tile::constantInt(loop.getUpper()).value_or(fewRounds + 1) <= fewRounds;
  int64_t ahead = (plan.stages - 1) * clocksOfRound(loop, target);
  if (!isShort && ahead >= target.clocks.copyToShared)
    return;
  SharedMemory &memory = loops.wished();
  auto isAlone = [&](int64_t stages) {
    return blocksWith(plan, stages, loop, memory, target) == 1;
  };
  int64_t asked = plan.stages;
  if (!isAlone(asked) || isAlone(2))
    return setSlots(plan, memory);
  while (isAlone(plan.stages))
    --plan.stages;
  setSlots(plan, memory);
  loop.emitRemark() << "pipelined with " << plan.stages << " instead of " << asked
                    << " stages: a compute unit has several blocks so, and one with more";
}

/// Whether the slots of products that wait for all copies are filled again where the round has read
/// them, behind a barrier of their own. It pays in short rounds, of which even several blocks do
/// not hide the way to memory. A store of the round would be counted with what may be in flight
/// (docs/machine-code/pipelining.md, Limits).
static bool fillsEarly(const PipelinePlan &plan, tile::ForOp loop, const TargetInfo &target) {
  constexpr int64_t mostCopies = 4; // of a wave in a round; measured, as that page says
  bool multiplies = !loop.bodyBlock()->getOps<tile::GemmOp>().empty();
  if (!multiplies || plan.round || plan.numbers != 0 || anyGlobal(accessesOf(loop).writes))
    return false;
  int64_t bytes = 0, lanes = target.waveLanes * wavesOf(loop, target);
  for (size_t n = 0; n < plan.fills.size(); ++n) {
    if (!isOfAllWaves(plan, n, target))
      return false;
    bytes += bytesOfBuffer(plan.rings[n]);
  }
  return bytes <= mostCopies * lanes * target.asyncCopies.bytes.front() &&
         lastReaderOf(plan.rings, loop);
}

void leaveCopiesInFlight(PipelinePlan &plan, tile::ForOp loop, LoopMemory &loops,
                         const TargetInfo &target) {
  if (plan.stages != 2)
    return;
  auto kernel = loop->getParentOfType<tile::KernelOp>();
  SharedMemory &memory = loops.wished();
  if (target.asyncCopies.completion == Completion::Groups) {
    auto bytesWith = [&](int64_t slots) {
      for (tile::AllocOp ring : plan.rings)
        memory.setSlots(ring, slots);
      return memory.bytes();
    };
    int64_t before = bytesWith(2), after = bytesWith(3);
    if (after <= freeBytes(kernel, before, target))
      plan.stages = 3;
    return;
  }
  setSlots(plan, memory);
  int64_t most = freeBytes(kernel, memory.bytes(), target);
  // A number of slots that is no power of two costs more than a second barrier: the slot of a round
  // takes a product and its address an addition.
  if (!deepenOne(plan, 2 * plan.stages, memory, most, target) && !awaitApart(plan, loop, target) &&
      !deepenOne(plan, plan.stages + 1, memory, most, target))
    plan.fillsBehind = plan.fillsEarly = fillsEarly(plan, loop, target);
}

} // namespace tilec
