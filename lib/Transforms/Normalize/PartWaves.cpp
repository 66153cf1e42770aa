//===- PartWaves.cpp - branches of some waves run side by side ------------===//
//
//   if (tx < 32) { A } else { B }   becomes   if (on_waves 0 count 1) { A };
//                                             if (on_waves 1 count 2) { B }
//
// where neither branch writes what the other one touches, so that nobody can tell in which order
// they run. Otherwise tile operations are the block's wherever they stand (tile-unify-meetings):
// all waves go through A and then through B, and a long chain of A keeps back the reads of B.
//
// Barriers of the block stand around the branches, so that those inside them need not count for
// what stands outside.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/ThreadValues.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/IR/Tile/Uniformity.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_PARTWAVESPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

using ThreadSet = std::vector<bool>;

/// What waves of their own do.
struct WavesPart {
  int64_t first = 0, count = 0; ///< waves
  Block *block = nullptr;
};

/// Decides about the branches of one kernel; nothing changes meanwhile.
class PartPlanner {
public:
  PartPlanner(tile::KernelOp kernel, const TargetInfo &target)
      : target(target), threads(kernel.getThreads()), lanes(kernel.getWarpLanes()),
        uniformity(kernel), values(threads) {}

  /// The sides of `branch`, and of branches that are all that its other side holds; nothing where
  /// the block has to do them one after the other.
  SmallVector<WavesPart, 2> partsOf(scf::IfOp branch);

private:
  std::optional<WavesPart> partOf(const ThreadSet &who, Block &block) const;
  bool mayBeAlone(Block &block) const;
  bool isTakenAlike(Operation *op) const;

  const TargetInfo &target;
  int64_t threads, lanes;
  tile::Uniformity uniformity;
  ThreadValues values;
};

