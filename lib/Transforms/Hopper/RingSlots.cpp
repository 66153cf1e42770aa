//===- RingSlots.cpp - how many slots a producer's rings have --------------===//
//
// A copy that starts when a slot is released has as long as the other slots' rounds take
// to arrive. With too few slots every round waits for memory: a product of 128 x 128 x 64
// tiles takes twice as long with 2 slots as 5 (docs/numbers/hopper-trials.md). Slots beyond that
// gain nothing, and what holds a second block back costs more than a slot brings.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Hopper/RingSlots.h"

#include "Hopper/Registers.h"
#include "Hopper/Wgmma.h"

#include "tilec/Base/Math.h"

using namespace mlir;

namespace tilec {
namespace {

/// What a copy takes from L2 while all multiprocessors copy, in clocks: the slot count from which
/// on products of 64 to 192 columns gain nothing (docs/numbers/hopper-trials.md, "Slots").
constexpr int64_t copyClocks = 2000;
/// Multiply-adds of 16-bit operands a clock: 989.4 dense TFLOP/s of 132 multiprocessors at 1830 MHz
/// (NVIDIA H100 data sheet, SXM).
constexpr int64_t multiplyAddsPerClock = 2048;
/// A multiprocessor's shared memory, and what the driver keeps of it for each block (CUDA C++
/// Programming Guide 13.0, compute capability 9.0).
constexpr int64_t multiprocessorBytes = 233472, keptBytes = 1024;
constexpr int64_t mostSlots = 8;
/// Registers a lane needs beside its accumulators: addresses and what ptxas keeps of descriptors.
constexpr int64_t otherRegisters = 40;

/// Clocks of the tensor cores in one round, at least.
int64_t clocksOfRound(tile::ForOp loop) {
  int64_t clocks = 0;
  loop.walk([&](tile::GemmOp gemm) {
    int64_t bits = bitsOf(tile::dtypeOf(gemm.getA().getType().getElementType()));
    clocks += gemm.m() * gemm.n() * gemm.k() * bits / 16 / multiplyAddsPerClock;
  });
  return std::max<int64_t>(clocks, 1);
}

/// Slots beyond which a round never waits for memory.
int64_t usefulSlots(ProducerLoop &plan) {
  return std::min(mostSlots, 1 + ceilDiv(copyClocks, clocksOfRound(plan.loop)));
}

/// Blocks that a multiprocessor's registers hold. From three warp groups on the kernel is compiled
/// for one block; smaller ones have what they need.
int64_t blocksByRegisters(tile::KernelOp kernel) {
  int64_t threads = int64_t(kernel.getThreads()) + threadsPerGroup;
  if (splitRegisters(threads))
    return 1;
  int64_t registers = otherRegisters;
  kernel.walk([&](tile::AllocOp alloc) {
    tile::BufferType type = alloc.getResult().getType();
    if (type.isFragment())
      registers += storageBytes(tile::dtypeOf(type.getElementType()), type.numElems()) / 4 /
                   int64_t(kernel.getThreads());
  });
  return std::max<int64_t>(1, registersOfMultiprocessor / (registers * threads));
}

/// What a block may take so that as many are resident as without further slots.
int64_t bytesForSameOccupancy(tile::KernelOp kernel, SharedBudget budget) {
  if (budget.isPersistent)
    return budget.blockBytes;
  int64_t resident =
      std::min(blocksByRegisters(kernel), multiprocessorBytes / (budget.usedBytes + keptBytes));
  return std::min(budget.blockBytes,
                  multiprocessorBytes / std::max<int64_t>(resident, 1) - keptBytes);
}

} // namespace

int64_t addSlots(tile::KernelOp kernel, MutableArrayRef<ProducerLoop> plans, SharedBudget budget) {
  int64_t left = bytesForSameOccupancy(kernel, budget) - budget.usedBytes, added = 0;
  for (ProducerLoop &plan : plans) {
    // Loops that fill the same buffers have one ring; the first of them speaks for all.
    SmallVector<ProducerLoop *, 2> group;
    for (ProducerLoop &other : plans)
      if (other.sharesRings(plan))
        group.push_back(&other);
    if (group.front() != &plan || llvm::any_of(group, [](ProducerLoop *other) {
          return other->exactSlots || other->overlap;
        }))
      continue; // the softmax beside overlapped gemms is long enough for a copy
    int64_t wanted = std::max(plan.stages, usefulSlots(plan));
    int64_t more = std::min(wanted - plan.stages, std::max<int64_t>(left, 0) / plan.slotBytes);
    left -= more * plan.slotBytes;
    added += more * plan.slotBytes;
    int64_t slots = plan.stages + more;
    for (ProducerLoop *other : group)
      other->stages = slots;
  }
  return added;
}

} // namespace tilec
