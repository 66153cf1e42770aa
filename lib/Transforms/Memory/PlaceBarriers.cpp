//===- PlaceBarriers.cpp - barriers between dependent accesses ------------===//
//
// One walk in program order with the set of buffers read and written since the last
// barrier. Different lanes may touch the same element in two tile operations, so any
// two of them that conflict on a buffer are separated. A loop is walked to learn what its
// end leaves open, until that is all, and once more to place barriers.
//
// Buffers that share bytes (tile-place-shared) are one here.
//
// A global tensor that a kernel reads after it has written it is treated alike; its
// barriers order device memory as well, within the block. Of one that is only written, two
// writes are separated where different threads may write one element (GlobalWrites.h).
// In a lockstep kernel the scalar code of threads has its own barriers
// (tile-separate-threads): only between it and tile operations are they placed here.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Memory/GlobalWrites.h"
#include "Memory/SharedMemory.h"

#include "tilec/Analysis/AsyncCopies.h"
#include "tilec/Analysis/Buffers.h"
#include "tilec/IR/Tile/Uniformity.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_PLACEBARRIERSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

bool isGlobal(Value root) { return cast<tile::BufferType>(root.getType()).isGlobal(); }

/// Whether two different buffers have bytes in common.
bool shareBytes(Value a, Value b) {
  auto left = a.getDefiningOp<tile::AllocOp>(), right = b.getDefiningOp<tile::AllocOp>();
  if (!left || !right)
    return false;
  std::optional<int64_t> leftPlace = left.getSharedPlace(), rightPlace = right.getSharedPlace();
  return leftPlace && rightPlace && *leftPlace < *rightPlace + bytesOfBuffer(right) &&
         *rightPlace < *leftPlace + bytesOfBuffer(left);
}

/// Buffers touched since the last barrier: by tile operations, and by single threads.
struct Open {
  llvm::SetVector<Value> reads, writes, threadReads, threadWrites;
  /// Read by products in flight (`in_flight`), which a barrier does not end: other warp groups may
  /// still read behind it, until each has waited for its own and all have met.
  llvm::SetVector<Value> flying;
  /// Statements that have written tensors which nothing reads: tile operations, statements of one
  /// thread, and in a lockstep kernel those of all threads.
  llvm::SetVector<Operation *> stores, scalarStores, threadStores;

  /// A barrier; one that does not order global memory leaves accesses to it open.
  void close(bool orderGlobal) {
    auto isDone = [&](Value root) { return orderGlobal || !isGlobal(root); };
    reads.remove_if([&](Value root) { return isDone(root) && !flying.contains(root); });
    for (llvm::SetVector<Value> *list : {&writes, &threadReads, &threadWrites})
      list->remove_if(isDone);
    if (orderGlobal)
      for (llvm::SetVector<Operation *> *list : {&stores, &scalarStores, &threadStores})
        list->clear();
  }
  /// What the block did for another tile of the grid is not ordered against this one's.
  void forgetGlobal() {
    for (llvm::SetVector<Value> *list : {&reads, &writes, &threadReads, &threadWrites})
      list->remove_if(isGlobal);
    for (llvm::SetVector<Operation *> *list : {&stores, &scalarStores, &threadStores})
      list->clear();
  }
  size_t size() const {
    return reads.size() + writes.size() + threadReads.size() + threadWrites.size() + flying.size() +
           stores.size() + scalarStores.size() + threadStores.size();
  }
  void add(const Open &other) {
    reads.insert(other.reads.begin(), other.reads.end());
    writes.insert(other.writes.begin(), other.writes.end());
    threadReads.insert(other.threadReads.begin(), other.threadReads.end());
    threadWrites.insert(other.threadWrites.begin(), other.threadWrites.end());
    flying.insert(other.flying.begin(), other.flying.end());
    stores.insert(other.stores.begin(), other.stores.end());
    scalarStores.insert(other.scalarStores.begin(), other.scalarStores.end());
    threadStores.insert(other.threadStores.begin(), other.threadStores.end());
  }
};