bool holdsAny(Operation *op, llvm::function_ref<bool(Operation *)> isOne) {
  auto result = op->walk([&](Operation *inner) {
    return isOne(inner) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

bool hasTileOperation(Operation *op) { return holdsAny(op, tile::isTileOperation); }

/// Whether there is what threads do together.
bool isMetAt(Operation *op) {
  return holdsAny(op, [](Operation *inner) {
    return tile::isTileOperation(inner) || isa<tile::SyncThreadsOp, tile::SyncWarpOp>(inner);
  });
}

Accesses accessesIn(Block &block) {
  Accesses all;
  for (Operation &op : block) {
    Accesses own = accessesOf(&op);
    llvm::append_range(all.reads, own.reads);
    llvm::append_range(all.writes, own.writes);
  }
  return all;
}

/// Whether every thread that reaches this loop or branch takes it alike.
bool PartPlanner::isTakenAlike(Operation *op) const {
  if (isa<tile::ForOp>(op))
    return llvm::all_of(op->getOperands(), [&](Value v) { return uniformity.isUniform(v); });
  auto branch = dyn_cast<scf::IfOp>(op);
  return branch && branch.getNumResults() == 0 && uniformity.isUniform(branch.getCondition());
}

/// Whether waves can do the statements without the others: all that threads do together is for all
/// that get to the block, and what it leaves is in memory.
bool PartPlanner::mayBeAlone(Block &block) const {
  auto isPlain = [&](Operation *op) {
    return isa<tile::AllocOp, tile::LoadOp, tile::StoreOp, tile::AtomicOp, tile::CopyOp,
               tile::FillOp, tile::ReduceOp, tile::SyncThreadsOp, tile::SyncWarpOp, tile::AssumeOp,
               scf::YieldOp>(op) ||
           (op->getNumRegions() == 0 && isPure(op));
  };
  for (Operation &top : block) {
    auto result = top.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<tile::ElementLoop>(op))
        return WalkResult::skip();
      bool isNest = isa<tile::ForOp, scf::IfOp>(op) && (isTakenAlike(op) || !isMetAt(op));
      return isNest || isPlain(op) ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return false;
  }
  auto isOutside = [&](Value root) {
    return !root.getDefiningOp() || !block.findAncestorOpInBlock(*root.getDefiningOp());
  };
  Accesses all = accessesIn(block);
  auto isOfOthers = [&](Value root, bool isWritten) {
    auto type = cast<tile::BufferType>(root.getType());
    return isOutside(root) && (type.isFragment() || (isWritten && type.isLocal()));
  };
  return llvm::none_of(all.reads, [&](Value root) { return isOfOthers(root, false); }) &&
         llvm::none_of(all.writes, [&](Value root) { return isOfOthers(root, true); });
}

/// Nothing where the threads are no whole waves in a row.
std::optional<WavesPart> PartPlanner::partOf(const ThreadSet &who, Block &block) const {
  auto begin = llvm::find(who, true);
  auto end = std::find(begin, who.end(), false);
  int64_t first = begin - who.begin(), last = end - who.begin();
  if (first == last || std::find(end, who.end(), true) != who.end() || first % lanes != 0 ||
      last % lanes != 0)
    return std::nullopt;
  return WavesPart{first / lanes, (last - first) / lanes, &block};
}

/// The branch with tile operations that is all that the block holds, besides arithmetic before it.
scf::IfOp onlyBranchOf(Block &block) {
  auto branch = dyn_cast_or_null<scf::IfOp>(block.getTerminator()->getPrevNode());
  bool isAlone = branch && branch.getNumResults() == 0 && hasTileOperation(branch) &&
                 llvm::all_of(block.without_terminator(), [&](Operation &op) {
                   return &op == branch || (op.getNumRegions() == 0 && isPure(&op));
                 });
  return isAlone ? branch : scf::IfOp();
}

/// Whether no part writes what another one touches.
bool areApart(ArrayRef<WavesPart> parts) {
  SmallVector<Accesses, 2> all;
  for (const WavesPart &part : parts)
    all.push_back(accessesIn(*part.block));
  for (auto [n, own] : llvm::enumerate(all))
    for (auto [m, other] : llvm::enumerate(all)) {
      auto isChanged = [&](Value root) { return isChangedBy(other.writes, root); };
      if (n != m && (llvm::any_of(own.reads, isChanged) || llvm::any_of(own.writes, isChanged)))
        return false;
    }
  return true;
}

SmallVector<WavesPart, 2> PartPlanner::partsOf(scf::IfOp branch) {
  SmallVector<WavesPart, 2> parts;
  ThreadSet left(threads, true);
  auto add = [&](const ThreadSet &who, Block &block) {
    std::optional<WavesPart> part = partOf(who, block);
    bool hasBarrier =
        part && (part->count == 1 || tile::barrierOfWaves(part->first) <= target.partBarriers);
    if (!hasBarrier || !mayBeAlone(block))
      return false;
    parts.push_back(*part);
    return true;
  };
  if (branch.getNumResults() != 0 || uniformity.isUniform(branch.getCondition()) ||
      uniformity.isDivergent(branch->getBlock()))
    return {};
  while (branch) {
    const std::vector<int64_t> *row = values.of(branch.getCondition());
    if (!row)
      return {};
    ThreadSet here(threads);
    for (int64_t t = 0; t < threads; ++t) {
      here[t] = left[t] && (*row)[t] != 0;
      left[t] = left[t] && (*row)[t] == 0;
    }
    if (!add(here, *branch.thenBlock()))
      return {};
    Block *other = branch.getElseRegion().empty() ? nullptr : branch.elseBlock();
    branch = other ? onlyBranchOf(*other) : scf::IfOp();
    if (!branch && other && !add(left, *other))
      return {};
  }
  int64_t withTiles = llvm::count_if(parts, [](const WavesPart &part) {
    return llvm::any_of(*part.block, [](Operation &op) { return hasTileOperation(&op); });
  });
  return withTiles >= 2 && areApart(parts) ? parts : SmallVector<WavesPart, 2>();
}

/// Whether nothing that counts stands between the op and a barrier of the block, or the beginning
/// or the end of the kernel.
bool isBeginning(Operation *op) {
  Operation *at = op->getPrevNode();
  while (at && (isa<tile::AllocOp>(at) || (at->getNumRegions() == 0 && isPure(at))))
    at = at->getPrevNode();
  return at ? isa<tile::SyncThreadsOp>(at) : isa<tile::KernelOp>(op->getParentOp());
}

bool isEnd(Operation *op) {
  Operation *at = op->getNextNode();
  while (at && (isa<tile::AllocOp>(at) || (at->getNumRegions() == 0 && isPure(at))))
    at = at->getNextNode();
  return at ? isa<tile::SyncThreadsOp>(at) : isa<tile::KernelOp>(op->getParentOp());
}

void giveToWaves(scf::IfOp branch, ArrayRef<WavesPart> parts) {
  OpBuilder b(branch);
  Location loc = branch.getLoc();
  for (const WavesPart &part : parts) // arithmetic in front of inner branches
    for (Operation *at = part.block->getParentOp(); at != branch; at = at->getParentOp())
      for (Operation &op : llvm::make_early_inc_range(*at->getBlock()))
        if (&op != at && !op.hasTrait<OpTrait::IsTerminator>())
          op.moveBefore(branch);
  if (!isBeginning(branch))
    tile::SyncThreadsOp::create(b, loc);
  for (const WavesPart &part : parts) {
    Value here = tile::OnWavesOp::create(b, loc, b.getI1Type(), part.first, part.count);
    Block *to = scf::IfOp::create(b, loc, here, /*withElseRegion=*/false).thenBlock();
    // An effect of its own keeps MLIR from making one branch of this one and one in it, whose
    // condition would be another (CombineNestedIfs).
    OpBuilder inside = OpBuilder::atBlockBegin(to);
    tile::SyncWarpOp::create(inside, loc);
    to->getOperations().splice(std::prev(to->end()), part.block->getOperations(),
                               part.block->begin(), std::prev(part.block->end()));
  }
  if (!isEnd(branch))
    tile::SyncThreadsOp::create(b, loc);
}

struct PartWavesPass : impl::PartWavesPassBase<PartWavesPass> {
  using PartWavesPassBase::PartWavesPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      if (mayHaveParts(kernel, *chip))
        run(kernel, *chip);
  }

  /// Products are the whole block's: its waves, and what barriers there are, belong to them.
  static bool mayHaveParts(tile::KernelOp kernel, const TargetInfo &chip) {
    return kernel.getLockstep() && int64_t(kernel.getWarpLanes()) == chip.waveLanes &&
           kernel.getThreads() % chip.waveLanes == 0 &&
           int64_t(kernel.getThreads()) > chip.waveLanes &&
           !kernel.walk([](tile::GemmOp) { return WalkResult::interrupt(); }).wasInterrupted();
  }

  static void run(tile::KernelOp kernel, const TargetInfo &chip) {
    std::vector<std::pair<scf::IfOp, SmallVector<WavesPart, 2>>> found;
    std::optional<PartPlanner> planner;
    kernel.walk<WalkOrder::PreOrder>([&](scf::IfOp branch) {
      if (branch.getElseRegion().empty() || branch->getParentOfType<tile::ElementLoop>() ||
          !hasTileOperation(branch))
        return WalkResult::advance();
      if (!planner)
        planner.emplace(kernel, chip);
      SmallVector<WavesPart, 2> parts = planner->partsOf(branch);
      if (parts.empty())
        return WalkResult::advance();
      found.emplace_back(branch, parts);
      return WalkResult::skip();
    });
    for (auto &[branch, parts] : found) {
      giveToWaves(branch, parts);
      branch.erase();
    }
  }
};

} // namespace

} // namespace tilec
