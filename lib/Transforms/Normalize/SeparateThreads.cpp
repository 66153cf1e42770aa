//===- SeparateThreads.cpp - barriers between accesses of threads ---------===//
//
// One walk in program order with the accesses since the last barrier. Before the first op that
// conflicts with one of them there is a barrier: of the block when threads of different waves may
// meet in an element, else of the wave. What a loop or a branch of some threads needs from before
// it is waited for in front of it; what its parts need from each other, and a round from the round
// before, inside. Tile operations are phase boundaries: where the code of threads meets them the
// barrier is placed as well, so that it counts for both.
//
// Barriers may stand in branches that only some threads take: tile-unify-meetings moves them to
// where the whole block passes. Where it cannot, the program is refused.
//
// Global memory is the author's to keep apart, and all of it where they say so (`own_barriers`).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/ThreadAccesses.h"
#include "tilec/IR/Reported.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_SEPARATETHREADSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// An access since the last barrier of the block.
struct Open {
  Operation *op;
  Operation *crossed; ///< loop that has gone to another round since; null: none
  bool inWave;        ///< not even a barrier of the wave since
};

/// By buffer. The same access may be open from this round of a loop and from the one before.
class OpenAccesses {
public:
  void add(Value root, Open access) {
    SmallVector<Open, 4> &list = lists[root];
    for (Open &known : list)
      if (known.op == access.op && known.crossed == access.crossed) {
        known.inWave |= access.inWave;
        return;
      }
    list.push_back(access);
  }
  void add(const OpenAccesses &other) {
    for (auto &[root, list] : other.lists)
      for (const Open &access : list)
        add(root, access);
  }
  ArrayRef<Open> of(Value root) const {
    auto it = lists.find(root);
    return it == lists.end() ? ArrayRef<Open>() : ArrayRef<Open>(it->second);
  }
  void close(Gap barrier) {
    if (barrier == Gap::Block)
      return lists.clear();
    for (auto &[root, list] : lists)
      for (Open &access : list)
        access.inWave = false;
  }
  /// As the next round of `loop` sees them.
  OpenAccesses across(Operation *loop) const {
    OpenAccesses result;
    for (auto &[root, list] : lists)
      for (Open access : list) {
        bool isOuter = access.crossed && access.crossed->isProperAncestor(loop);
        if (loop->isAncestor(access.op) && !isOuter)
          access.crossed = loop;
        result.add(root, access);
      }
    return result;
  }

private:
  llvm::MapVector<Value, SmallVector<Open, 4>> lists;
};

/// What a walk does. Placing settles loops and branches on its way; then they are only asked for
/// conflicts with what is open before them, or learned from.
enum class Mode { Place, Ask, Learn };

struct Conflict {
  Gap gap = Gap::None;
  Operation *first = nullptr, *second = nullptr;
  Value root;

  void add(const Conflict &other) {
    if (other.gap > gap)
      *this = other;
  }
};

class Separation {
public:
  explicit Separation(tile::KernelOp kernel) : kernel(kernel), accesses(kernel) {}

  LogicalResult run() {
    OpenAccesses open;
    walk(kernel.getBody().front(), open, Mode::Place);
    return failure(hasFailed);
  }

private:
  Conflict walk(Block &block, OpenAccesses &open, Mode mode);
  Conflict visit(Operation *op, OpenAccesses &open, Mode mode);
  Conflict visitNest(Operation *op, OpenAccesses &open, Mode mode);
  Conflict visitBranches(scf::IfOp branch, OpenAccesses &open, Mode mode);
  Conflict visitAccess(Operation *op, OpenAccesses &open, Mode mode);
  Conflict walkInside(Operation *op, OpenAccesses &open, Mode mode);
  Conflict walkLoop(Operation *op, OpenAccesses &open, Mode mode);
  void settle(Operation *op);
  void place(Operation *before, const Conflict &conflict, OpenAccesses &open);
  Conflict conflictOf(Operation *op, Value root, bool writes, const OpenAccesses &open);
  bool isOneForAll(scf::IfOp branch) const;
  Operation *whatForbids(Operation *place) const;
  bool isOfPipeline(Operation *op) const;

  tile::KernelOp kernel;
  ThreadAccesses accesses;
  SmallVector<OpenAccesses *> breaks = {nullptr}; ///< of the loops around: open where they are left
  llvm::SmallPtrSet<Operation *, 8> settled;
  bool hasFailed = false;
};

