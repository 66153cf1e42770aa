//===- ChooseRounds.cpp - how a round runs beside a producer ---------------===//
//
// A loop that is one gemm into a C that nothing else touches leaves it in flight over the end of
// the round. A loop of two gemms, the second of which takes what was computed from the first, is
// overlapped where it can be cut (CutRound.cpp), unless its author wants another schedule. In
// others gemms run beside the statements that do not need them; `producer_consumer` waits for each.
// Where threads prepare operands (gather their rows, scale them, unpack them) they meet before and
// behind that, and warp groups stand still together: blocks that are resident beside each other
// fill that time, a producer does not (docs/numbers/hopper-trials.md, "Blocks beside each other").
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/Registers.h"
#include "Roles/CutRound.h"
#include "Roles/OneSlot.h"
#include "Roles/ProducerLoop.h"
#include "Roles/RingSlots.h"
#include "Roles/ScheduleWishes.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Lives.h"
#include "tilec/Base/Math.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_CHOOSEROUNDSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

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

/// Fragments that a round has for itself stand in front of the loop: one starts undefined, and its
/// registers are the same in every round.
void hoistFragments(tile::ForOp loop) {
  for (auto alloc : llvm::make_early_inc_range(loop.bodyBlock()->getOps<tile::AllocOp>()))
    if (alloc.getResult().getType().isFragment())
      alloc->moveBefore(loop);
}

/// Says why the loop's gemms are not overlapped where its author may wonder.
void explain(ProducerLoop &plan, StringRef wish, StringRef why) {
  auto gemms = plan.loop.bodyBlock()->getOps<tile::GemmOp>();
  if (wish != "auto")
    refuseWish(plan.loop, wish, why);
  else if (std::distance(gemms.begin(), gemms.end()) >= 2)
    plan.loop.emitRemark() << "its gemms are not overlapped: " << why;
}

constexpr StringRef noRing = "nothing runs ahead with num_stages=1";
constexpr StringRef neighbours =
    "its threads prepare operands themselves, which several blocks of a multiprocessor hide better";

/// What a statement of the round writes to a tile that a gemm reads, of what memory holds.
struct Preparation {
  int64_t operands = 0;  ///< numbers of which each element is computed: lanes hold them until then
  bool isGather = false; ///< they are copied from places that a tensor names
  bool readsTensors = false;
};

Preparation preparationBy(Operation *op) {
  Preparation found;
  found.operands = isa<tile::CopyOp>(op) ? 1 : 0;
  bool readsShared = false, readsPlaces = false;
  op->walk([&](tile::LoadOp load) {
    tile::BufferType type = load.getBuffer().getType();
    // Integers of a byte are weights, no places.
    auto integer = dyn_cast<IntegerType>(load.getType());
    bool isNumber = integer ? integer.getWidth() <= 8 : isa<FloatType>(load.getType());
    found.operands += !type.isFragment() && isNumber;
    readsShared |= type.isShared();
    readsPlaces |= type.isGlobal() && !isNumber;
    found.readsTensors |= type.isGlobal() && isNumber;
  });
  found.isGather = readsPlaces && !readsShared && found.operands == 1;
  return found;
}

/// What threads prepare of a round's operands themselves.
struct Prepared {
  int64_t bits = 0; ///< of registers in which it waits until it is written
  bool isAny = false, isGathered = false, readsTensors = false;
};

Prepared preparedBy(const ProducerLoop &plan) {
  Prepared all;
  llvm::SmallPtrSet<Value, 4> read;
  for (auto gemm : plan.round->getOps<tile::GemmOp>())
    read.insert_range(ArrayRef{rootOf(gemm.getA()), rootOf(gemm.getB())});
  for (Operation &op : *plan.round) {
    auto copy = dyn_cast<tile::CopyOp>(op);
    if (copy && copy.getTransfers())
      continue;
    for (Value root : accessesOf(&op).writes) {
      if (!cast<tile::BufferType>(root.getType()).isShared())
        continue;
      Preparation own = preparationBy(&op);
      all.bits += own.operands * bitsOfBuffer(root);
      all.isAny |= own.operands > 0 && read.contains(root);
      all.readsTensors |= own.readsTensors && read.contains(root);
      all.isGathered |= own.isGather && read.contains(root);
    }
  }
  return all;
}

/// Blocks of the grid that are resident on a unit when their threads copy themselves, a round
/// ahead.
int64_t blocksWithRings(const ProducerLoop &plan, const Prepared &prepared, tile::KernelOp kernel,
                        const TargetInfo &target) {
  std::optional<int64_t> blocks = kernel.blocksOfGrid();
  if (blocks && *blocks <= target.units)
    return 1;
  constexpr int64_t slots = 2;
  SharedMemory memory(kernel, target);
  for (tile::AllocOp ring : plan.rings)
    memory.setSlots(ring, slots);
  return residentBlocksHolding(kernel, prepared.bits, memory.bytes(), target);
}