/// Whether the op goes on with what the last one that touched the buffer has begun: they are parts
/// of one loop, whose elements are others.
bool continuesWrite(Operation *op, Value root) {
  auto loop = dyn_cast<tile::ElementLoop>(op);
  if (!loop || !loop.getPart())
    return false;
  for (Operation *before = op->getPrevNode(); before; before = before->getPrevNode()) {
    Accesses accesses = accessesOf(before);
    if (!llvm::is_contained(accesses.writes, root) && !llvm::is_contained(accesses.reads, root))
      continue;
    auto other = dyn_cast<tile::ElementLoop>(before);
    return other && other.getPart() && (*other.getPart())[1] == (*loop.getPart())[1] &&
           (*other.getPart())[0] < (*loop.getPart())[0] &&
           OperationEquivalence::isRegionEquivalentTo(&loop.getBody(), &other.getBody(),
                                                      OperationEquivalence::IgnoreLocations);
  }
  return false;
}

/// Whether several of such updates give the same in any order.
bool commutesWithItself(tile::AtomicOp atomic) {
  return atomic.getOld().use_empty() && atomic.getKind() != tile::AtomicKind::Exchange;
}

class Placement {
public:
  explicit Placement(tile::KernelOp kernel) : isLockstep(kernel.getLockstep()), uniformity(kernel) {
    // Atomic updates whose old values nobody asks for do not care about order among their kind.
    llvm::SmallPtrSet<Value, 4> ordered;
    llvm::DenseMap<Value, std::pair<tile::AtomicKind, bool>> kinds;
    kernel.walk([&](Operation *op) {
      if (op->getNumRegions() != 0)
        return;
      Accesses own = accessesOf(op);
      auto atomic = dyn_cast<tile::AtomicOp>(op);
      if (atomic && commutesWithItself(atomic)) {
        Value root = rootOf(atomic.getBuffer());
        std::pair kind(atomic.getKind(), atomic.getIsUnsigned());
        if (kinds.try_emplace(root, kind).first->second == kind)
          return;
      }
      ordered.insert(own.reads.begin(), own.reads.end());
      ordered.insert(own.writes.begin(), own.writes.end());
    });
    Accesses all = accessesOf(kernel);
    for (Value root : all.writes)
      if (isGlobal(root) && ordered.contains(root) && llvm::is_contained(all.reads, root))
        exchanged.insert(root);
  }

  /// Walks a block; with `insert`, barriers are placed, without, `open` only learns.
  void walk(Block &block, Open &open, bool insert) {
    for (Operation &op : llvm::make_early_inc_range(block))
      visit(&op, open, insert);
  }

private:
  void visit(Operation *op, Open &open, bool insert);
  void visitWhile(tile::WhileOp loop, Open &open, bool insert);
  void visitLeaf(Operation *op, Open &open, bool insert);
  void learn(ArrayRef<Block *> blocks, Open &open, bool isPersistent = false);
  /// Puts a barrier before `op` when it conflicts with what is open. Code of single threads does
  /// not conflict with other such code: tile-separate-threads has separated that.
  void separate(Operation *op, const Accesses &accesses, Open &open, bool insert,
                bool ofThread = false);
  Accesses accessesThatMatter(Operation *op);
  ArrayRef<GlobalWrite> storesOf(Operation *op);
  /// Whether the op may write elements of tensors after other threads have, since the last barrier.
  bool overwrites(Operation *op, const Open &open);
  bool storesForThreads(Operation *op) const {
    return isOfThread(op) || uniformity.runsPerThread(op);
  }

  llvm::SmallPtrSet<Value, 4> exchanged; ///< global buffers that are read and written
  /// Scalar code of a lockstep kernel, and branches and loops that only some threads take: those
  /// hold nothing else after tile-unify-meetings.
  bool isOfThread(Operation *op) const;

  bool isLockstep;
  tile::Uniformity uniformity;
  llvm::DenseMap<Operation *, SmallVector<GlobalWrite, 1>> globalWrites;
};