bool isThreadAccess(Operation *op) { return isa<tile::LoadOp, tile::StoreOp, tile::AtomicOp>(op); }

bool isShared(Value root) { return cast<tile::BufferType>(root.getType()).isShared(); }

/// A copy of a pipelined loop runs ahead of its round, and its ring has barriers of its own.
bool Separation::isOfPipeline(Operation *op) const {
  for (Operation *at = op; at != kernel; at = at->getParentOp())
    if (auto loop = dyn_cast<tile::ForOp>(at); loop && loop.getStages() > 1)
      return true;
  return false;
}

/// A branch that all threads that get there take alike. tile-unify-meetings leaves it around a
/// barrier inside, also where not all threads get there: the barrier counts on this way alone. Of
/// any other branch it brings all threads to the barrier.
bool Separation::isOneForAll(scf::IfOp branch) const {
  return branch.getNumResults() == 0 && accesses.uniformity().isUniform(branch.getCondition());
}

/// The op around `place` that keeps tile-unify-meetings from bringing all threads to a barrier
/// there.
Operation *Separation::whatForbids(Operation *place) const {
  for (Operation *at = place->getParentOp(); at != kernel; at = at->getParentOp()) {
    bool isDivergent = llvm::any_of(at->getRegions(), [&](Region &region) {
      return !region.empty() && accesses.uniformity().isDivergent(&region.front());
    });
    if (isa<scf::IfOp>(at) && at->getNumResults() != 0)
      return at;
    if (!isDivergent)
      continue;
    if (isa<tile::WhileOp>(at))
      return at;
    if (isa<tile::ForOp>(at) &&
        at->walk([](tile::BreakOp) { return WalkResult::interrupt(); }).wasInterrupted())
      return at;
  }
  return nullptr;
}

static StringRef spelling(Operation *op) {
  return isa<tile::WhileOp>(op) ? "`while`"
         : isa<tile::ForOp>(op) ? "loop with `break`"
                                : "expression";
}

void Separation::place(Operation *before, const Conflict &conflict, OpenAccesses &open) {
  open.close(conflict.gap);
  if (Operation *around = whatForbids(before)) {
    if (!hasFailed)
      Reported(conflict.second, DiagId::BarrierCannotStand, nameOfRoot(conflict.root),
               spelling(around))
          .note(conflict.first, DiagId::BarrierOtherAccess);
    hasFailed = true;
    return;
  }
  OpBuilder builder(before);
  if (conflict.gap == Gap::Block)
    tile::SyncThreadsOp::create(builder, before->getLoc());
  else
    tile::SyncWarpOp::create(builder, before->getLoc());
}

Conflict Separation::conflictOf(Operation *op, Value root, bool writes, const OpenAccesses &open) {
  Conflict conflict;
  for (const Open &other : open.of(root)) {
    Gap gap = Gap::None;
    if (isThreadAccess(op) && isThreadAccess(other.op)) {
      gap = accesses.gapBetween(other.op, op, other.crossed);
    } else if (isThreadAccess(op) || isThreadAccess(other.op)) {
      bool otherWrites = llvm::is_contained(accessesOf(other.op).writes, root);
      gap = writes || otherWrites ? Gap::Block : Gap::None;
    } // two tile operations: tile-place-barriers
    if (gap == Gap::Block || (gap == Gap::Wave && other.inWave))
      conflict.add({gap, other.op, op, root});
    if (conflict.gap == Gap::Block)
      break;
  }
  return conflict;
}

Conflict Separation::visitAccess(Operation *op, OpenAccesses &open, Mode mode) {
  Accesses all = accessesOf(op);
  llvm::SetVector<Value> roots;
  roots.insert(all.reads.begin(), all.reads.end());
  roots.insert(all.writes.begin(), all.writes.end());
  roots.remove_if([](Value root) { return !isShared(root); });
  if (!isThreadAccess(op) && isOfPipeline(op))
    return {};
  Conflict conflict;
  if (mode != Mode::Learn)
    for (Value root : roots)
      conflict.add(conflictOf(op, root, llvm::is_contained(all.writes, root), open));
  if (mode == Mode::Place && conflict.gap != Gap::None) {
    place(op, conflict, open);
    conflict = {};
  }
  if (mode != Mode::Ask)
    for (Value root : roots)
      open.add(root, {op, nullptr, true});
  return conflict;
}