/// What the kernel's accumulators take of shared memory where they are stored as boxes, which a
/// producer's kernel does.
int64_t bytesOfResults(tile::KernelOp kernel) {
  int64_t most = 0;
  kernel.walk([&](tile::StoreOp store) {
    auto loop = store->getParentOfType<tile::ElementLoop>();
    if (!loop || !store.getBuffer().getType().isGlobal())
      return;
    loop.walk([&](tile::LoadOp load) {
      bool isResult = llvm::any_of(rootOf(load.getBuffer()).getUsers(),
                                   [](Operation *user) { return isa<tile::GemmOp>(user); });
      if (isResult && load.getBuffer().getType().isFragment())
        most =
            std::max(most, storageBytes(tile::dtypeOf(store.getBuffer().getType().getElementType()),
                                        load.getBuffer().getType().numElems()));
    });
  });
  return most;
}

/// How many blocks hide a round's waits better than a producer does: where its threads gather rows,
/// or prepare operands and a unit then has more blocks than with a producer. 1: the producer is
/// better. Without one, numbers that they read of tensors themselves come when they want them:
/// that takes longer than a producer's second block waits.
int64_t blocksInstead(ProducerLoop plan, tile::KernelOp kernel, const TargetInfo &target) {
  Prepared prepared = preparedBy(plan);
  if (!prepared.isAny)
    return 1;
  int64_t instead = blocksWithRings(plan, prepared, kernel, target);
  if (prepared.isGathered)
    return instead;
  int64_t producer = producerThreads(target, kernel.getThreads());
  bool isAlone = splitRegisters(target, kernel.getThreads() + producer).has_value();
  if (isAlone)
    return instead;
  int64_t bytes = memoryWith(kernel, plan, target).bytes() + bytesOfResults(kernel);
  int64_t beside = residentBlocks(kernel, producer, bytes, target);
  if (std::optional<int64_t> blocks = kernel.blocksOfGrid())
    instead = std::min(instead, ceilDiv(*blocks, target.units));
  return instead > beside && !prepared.readsTensors ? instead : 1;
}

/// Decides the form of the loop's rounds, and whether its author has fixed its slots. Says why
/// where no producer serves it: it asks for one stage, and no slot is filled beside a gemm; or
/// other blocks fill the time in which a round waits.
StringRef choose(ProducerLoop &plan, tile::KernelOp kernel, const TargetInfo &target,
                 StringRef wish) {
  using enum tile::RoundForm;
  const bool isPlain = wish == "producer_consumer", isLockstep = kernel.getLockstep();
  std::vector<tile::RoundPart> parts;
  std::string why = "the kernel mentions its threads";
  if (!isPlain && !isLockstep) {
    llvm::Expected<std::vector<tile::RoundPart>> cut = cutRound(plan.loop, plan.copies);
    if (cut)
      parts = std::move(*cut);
    else
      why = llvm::toString(cut.takeError());
  }
  const bool overlaps = !parts.empty();
  if (plan.loop.getStages() < 2 &&
      !(overlaps && fillsBesideGemms(plan) && !hasNeighbour(kernel, target)))
    return noRing;
  const bool isFree = wish == "auto" && !plan.loop.getExact() && !isLockstep;
  if (int64_t blocks = isFree ? blocksInstead(plan, kernel, target) : 1; blocks > 1) {
    // ptxas saves registers by itself, but not the last few that a second block needs.
    if (blocks == 2)
      kernel.setMinBlocks(blocks);
    plan.loop.emitRemark() << noProducer << neighbours;
    return neighbours;
  }
  plan.served.exact = plan.loop.getExact() || wish != "auto";
  plan.served.form = onlyGemm(plan) ? InFlight : isPlain ? Plain : overlaps ? Overlapped : Beside;
  plan.served.parts = std::move(parts);
  if (isLockstep && !isPlain)
    refuseWish(plan.loop, wish, why);
  else if (plan.served.form == Beside)
    explain(plan, wish, why);
  if (!isLockstep && (plan.served.form == Beside || overlaps))
    hoistFragments(plan.loop);
  plan.write();
  return "";
}

void chooseRounds(tile::KernelOp kernel, const TargetInfo &target, StringRef strategy) {
  bool isServed = false;
  StringRef refused;
  for (ProducerLoop &plan : producerLoopsOf(kernel, target)) {
    StringRef why = choose(plan, kernel, target, wishOf(plan.loop, strategy));
    if (why.empty()) {
      isServed = true;
      continue;
    }
    refused = refused.empty() ? why : refused;
    refuseSchedule(plan.loop, why);
    forgetProducer(plan.loop);
  }
  if (!refused.empty() && !isServed)
    refuseEverywhere(kernel, strategy, refused);
}

struct ChooseRoundsPass : impl::ChooseRoundsPassBase<ChooseRoundsPass> {
  using ChooseRoundsPassBase::ChooseRoundsPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      chooseRounds(kernel, *chip, strategy);
  }
};

} // namespace

} // namespace tilec
