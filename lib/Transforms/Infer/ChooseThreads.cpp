//===- ChooseThreads.cpp - tile-choose-threads: threads= is a wish --------===//
//
// A block's fragments are spread over its threads. Where a thread would hold more than it has
// registers, which is memory traffic in every round, as many more threads are taken as can hold
// them. What no number of threads can hold stays with the author's. Schedulers that no wave would
// use are given one where threads hold more than their arithmetic reaches, and where each wave has
// a part of all products for itself. Products that only more
// warp groups can share get those. A second warp group that can only share the columns of products'
// one slab of rows is left out where it keeps a second block from a unit and the units' last blocks
// would leave many of them idle.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "Layouts/GemmPlan.h"
#include "Layouts/Registers.h"
#include "Layouts/WarpGroups.h"
#include "Memory/SharedMemory.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Lives.h"
#include "tilec/Base/Math.h"
#include "tilec/Target/Target.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_CHOOSETHREADSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Registers of a thread that addresses, operands and bounds take beside fragments: of the kernels
/// of test/replay whose fragments are smaller, 20 to 40.
constexpr int64_t besideFragments = 32;

/// The op of the kernel's body that `op` is, or is inside of.
Operation *topLevel(Operation *op, Block *body) {
  while (op && op->getBlock() != body)
    op = op->getParentOp();
  return op;
}

/// The most bits of fragments that are alive at once, over the whole block. A fragment lives from
/// its first to its last user in the kernel's body, through loops as a whole.
int64_t mostFragmentBits(tile::KernelOp kernel) {
  Block &body = kernel.getBody().front();
  llvm::DenseMap<Operation *, int64_t> numberOf;
  for (Operation &op : body)
    numberOf.try_emplace(&op, int64_t(numberOf.size()));
  llvm::MapVector<Value, BufferLife> lifeOf;
  kernel.walk([&](Operation *op) {
    Operation *top = topLevel(op, &body);
    for (Value operand : op->getOperands()) {
      auto type = dyn_cast<tile::BufferType>(operand.getType());
      if (!type || !type.isFragment() || !top)
        continue;
      int64_t at = numberOf.lookup(top);
      BufferLife &life = lifeOf.try_emplace(rootOf(operand), BufferLife{at, at, 0}).first->second;
      life.first = std::min(life.first, at);
      life.last = std::max(life.last, at);
    }
  });
  SmallVector<BufferLife> lives;
  for (auto &[root, life] : lifeOf) {
    // The sum of a product in 16 bits is one in 32, rounded at the end: both are alive.
    bool isSum = llvm::any_of(root.getUsers(), [&, root = root](Operation *user) {
      auto gemm = dyn_cast<tile::GemmOp>(user);
      return gemm && gemm.getC() == root;
    });
    auto type = cast<tile::BufferType>(root.getType());
    bool isNarrow = bitsOf(tile::dtypeOf(type.getElementType())) < 32;
    life.bits = bitsOfBuffer(root) + (isSum && isNarrow ? 32 * type.numElems() : 0);
    lives.push_back(life);
  }
  return mostBitsAlive(lives);
}

/// Bits of the fragments with which loops compute, but for what matrix instructions do.
int64_t computedFragmentBits(tile::KernelOp kernel) {
  llvm::SetVector<Value> found;
  kernel.walk([&](Operation *op) {
    if (!isa<tile::ElementLoop, tile::FillOp, tile::ReduceOp, tile::ScanOp>(op) ||
        !op->getParentOfType<tile::ForOp>())
      return;
    Accesses accesses = accessesOf(op);
    for (const auto &buffers : {accesses.reads, accesses.writes})
      for (Value buffer : buffers)
        if (cast<tile::BufferType>(buffer.getType()).isFragment())
          found.insert(rootOf(buffer));
  });
  int64_t bits = 0;
  for (Value buffer : found)
    bits += bitsOfBuffer(buffer);
  return bits;
}

/// Whether the shared memory of a unit holds no second block.
bool hasUnitAlone(tile::KernelOp kernel, const TargetInfo &target) {
  return 2 * SharedMemory(kernel, target).bytes() > target.sharedBytesOfUnit;
}