/// What the op writes of tensors that nothing reads.
ArrayRef<GlobalWrite> Placement::storesOf(Operation *op) {
  auto [it, isNew] = globalWrites.try_emplace(op);
  if (isNew) {
    it->second = globalWritesIn(op);
    llvm::erase_if(it->second,
                   [&](const GlobalWrite &write) { return exchanged.contains(write.tensor); });
  }
  return it->second;
}

bool Placement::overwrites(Operation *op, const Open &open) {
  // Of a kernel with very many stores not all pairs are compared: a barrier is cheaper.
  constexpr int64_t most = 256;
  SmallVector<GlobalWrite, 1> own(storesOf(op));
  int64_t pairs = 0;
  auto isScalar = [&](Operation *statement) { // one thread's, always the same
    return !isLockstep && isa<tile::StoreOp>(statement);
  };
  auto check = [&](const llvm::SetVector<Operation *> &statements) {
    for (Operation *statement : statements)
      for (const GlobalWrite &earlier : storesOf(statement))
        for (const GlobalWrite &write : own)
          if (earlier.tensor == write.tensor &&
              !(isScalar(earlier.statement) && isScalar(write.statement)) &&
              (++pairs > most || mayOverwrite(earlier, write, isLockstep ? &uniformity : nullptr)))
            return true;
    return false;
  };
  return !own.empty() && (check(open.stores) || (!isScalar(op) && check(open.scalarStores)) ||
                          (!storesForThreads(op) && check(open.threadStores)));
}

Accesses Placement::accessesThatMatter(Operation *op) {
  Accesses accesses = accessesOf(op);
  auto isLocal = [&](Value root) {
    auto type = cast<tile::BufferType>(root.getType());
    return !(type.isShared() && root.getDefiningOp<tile::AllocOp>()) && !exchanged.contains(root);
  };
  llvm::erase_if(accesses.reads, isLocal);
  llvm::erase_if(accesses.writes, isLocal);
  return accesses;
}

void Placement::separate(Operation *op, const Accesses &accesses, Open &open, bool insert,
                         bool ofThread) {
  bool conflicts = false, isOverGlobal = false;
  auto check = [&](Value root, const llvm::SetVector<Value> &list) {
    // A ring is separated from itself by its pipeline; what a gather finds its rows by is not.
    bool isRing = isAsyncCopy(op) && !isGlobal(root) && llvm::is_contained(accesses.writes, root);
    bool isSame = list.contains(root) && !isRing && !continuesWrite(op, root);
    bool meets = isSame || llvm::any_of(list, [&](Value other) {
                   return other != root && shareBytes(root, other);
                 });
    conflicts |= meets;
    isOverGlobal |= meets && isGlobal(root);
  };
  auto checkWrites = [&](Value root) {
    check(root, open.writes);
    if (!ofThread)
      check(root, open.threadWrites);
  };
  for (Value root : accesses.reads)
    checkWrites(root);
  for (Value root : accesses.writes) {
    checkWrites(root);
    check(root, open.reads);
    if (!ofThread)
      check(root, open.threadReads);
  }
  isOverGlobal |= overwrites(op, open);
  conflicts |= isOverGlobal;
  if (!conflicts)
    return;
  if (insert) {
    OpBuilder builder(op);
    tile::BarrierOp::create(builder, op->getLoc(), isOverGlobal);
  }
  // Barriers of a lockstep kernel order global memory anyway.
  open.close(isOverGlobal || isLockstep);
}

bool Placement::isOfThread(Operation *op) const {
  if (!isLockstep)
    return false;
  if (isa<tile::LoadOp, tile::StoreOp, tile::AtomicOp>(op))
    return true;
  return isa<scf::IfOp, tile::ForOp, tile::WhileOp>(op) &&
         llvm::any_of(op->getRegions(), [&](Region &region) {
           return !region.empty() && uniformity.isDivergent(&region.front());
         });
}

