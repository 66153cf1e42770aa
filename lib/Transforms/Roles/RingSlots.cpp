//===- RingSlots.cpp - how many slots a producer's rings have --------------===//
//
// A copy that starts when a slot is released has as long as the other slots' rounds take
// to arrive. With too few slots every round waits for memory: a product of 128 x 128 x 64
// tiles takes twice as long with 2 slots as 5 (docs/numbers/hopper-trials.md). Slots beyond that
// gain nothing, and what holds a second block back costs more than a slot brings.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/RingSlots.h"

#include "Layouts/Registers.h"
#include "Roles/LiveFragments.h"
#include "Roles/OneSlot.h"

#include "tilec/Base/Math.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_ADDSLOTSPASS
#include "tilec/Transforms/Passes.h.inc"

int64_t clocksOfGemm(tile::GemmOp gemm, const TargetInfo &target) {
  int64_t bits = bitsOf(tile::dtypeOf(gemm.getA().getType().getElementType()));
  int64_t products = gemm.m() * gemm.n() * gemm.k() / gemm.sparsity() * bits / 16;
  return target.clocks.multiplyAdds16 ? products / target.clocks.multiplyAdds16 : 0;
}

int64_t clocksOfRound(tile::ForOp loop, const TargetInfo &target) {
  int64_t clocks = 0;
  loop.walk([&](tile::GemmOp gemm) { clocks += clocksOfGemm(gemm, target); });
  return std::max<int64_t>(clocks, 1);
}

namespace {

constexpr int64_t mostSlots = 8;
/// Registers a lane needs beside its accumulators: addresses and what the assembler keeps of
/// descriptors.
constexpr int64_t otherRegisters = 40;
/// Where no producer serves, beside the fragments that live and what goes to shared memory: 14 to
/// 34 in those of docs/numbers/hopper-trials.md, "Blocks beside each other", that have 256 threads.
constexpr int64_t otherWithoutProducer = 26;

int64_t allFragmentBits(tile::KernelOp kernel) {
  int64_t bits = 0;
  kernel.walk([&](tile::AllocOp alloc) {
    tile::BufferType type = alloc.getResult().getType();
    if (type.isFragment())
      bits += 8 * storageBytes(tile::dtypeOf(type.getElementType()), type.numElems());
  });
  return bits;
}

/// Blocks of so many threads, each of which has so many registers.
int64_t blocksOf(int64_t threads, int64_t registers, const TargetInfo &target) {
  int64_t waves = target.schedulers * target.wavesOfScheduler;
  return std::max<int64_t>(1, std::min(target.registers.ofUnit / (registers * threads),
                                       waves * target.waveLanes / threads));
}

/// Blocks that a unit's schedulers and registers hold, with a producer of so many threads. From
/// three warp groups on the kernel is compiled for one block; smaller ones have what they need.
/// Without a producer copies take registers as well, for which fragments that are dead stand in.
int64_t blocksByRegisters(tile::KernelOp kernel, int64_t producer, const TargetInfo &target) {
  int64_t consumers = kernel.getThreads(), threads = consumers + producer;
  if (splitRegisters(target, threads))
    return 1;
  int64_t bits = producer ? liveFragmentBits(kernel) : allFragmentBits(kernel);
  return blocksOf(threads, otherRegisters + bits / 32 / consumers, target);
}

/// Whether a copy takes several times as long as the gemms of a round: what waits for one of these
/// loses less than what starts a copy later.
bool gemmsTakeLessThanCopies(tile::ForOp loop, const TargetInfo &target) {
  constexpr int64_t times = 4; // between 64 x 64 x 64 and 128 x 128 x 128 of 16 bits
  return times * clocksOfRound(loop, target) <= target.clocks.copyToShared;
}

/// Slots beyond which a round of the loop never waits for memory.
int64_t usefulSlots(ProducerLoop &plan, const TargetInfo &target) {
  return std::min(mostSlots,
                  1 + ceilDiv(target.clocks.copyToShared, clocksOfRound(plan.loop, target)));
}

} // namespace

int64_t residentBlocksHolding(tile::KernelOp kernel, int64_t bits, int64_t bytes,
                              const TargetInfo &target) {
  int64_t threads = kernel.getThreads();
  int64_t registers = otherWithoutProducer + (liveFragmentBits(kernel) + bits) / 32 / threads;
  return std::min(blocksOf(threads, registers, target),
                  target.sharedBytesOfUnit / (bytes + target.sharedBytesKept));
}

int64_t residentBlocks(tile::KernelOp kernel, int64_t producer, int64_t bytes,
                       const TargetInfo &target) {
  return std::min(blocksByRegisters(kernel, producer, target),
                  target.sharedBytesOfUnit / (bytes + target.sharedBytesKept));
}

int64_t bytesForSameOccupancy(tile::KernelOp kernel, int64_t producer, int64_t usedBytes,
                              const TargetInfo &target) {
  int64_t all = target.sharedBytesOfUnit, kept = target.sharedBytesKept;
  int64_t resident = residentBlocks(kernel, producer, usedBytes, target);
  return std::min<int64_t>(target.sharedBytes, all / std::max<int64_t>(resident, 1) - kept);
}

bool hasUnitsForAll(tile::KernelOp kernel, const TargetInfo &target) {
  std::optional<int64_t> blocks = kernel.blocksOfGrid();
  return blocks && *blocks <= target.units;
}