/// The author's number counts: threads are named, layouts are given by thread, or it is asked for.
bool isFixed(tile::KernelOp kernel) {
  if (kernel.getLockstep() || kernel.getFixedThreads())
    return true;
  auto result = kernel.walk([&](Operation *op) {
    auto alloc = dyn_cast<tile::AllocOp>(op);
    auto loop = dyn_cast<tile::ForOp>(op);
    std::optional<StringRef> wish = loop ? loop.getStrategy() : std::nullopt;
    SmallVector<StringRef, 2> names;
    if (wish)
      wish->split(names, ' ');
    bool isAsked = llvm::is_contained(names, "exact");
    bool isLaidOut = alloc && alloc.getLayout() && alloc.getResult().getType().isFragment();
    return isAsked || isLaidOut ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Whether each wave of so many threads has a part of every product for itself.
bool fillsWaves(tile::KernelOp kernel, const TargetInfo &target, int64_t threads) {
  KernelProducts products(kernel);
  auto result = kernel.walk([&](tile::GemmOp gemm) {
    std::optional<GemmPlan> plan = planGemm(gemm, target, threads / target.waveLanes, products);
    return plan && plan->copies == 1 ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// Whether units are idle for a sixth of the time and more when one block after the other runs on
/// each.
bool leavesUnitsIdle(tile::KernelOp kernel, const TargetInfo &target) {
  std::optional<int64_t> blocks = kernel.blocksOfGrid();
  return blocks && *blocks > target.units &&
         5 * ceilDiv(*blocks, target.units) * target.units >= 6 * *blocks;
}

/// Blocks that a unit runs at a time, as far as shared memory and the grid say, with the slots that
/// rounds ask for.
int64_t blocksOfUnit(tile::KernelOp kernel, const TargetInfo &target) {
  SharedMemory memory(kernel, target);
  kernel.walk([&](tile::CopyOp copy) {
    auto loop = copy->getParentOfType<tile::ForOp>();
    auto ring = copy.getDst().getDefiningOp<tile::AllocOp>();
    if (loop && loop.getStages() > 1 && ring && ring.getResult().getType().isShared())
      memory.setSlots(ring, loop.getStages());
  });
  int64_t blocks = target.sharedBytesOfUnit / std::max<int64_t>(memory.bytes(), 1);
  if (std::optional<int64_t> all = kernel.blocksOfGrid())
    blocks = std::min(blocks, ceilDiv(*all, target.units));
  return std::max<int64_t>(blocks, 1);
}

/// Whether the kernel multiplies in a loop, and no product of a round uses what another one gives:
/// of such the rows of a wave are the same, as fewer waves may have them.
bool multipliesAlone(tile::KernelOp kernel) {
  llvm::SetVector<Value> sums;
  bool isUsed = false;
  kernel.walk([&](tile::GemmOp gemm) {
    auto loop = gemm->getParentOfType<tile::ForOp>();
    if (!loop || !sums.insert(rootOf(gemm.getC())))
      return;
    loop.walk([&](Operation *op) {
      isUsed |= isa<tile::ElementLoop, tile::ReduceOp, tile::CopyOp>(op) &&
                llvm::is_contained(accessesOf(op).reads, sums.back());
    });
  });
  return sums.size() == 1 || (!sums.empty() && !isUsed);
}

/// Whether the kernel is products of one slab of rows in pipelined loops that compute nothing else,
/// and one warp group can do them with half of a unit: its registers, and shared memory for three
/// rounds.
bool suitsOneGroup(tile::KernelOp kernel, const TargetInfo &target, int64_t fragmentBits) {
  int64_t threads = target.groupLanes() + producerThreads(target, target.groupLanes());
  int64_t registers = ceilDiv(fragmentBits, 32 * target.groupLanes()) + besideFragments;
  constexpr int64_t leastSlots = 3;
  if (target.groups.empty() || 2 * registers * threads > target.registers.ofUnit ||
      2 * leastSlots * SharedMemory(kernel, target).bytes() > target.sharedBytesOfUnit)
    return false;
  bool hasProduct = false;
  auto result = kernel.walk([&](Operation *op) {
    auto loop = op->getParentOfType<tile::ForOp>();
    if (auto gemm = dyn_cast<tile::GemmOp>(op)) {
      hasProduct = true;
      bool suits = loop && loop.getStages() > 1 && gemm.m() == target.groups.front().m &&
                   isWarpGroupGemm(gemm, target, target.groupLanes() / target.waveLanes);
      return suits ? WalkResult::advance() : WalkResult::interrupt();
    }
    bool computes = isa<tile::ElementLoop, tile::ReduceOp, tile::ScanOp>(op) && loop &&
                    llvm::any_of(loop.getOps<tile::GemmOp>(), [](auto) { return true; });
    return computes ? WalkResult::interrupt() : WalkResult::advance();
  });
  return hasProduct && !result.wasInterrupted();
}

/// The products of the kernel's rounds that so many threads do as warp groups. A lies in shared
/// memory: in registers it may move there later.
llvm::SetVector<Operation *> productsOfGroups(tile::KernelOp kernel, const TargetInfo &target,
                                              int64_t threads) {
  llvm::SetVector<Operation *> found;
  kernel.walk([&](tile::GemmOp gemm) {
    if (gemm->getParentOfType<tile::ForOp>() && gemm.getA().getType().isShared() &&
        isWarpGroupGemm(gemm, target, threads / target.waveLanes))
      found.insert(gemm);
  });
  return found;
}

/// The least number of threads with which warp groups do more of the rounds' products than with
/// `given`, and all of those: rows of a transposed A that one would have to do in several slabs, or
/// a number of slabs that is no power of two. `given` where there is none.
int64_t threadsForGroups(tile::KernelOp kernel, const TargetInfo &target, int64_t given) {
  constexpr int64_t mostGroups = 4; // beside a producer's, each thread keeps 100 registers
  if (target.groups.empty() || given % target.groupLanes() != 0)
    return given;
  llvm::SetVector<Operation *> before = productsOfGroups(kernel, target, given);
  for (int64_t threads = given + target.groupLanes(); threads <= mostGroups * target.groupLanes();
       threads += target.groupLanes()) {
    llvm::SetVector<Operation *> now = productsOfGroups(kernel, target, threads);
    if (now.size() > before.size() &&
        llvm::all_of(before, [&](Operation *gemm) { return now.contains(gemm); }))
      return threads;
  }
  return given;
}

/// As many threads as give each scheduler of a unit a wave, where the kernel multiplies and each
/// wave still has much to do between what it reads; `given` where that is so.
int64_t threadsForSchedulers(tile::KernelOp kernel, const TargetInfo &target, int64_t given,
                             int64_t fragmentBits) {
  constexpr int64_t leastElements = 32; // of fragments, in a thread
  // Other numbers would be none that warp groups or schedules know.
  if (!multipliesAlone(kernel) || !llvm::isPowerOf2_64(given))
    return given;
  int64_t waves = given * blocksOfUnit(kernel, target) / target.waveLanes, threads = given;
  while (waves < target.schedulers && 2 * threads <= target.maxThreads &&
         fragmentBits >= 2 * threads * 32 * leastElements &&
         fillsWaves(kernel, target, 2 * threads)) {
    threads *= 2;
    waves *= 2;
  }
  return threads;
}

constexpr llvm::StringLiteral keepsNumber =
    "; `schedule.exact(...)` around a loop keeps the number";

struct ChooseThreadsPass : impl::ChooseThreadsPassBase<ChooseThreadsPass> {
  using ChooseThreadsPassBase::ChooseThreadsPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      choose(kernel, *chip);
  }

  static void choose(tile::KernelOp kernel, const TargetInfo &target) {
    if (isFixed(kernel))
      return;
    auto registersOf = [&](int64_t threads) {
      return std::min(target.registers.ofLane, target.registers.ofUnit / threads);
    };
    int64_t bits = mostFragmentBits(kernel), given = kernel.getThreads(), threads = given;
    auto fits = [&](int64_t count) {
      return ceilDiv(bits, 32 * count) + besideFragments <= registersOf(count);
    };
    // Arithmetic moves what it finds in accumulator registers, there and back. Waves on schedulers
    // that have none take part of that and cost nothing.
    int64_t computed = target.registers.accumulators > 0 && hasUnitAlone(kernel, target)
                           ? computedFragmentBits(kernel)
                           : 0;
    auto isCrowded = [&](int64_t count) {
      return 2 * count <= target.schedulers * target.waveLanes &&
             ceilDiv(computed, 32 * count) + besideFragments >
                 target.registers.ofLane - target.registers.accumulators;
    };
    bool spills =
        int64_t(kernel.getLeastThreads().value_or(0)) > target.groupLanes(); // with so few
    if (given == 2 * target.groupLanes() && !spills && leavesUnitsIdle(kernel, target) &&
        suitsOneGroup(kernel, target, bits)) {
      kernel.setThreads(target.groupLanes());
      kernel.emitRemark()
          << "threads= is " << target.groupLanes() << " here, not " << given
          << ": products have one slab of rows, a second warp group leaves a unit no "
             "second block, and the last blocks would leave units idle"
          << keepsNumber;
      return;
    }
    while ((!fits(threads) || isCrowded(threads)) && 2 * threads <= target.maxThreads)
      threads *= 2;
    // What fits nowhere is the author's to change.
    if (!fits(threads))
      return;
    if (int64_t least = kernel.getLeastThreads().value_or(0);
        least > threads && fits(least) && fillsWaves(kernel, target, least)) {
      kernel.setThreads(least);
      kernel.emitRemark() << "threads= is " << least << " here, not " << given
                          << ": with fewer the machine code spills registers or moves accumulators"
                          << keepsNumber;
      return;
    }
    if (int64_t shared = threadsForGroups(kernel, target, threads);
        shared > threads && fits(shared)) {
      kernel.setThreads(shared);
      kernel.emitRemark() << "threads= is " << shared << " here, not " << given
                          << ": with fewer, warp groups cannot share all products of a round"
                          << keepsNumber;
      return;
    }
    if (int64_t more = threadsForSchedulers(kernel, target, threads, bits);
        more > threads && fits(more)) {
      kernel.setThreads(more);
      kernel.emitRemark() << "threads= is " << more << " here, not " << given
                          << ": with fewer, schedulers of a unit would have no wave" << keepsNumber;
      return;
    }
    if (threads == given)
      return;
    kernel.setThreads(threads);
    auto remark = kernel.emitRemark()
                  << "threads= is " << threads << " here, not " << given << ": fragments take "
                  << ceilDiv(bits, 32 * given) << " registers of each of " << given
                  << " threads, which have " << registersOf(given) << " on " << nameOf(target.arch);
    if (fits(given))
      remark << ", " << target.registers.accumulators << " of them out of arithmetic's reach";
    remark << keepsNumber;
  }
};

} // namespace

} // namespace tilec