void Placement::visit(Operation *op, Open &open, bool insert) {
  if (auto barrier = dyn_cast<tile::BarrierOp>(op))
    return open.close(barrier.getGlobal() || isLockstep);
  if (isa<tile::ClusterBarrierOp>(op))
    return open.close(/*orderGlobal=*/false);
  if (isa<tile::SyncThreadsOp, tile::GridSyncOp, tile::BlockVoteOp>(op))
    return open.close(/*orderGlobal=*/true);
  if (auto wait = dyn_cast<tile::GemmWaitOp>(op); wait && wait.getPending() == 0)
    open.flying.clear();
  if (isa<tile::ElementLoop>(op) || isOfThread(op))
    return visitLeaf(op, open, insert);
  if (auto loop = dyn_cast<tile::WhileOp>(op))
    return visitWhile(loop, open, insert);
  if (auto loop = dyn_cast<tile::ForOp>(op)) {
    // What the loop needs from before it is waited for once, not in every iteration.
    bool isScalar = isLockstep && !loop.walk([](Operation *inner) {
                                         return tile::isTileOperation(inner)
                                                    ? WalkResult::interrupt()
                                                    : WalkResult::advance();
                                       })
                                       .wasInterrupted();
    separate(loop, accessesThatMatter(loop), open, insert, isScalar);
    Block *body = loop.bodyBlock();
    learn(body, open, loop.getPersistent().has_value());
    Open start = open;
    walk(*body, open, insert);
    return open.add(start);
  }
  if (isa<scf::IfOp>(op)) {
    Open before = open, after = open;
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        Open branch = before;
        walk(block, branch, insert);
        after.add(branch);
      }
    open = after;
    return;
  }
  visitLeaf(op, open, insert);
}

/// What an iteration leaves open meets the next iteration's beginning: adds it. That may bring a
/// barrier there, and so take one away further on, which leaves more open: until nothing is new.
void Placement::learn(ArrayRef<Block *> blocks, Open &open, bool isPersistent) {
  size_t before;
  do {
    before = open.size();
    Open end = open;
    for (Block *block : blocks)
      walk(*block, end, false);
    if (isPersistent)
      end.forgetGlobal();
    open.add(end);
  } while (open.size() != before);
}

/// Condition, body, condition, ...; it ends after a condition.
void Placement::visitWhile(tile::WhileOp loop, Open &open, bool insert) {
  Block &test = loop.getCondition().front(), &body = loop.getBody().front();
  separate(loop, accessesThatMatter(loop), open, insert);
  learn({&test, &body}, open);
  walk(test, open, insert);
  Open afterBody = open;
  walk(body, afterBody, insert);
}

void Placement::visitLeaf(Operation *op, Open &open, bool insert) {
  if (isa<tile::ProducerOp>(op)) // its pipes separate what it touches
    return;
  Accesses accesses = accessesThatMatter(op);
  bool ofThread = isOfThread(op);
  separate(op, accesses, open, insert, ofThread);
  if (isAsyncCopy(op)) // the pipeline's own barriers follow
    return;
  llvm::SetVector<Value> &reads = ofThread ? open.threadReads : open.reads;
  llvm::SetVector<Value> &writes = ofThread ? open.threadWrites : open.writes;
  reads.insert(accesses.reads.begin(), accesses.reads.end());
  writes.insert(accesses.writes.begin(), accesses.writes.end());
  if (auto gemm = dyn_cast<tile::GemmOp>(op); gemm && gemm.getInFlight())
    open.flying.insert(accesses.reads.begin(), accesses.reads.end());
  if (!storesOf(op).empty())
    (storesForThreads(op)                    ? open.threadStores
     : !isLockstep && isa<tile::StoreOp>(op) ? open.scalarStores
                                             : open.stores)
        .insert(op);
}

struct PlaceBarriersPass : impl::PlaceBarriersPassBase<PlaceBarriersPass> {
  void runOnOperation() override {
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>()) {
      Open open;
      Placement(kernel).walk(kernel.getBody().front(), open, true);
    }
  }
};

} // namespace

} // namespace tilec