static bool runsAtLeastOnce(tile::ForOp loop) {
  auto lower = tile::constantInt(loop.getLower()), upper = tile::constantInt(loop.getUpper());
  auto step = tile::constantInt(loop.getStep());
  return lower && upper && step && (*step > 0 ? *lower < *upper : *lower > *upper);
}

/// The parts of a loop or branch once, in order; threads that take one branch do so before those
/// that take the other.
Conflict Separation::walkInside(Operation *op, OpenAccesses &open, Mode mode) {
  Conflict conflict;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      conflict.add(walk(block, open, mode));
  return conflict;
}

/// Places what the inside of a nest needs, whatever was open before it.
void Separation::settle(Operation *op) {
  if (!settled.insert(op).second)
    return;
  OpenAccesses inside, atBreaks;
  breaks.push_back(isa<scf::IfOp>(op) ? breaks.back() : &atBreaks);
  walkInside(op, inside, Mode::Place);
  if (!isa<scf::IfOp>(op)) {
    OpenAccesses next = inside.across(op);
    walkInside(op, next, Mode::Place);
  }
  breaks.pop_back();
}

/// What a walk through one round leaves open is what all rounds do: barriers are where they are,
/// and those behind the loop do not mind which round an access was of.
Conflict Separation::walkLoop(Operation *op, OpenAccesses &open, Mode mode) {
  OpenAccesses left;
  breaks.push_back(&left);
  auto loop = dyn_cast<tile::WhileOp>(op);
  if (!loop && !runsAtLeastOnce(cast<tile::ForOp>(op)))
    left.add(open);
  Conflict conflict;
  if (loop) { // condition, body, condition ...
    Block &condition = loop.getCondition().front();
    conflict.add(walk(condition, open, mode));
    left.add(open);
    conflict.add(walk(loop.getBody().front(), open, mode));
    conflict.add(walk(condition, open, mode));
  } else {
    conflict = walkInside(op, open, mode);
  }
  open.add(left);
  breaks.pop_back();
  return conflict;
}

Conflict Separation::visitNest(Operation *op, OpenAccesses &open, Mode mode) {
  auto inside = [&](OpenAccesses &state, Mode how) {
    return isa<scf::IfOp>(op) ? walkInside(op, state, how) : walkLoop(op, state, how);
  };
  if (mode != Mode::Place)
    return inside(open, mode);
  settle(op);
  OpenAccesses before = open;
  Conflict conflict = inside(before, Mode::Ask);
  if (conflict.gap != Gap::None)
    place(op, conflict, open);
  return inside(open, Mode::Learn);
}

/// All threads that get there take the same way.
Conflict Separation::visitBranches(scf::IfOp branch, OpenAccesses &open, Mode mode) {
  Conflict conflict;
  OpenAccesses before = open, after;
  for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()}) {
    OpenAccesses inside = before;
    if (!region->empty())
      conflict.add(walk(region->front(), inside, mode));
    after.add(inside);
  }
  open = after;
  return conflict;
}

Conflict Separation::visit(Operation *op, OpenAccesses &open, Mode mode) {
  if (isa<tile::SyncThreadsOp, tile::GridSyncOp, tile::BlockVoteOp, tile::BarrierOp>(op)) {
    open.close(Gap::Block);
    return {};
  }
  if (isa<tile::SyncWarpOp>(op)) {
    open.close(Gap::Wave);
    return {};
  }
  if (isa<tile::BreakOp>(op)) {
    breaks.back()->add(open);
    return {};
  }
  if (isThreadAccess(op) || tile::isTileOperation(op))
    return visitAccess(op, open, mode);
  if (auto branch = dyn_cast<scf::IfOp>(op); branch && isOneForAll(branch))
    return visitBranches(branch, open, mode);
  return op->getNumRegions() != 0 ? visitNest(op, open, mode) : Conflict();
}

Conflict Separation::walk(Block &block, OpenAccesses &open, Mode mode) {
  Conflict conflict;
  for (Operation &op : llvm::make_early_inc_range(block))
    conflict.add(visit(&op, open, mode));
  return conflict;
}

struct SeparateThreadsPass : impl::SeparateThreadsPassBase<SeparateThreadsPass> {
  void runOnOperation() override {
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      if (kernel.getLockstep() && !kernel.getOwnBarriers() && failed(Separation(kernel).run()))
        return signalPassFailure();
  }
};

} // namespace

} // namespace tilec