bool hasNeighbour(tile::KernelOp kernel, const TargetInfo &target) {
  if (hasUnitsForAll(kernel, target))
    return false;
  int64_t bytes = SharedMemory(kernel, target).bytes() + target.sharedBytesKept;
  return blocksByRegisters(kernel, /*producer=*/0, target) > 1 &&
         2 * bytes <= target.sharedBytesOfUnit;
}

bool isPersistent(tile::KernelOp kernel) {
  return llvm::any_of(kernel.getBody().front(), [](Operation &op) {
    auto loop = dyn_cast<tile::ForOp>(op);
    return loop && loop.getPersistent();
  });
}

SharedMemory memoryWith(tile::KernelOp kernel, MutableArrayRef<ProducerLoop> plans,
                        const TargetInfo &target) {
  SharedMemory memory(kernel, target,
                      isPersistent(kernel) ? FilledBuffers::Always : FilledBuffers::FromStart);
  for (auto [n, plan] : llvm::enumerate(plans))
    if (llvm::none_of(plans.take_front(n),
                      [&](ProducerLoop &other) { return other.sharesRings(plan); }))
      plan.takeFrom(memory);
  return memory;
}

/// The loops of each ring whose slots are the compiler's; the first of them speaks for all.
static SmallVector<SmallVector<ProducerLoop *, 2>> freeRings(MutableArrayRef<ProducerLoop> plans) {
  SmallVector<SmallVector<ProducerLoop *, 2>> rings;
  for (ProducerLoop &plan : plans) {
    SmallVector<ProducerLoop *, 2> ring;
    for (ProducerLoop &other : plans)
      if (other.sharesRings(plan))
        ring.push_back(&other);
    // The softmax beside overlapped gemms is long enough for a copy.
    if (ring.front() == &plan && llvm::none_of(ring, [](ProducerLoop *other) {
          return other->served.exact || other->isOverlapped();
        }))
      rings.push_back(std::move(ring));
  }
  return rings;
}

bool giveSlot(MutableArrayRef<ProducerLoop> plans, SharedMemory &memory, const TargetInfo &target) {
  for (ArrayRef<ProducerLoop *> ring : freeRings(plans)) {
    ProducerLoop &first = *ring.front();
    if (first.served.slots <= std::max<int64_t>(2, usefulSlots(first, target)))
      continue;
    first.takeSlots(memory, -1);
    for (ProducerLoop *other : ring)
      other->served.slots = first.served.slots;
    return true;
  }
  return false;
}

/// Gives the rings of `plans` further slots where copies would else not be under way for as long as
/// they take, or their author wished for more, and shared memory is left that no other resident
/// block would get; of a persistent kernel one block a multiprocessor is launched. `num_stages` of
/// 2 and more is a wish for a ring; loops with exact slots and overlapped ones keep it.
static void addSlots(tile::KernelOp kernel, MutableArrayRef<ProducerLoop> plans,
                     const TargetInfo &target) {
  SharedMemory memory = memoryWith(kernel, plans, target);
  int64_t most = target.sharedBytes;
  if (!isPersistent(kernel) && !hasUnitsForAll(kernel, target)) {
    most = bytesForSameOccupancy(kernel, producerThreads(target, kernel.getThreads()),
                                 memory.bytes(), target);
    // No more blocks come to a unit than the grid has for it.
    if (std::optional<int64_t> blocks = kernel.blocksOfGrid())
      most = std::max<int64_t>(most, target.sharedBytesOfUnit / ceilDiv(*blocks, target.units) -
                                         target.sharedBytesKept);
    most = std::min<int64_t>(most, target.sharedBytes);
  }
  for (ArrayRef<ProducerLoop *> ring : freeRings(plans)) {
    ProducerLoop &first = *ring.front();
    for (int64_t wanted = usefulSlots(first, target); first.served.slots < wanted;) {
      SharedMemory with = memory;
      first.takeSlots(with, 1);
      if (with.bytes() > most) {
        --first.served.slots;
        break;
      }
      memory = with;
    }
    for (ProducerLoop *other : ring)
      other->served.slots = first.served.slots;
  }
}

/// What else depends on the number of slots.
static void orderSlots(ProducerLoop &plan, const TargetInfo &target) {
  if (plan.isOverlapped() && plan.served.slots == 1) {
    plan.served.endsTogether = gemmsTakeLessThanCopies(plan.loop, target);
    plan.served.firstAhead = canFillFirstAhead(plan);
  }
  if (plan.served.slots < int64_t(plan.loop.getStages()))
    plan.loop.emitRemark() << "pipelined with " << plan.served.slots << " instead of "
                           << plan.loop.getStages() << " stages: shared memory holds no more";
}

namespace {
struct AddSlotsPass : impl::AddSlotsPassBase<AddSlotsPass> {
  using AddSlotsPassBase::AddSlotsPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>()) {
      SmallVector<ProducerLoop, 1> plans = producerLoopsOf(kernel, *chip);
      if (plans.empty())
        continue;
      addSlots(kernel, plans, *chip);
      for (ProducerLoop &plan : plans) {
        orderSlots(plan, *chip);
        plan.write();
      }
    }
  }
};
} // namespace

} // namespace tilec
