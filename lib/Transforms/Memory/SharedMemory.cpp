//===- SharedMemory.cpp - what shared memory is needed for, and where ------===//
//
// Buffers that are never needed at the same time share bytes. Ops are numbered in
// program order; a buffer is needed from its first access to its last one. In a loop
// that its allocation is outside of, that is the whole loop, unless each iteration
// begins by writing all of it. What a producer warp fills is needed from the beginning,
// since the producer is ahead; each of its copies is waited for where it is used, so that
// the last use ends it. A gemm in flight uses its operands up to the wait for it.
// Larger buffers take their place first, each the lowest one that is free.
//
// What follows has no accesses that barriers are placed for, so that it shares no bytes
// with buffers: mbarriers, what waves tell each other, what accumulators are stored
// through. Reductions whose results others wait for have bytes of their own, small ones,
// where there is room; all else that waves tell each other is in one place, with barriers
// around each use.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Memory/SharedMemory.h"

#include "Layouts/Exchange.h"
#include "Layouts/LoopLayout.h"
#include "Layouts/Stores.h"
#include "Layouts/WarpGroups.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Base/Math.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;

namespace tilec {

int64_t bytesOfBuffer(tile::AllocOp alloc, int64_t slots) {
  DType dtype = tile::dtypeOf(alloc.getResult().getType().getElementType());
  const SharedLayout *layout = sharedLayoutOf(alloc.getResult());
  int64_t elems = layout ? layout->numElems() : alloc.getResult().getType().numElems();
  return bytesOf(dtype) * elems * slots;
}

namespace {

/// Numbers of neighbouring ops differ by so much: one between them is of what is planned there.
constexpr int64_t betweenOps = 2;

class Lifetimes {
public:
  Lifetimes(tile::KernelOp kernel, const TargetInfo &target, FilledBuffers filled)
      : kernel(kernel), target(target), filled(filled) {
    int64_t count = 0;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      begins[op] = ends[op] = count;
      count += betweenOps;
    });
    kernel.walk([&](Operation *op) { // inner ops first
      int64_t &end = ends[op->getParentOp()];
      end = std::max(end, ends[op]);
    });
  }

  SharedNeed of(tile::AllocOp alloc) {
    SharedNeed need{{alloc}};
    need.bytes = alignTo(bytesOfBuffer(alloc), target.sharedGrain);
    const SharedLayout *layout = sharedLayoutOf(alloc.getResult());
    need.align = layout && layout->isSwizzled() ? target.swizzleGrain : target.sharedGrain;
    need.first = INT64_MAX;
    need.last = -1;
    SmallVector<Operation *> users;
    collectUsers(alloc.getResult(), users);
    bool isAhead = false, isFilled = false;
    llvm::SmallSetVector<Value, 2> pipes;
    for (Operation *user : users) {
      isFilled |= copiesFromGlobal(user) && filled > FilledBuffers::AsAccessed;
      if (user->getParentOfType<tile::ProducerOp>()) {
        isAhead = true;
        if (auto transfer = dyn_cast<tile::TmaCopyOp>(user))
          pipes.insert(transfer.getPipe());
        continue;
      }
      Operation *span = spanOf(user, alloc, users);
      need.first = std::min(need.first, begins.lookup(span));
      need.last = std::max({need.last, ends.lookup(span), endOfFlight(user, span)});
    }
    // A slot that nobody reads is filled nevertheless, and waited for.
    for (Value pipe : pipes)
      for (Operation *user : pipe.getUsers())
        if (!user->getParentOfType<tile::ProducerOp>())
          need.last = std::max(need.last, ends.lookup(spanOf(user, alloc, users)));
    isFilled = isFilled && mayBeAhead(users);
    if (isAhead || isFilled)
      need.first = begins.lookup(kernel);
    // A buffer that only the producer touches is read by nobody who says so.
    if ((isAhead && need.last < 0) || (isFilled && filled == FilledBuffers::Always))
      need.last = ends.lookup(kernel);
    return need;
  }

  /// The numbers of all that runs while the op does.
  std::pair<int64_t, int64_t> during(Operation *op) const {
    return {begins.lookup(op), ends.lookup(op)};
  }

private:
  static void collectUsers(Value buffer, SmallVectorImpl<Operation *> &users) {
    for (Operation *user : buffer.getUsers()) {
      if (isa<tile::SubviewOp, tile::ReshapeOp>(user))
        collectUsers(user->getResult(0), users);
      else
        users.push_back(user);
    }
  }
  /// The op during all of which the buffer is needed because of this access.
  Operation *spanOf(Operation *user, tile::AllocOp alloc, ArrayRef<Operation *> users) {
    Operation *span = user;
    for (Operation *at = user; at != kernel; at = at->getParentOp()) {
      if (at->isProperAncestor(alloc))
        break;
      bool isLoop = isa<tile::ForOp, tile::WhileOp>(at);
      if (isLoop && !startsAfresh(at, alloc, users))
        span = at;
      else if (isa<tile::ElementLoop>(at))
        span = at;
    }
    return span;
  }
  /// The last op before the wait for a gemm that `user` has left in flight; `span` is what the
  /// buffer is needed for anyway.
  int64_t endOfFlight(Operation *user, Operation *span) {
    auto gemm = dyn_cast<tile::GemmOp>(user);
    if (!gemm || !gemm.getInFlight())
      return -1;
    int64_t end = ends.lookup(kernel);
    kernel.walk([&](tile::GemmWaitOp wait) {
      int64_t at = begins.lookup(wait);
      // One that every way from the gemm comes to.
      if (wait.getPending() == 0 && at > ends.lookup(span) &&
          wait->getBlock()->findAncestorOpInBlock(*span))
        end = std::min(end, at);
    });
    return end;
  }
  static bool copiesFromGlobal(Operation *op) {
    auto copy = dyn_cast<tile::CopyOp>(op);
    return copy && copy.getSrc().getType().isGlobal();
  }
  /// Whether a producer may come to fill the buffer: in a loop, or where only gemms read it
  /// (Roles/OneFill.h).
  static bool mayBeAhead(ArrayRef<Operation *> users) {
    bool isInLoop = false, isForGemms = true;
    for (Operation *user : users) {
      auto loop = user->getParentOfType<tile::ForOp>();
      isInLoop |= copiesFromGlobal(user) && loop && !loop.getPersistent();
      isForGemms &= copiesFromGlobal(user) || isa<tile::GemmOp>(user);
    }
    return isInLoop || isForGemms;
  }
  /// Whether the buffer is used in this loop only, and each iteration overwrites it first.
  bool startsAfresh(Operation *loop, tile::AllocOp alloc, ArrayRef<Operation *> users) const {
    auto serial = dyn_cast<tile::ForOp>(loop);
    if (serial && serial.getKind() == tile::LoopKind::Pipelined && serial.getStages() > 1 &&
        filled != FilledBuffers::Serially && llvm::any_of(users, copiesFromGlobal))
      return false; // copies of the next round will run ahead
    if (!serial || !llvm::all_of(users, [&](Operation *user) { return loop->isAncestor(user); }))
      return false;
    for (Operation &op : *serial.bodyBlock())
      if (llvm::any_of(users, [&](Operation *user) { return op.isAncestor(user); }))
        return overwritesAll(&op, alloc.getResult());
    return false;
  }

  tile::KernelOp kernel;
  const TargetInfo &target;
  FilledBuffers filled;
  llvm::DenseMap<Operation *, int64_t> begins, ends; ///< an op's number, and that of its last one
};

/// A statement of all threads, which none leaves out: barriers can stand between it and those of
/// another buffer in its place. The round that an expanded pipeline copies ahead may be none, and a
/// producer's pipes say when it may copy.
bool isOfWholeBlock(Operation *user) {
  if (isa<tile::SubviewOp, tile::ReshapeOp>(user))
    return llvm::all_of(user->getUsers(), isOfWholeBlock);
  if (user->getParentOfType<tile::ProducerOp>())
    return true;
  bool isAhead = isa<tile::AsyncCopyOp>(user);
  if (auto loop = user->getParentOfType<tile::ElementLoop>())
    user = loop;
  else if (!isAhead &&
           !isa<tile::CopyOp, tile::GemmOp, tile::FillOp, tile::ReduceOp, tile::ElementLoop>(user))
    return false;
  Operation *around = user->getParentOp();
  while (isa<tile::ForOp>(around) || (isAhead && isa<scf::IfOp>(around)))
    around = around->getParentOp();
  return isa<tile::KernelOp>(around);
}

/// Every shared buffer, and when it is needed.
SmallVector<SharedNeed> buffersOf(tile::KernelOp kernel, Lifetimes &lifetimes) {
  SmallVector<SharedNeed> needs;
  kernel.walk([&](tile::AllocOp alloc) {
    if (alloc.getResult().getType().isShared())
      needs.push_back(lifetimes.of(alloc));
  });
  // Nobody says when single threads of a lockstep kernel are done with a buffer.
  if (kernel.getLockstep())
    for (SharedNeed &need : needs) {
      if (llvm::all_of(need.ops.front()->getUsers(), isOfWholeBlock))
        continue;
      need.first = 0;
      need.last = INT64_MAX - 1;
    }
  return needs;
}

/// What waves tell each other: bytes of their own first, then the place that all others use, or,
/// where bytes are to be spared, all. Waves that run beside others have a place of their own.
void addExchanges(tile::KernelOp kernel, const TargetInfo &target, bool spares,
                  SmallVectorImpl<SharedNeed> &needs) {
  llvm::MapVector<Operation *, SharedNeed> shared; // by the waves that have a branch of their own
  kernel.walk([&](Operation *op) {
    Exchange exchange = exchangeOf(op, target);
    if (exchange.bytes == 0)
      return;
    if (exchange.isOwn && !spares) {
      needs.push_back({{op}, exchange.bytes, target.accessBytes});
      return;
    }
    SharedNeed &need = shared[tile::wavesAround(op)];
    need.align = target.accessBytes;
    need.ops.push_back(op);
    need.bytes = std::max(need.bytes, exchange.bytes);
  });
  for (auto &[waves, need] : shared)
    needs.push_back(need);
}

/// What accumulators are stored through: the same buffers for all stores.
void addStores(tile::KernelOp kernel, const TargetInfo &target,
               SmallVectorImpl<SharedNeed> &needs) {
  SharedNeed need;
  need.align = target.swizzleGrain;
  kernel.walk([&](tile::StoreTileOp store) {
    need.ops.push_back(store);
    need.bytes = std::max(need.bytes, stagingBytes(kernel, int64_t(store.getBuffers()),
                                                   int64_t(store.getBytes()), target));
  });
  if (!need.ops.empty())
    needs.push_back(need);
}

} // namespace

int64_t stagingBytes(tile::KernelOp kernel, int64_t buffers, int64_t bytes,
                     const TargetInfo &target) {
  int64_t groups = int64_t(kernel.getThreads()) / target.groupLanes() * int64_t(kernel.getTeams());
  return buffers * bytes * groups;
}

SharedMemory::SharedMemory(tile::KernelOp kernel, const TargetInfo &target, FilledBuffers filled)
    : target(&target), loops(std::make_shared<LoopTimes>()) {
  Lifetimes lifetimes(kernel, target, filled);
  all = buffersOf(kernel, lifetimes);
  buffers = all.size();
  kernel.walk([&](tile::ForOp loop) { (*loops)[loop] = lifetimes.during(loop); });
  // Of teams that take turns, and of tile.issue_fence.
  turnBarriers = 1 + (kernel.getTeams() > 1 ? int64_t(kernel.getTeams()) : 0);
  for (tile::PipeOp pipe : kernel.getBody().getOps<tile::PipeOp>())
    addPipe(pipe.getStages());
  if (barriers)
    all[*barriers].ops.push_back(kernel);
  size_t others = all.size();
  for (bool spares : {false, true}) {
    all.truncate(others);
    addExchanges(kernel, target, spares, all);
    addStores(kernel, target, all);
    isPlaced = false;
    if (fits())
      return;
  }
}

/// Pairs that meet are few, where all fits: a sweep through the program finds them.
void SharedMemory::findMeetings() const {
  knowsMeetings = true;
  meetings.assign(buffers, {});
  std::vector<unsigned> order(buffers), live;
  std::iota(order.begin(), order.end(), 0U);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return all[a].first != all[b].first ? all[a].first < all[b].first : a < b;
  });
  for (unsigned n : order) {
    llvm::erase_if(live, [&](unsigned other) { return all[other].last < all[n].first; });
    for (unsigned other : live)
      if (all[n].meets(all[other])) {
        meetings[n].push_back(other);
        meetings[other].push_back(n);
      }
    live.push_back(n);
  }
}

int64_t SharedMemory::mostAtOnce() const {
  // Bytes come when a need begins, and go behind its last op.
  SmallVector<std::pair<int64_t, int64_t>> changes;
  for (const SharedNeed &need : all)
    if (need.first <= need.last) {
      changes.emplace_back(need.first, need.bytes);
      changes.emplace_back(need.last + 1, -need.bytes);
    }
  llvm::sort(changes);
  int64_t bytes = 0, most = 0;
  for (auto [at, change] : changes)
    most = std::max(most, bytes += change);
  return most;
}

int64_t SharedMemory::bytesAtStartOf(tile::AllocOp buffer) const {
  const auto *own = llvm::find_if(
      all, [&](const SharedNeed &need) { return llvm::is_contained(need.ops, buffer); });
  int64_t bytes = 0;
  for (const SharedNeed &need : all)
    if (own != all.end() && need.first <= own->first && own->first <= need.last)
      bytes += need.bytes;
  return bytes;
}

void SharedMemory::placeBuffers() const {
  if (!knowsMeetings)
    findMeetings();
  std::vector<unsigned> order(buffers);
  std::iota(order.begin(), order.end(), 0U);
  // Those of one size as they stand.
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return all[a].bytes != all[b].bytes ? all[a].bytes > all[b].bytes : a < b;
  });
  std::vector<bool> hasPlace(buffers);
  SmallVector<std::pair<int64_t, int64_t>> taken;
  for (unsigned n : order) {
    SharedNeed &need = all[n];
    taken.clear();
    for (unsigned other : meetings[n])
      if (hasPlace[other])
        taken.emplace_back(all[other].place, all[other].place + all[other].bytes);
    llvm::sort(taken);
    need.place = 0;
    for (auto [begin, end] : taken) {
      if (need.place + need.bytes <= begin)
        break;
      need.place = std::max(need.place, alignTo(end, need.align));
    }
    hasPlace[n] = true;
    allBytes = std::max(allBytes, need.place + need.bytes);
  }
}

void SharedMemory::place() const {
  if (isPlaced)
    return;
  isPlaced = true;
  allBytes = 0;
  placeBuffers();
  // The others are needed all the time: one behind the other.
  for (SharedNeed &need : MutableArrayRef(all).drop_front(buffers)) {
    need.place = alignTo(allBytes, need.align);
    allBytes = need.place + need.bytes;
  }
}

SharedNeed *SharedMemory::needOf(Operation *buffer) {
  isPlaced = false;
  for (SharedNeed &need : MutableArrayRef(all).take_front(buffers))
    if (llvm::is_contained(need.ops, buffer))
      return &need;
  return nullptr;
}

void SharedMemory::setBytes(tile::AllocOp buffer, int64_t bytes) {
  if (SharedNeed *need = needOf(buffer))
    need->bytes = alignTo(bytes, target->sharedGrain);
}

void SharedMemory::setSlots(tile::AllocOp ring, int64_t slots) {
  setBytes(ring, bytesOfBuffer(ring, slots));
}

bool SharedMemory::hasRoomFor(ArrayRef<RingSlot> rings, int64_t slots) const {
  SharedMemory with = *this;
  for (const RingSlot &ring : rings)
    with.setBytes(ring.buffer, ring.bytes * slots);
  with.addPipe(slots);
  return with.fits();
}

void SharedMemory::keepDuring(tile::ForOp loop, tile::AllocOp buffer) {
  SharedNeed *need = needOf(buffer);
  if (!need)
    return;
  auto [first, last] = loops->lookup(loop);
  need->first = std::min(need->first, first);
  need->last = std::max(need->last, last);
  knowsMeetings = false;
}

void SharedMemory::keepWith(tile::AllocOp buffer, tile::AllocOp other) {
  SharedNeed *need = needOf(buffer);
  const SharedNeed *longer = needOf(other);
  if (!need || !longer)
    return;
  need->last = std::max(need->last, longer->last);
  knowsMeetings = false;
}

void SharedMemory::replace(Operation *gone, tile::AllocOp wide, tile::ForOp loop) {
  SharedNeed *need = needOf(gone);
  if (!need)
    return;
  need->ops = {wide};
  need->bytes = alignTo(bytesOfBuffer(wide), target->sharedGrain);
  auto [first, last] = loops->lookup(loop);
  if (need->first > first || need->last < last)
    keepDuring(loop, wide);
}

void SharedMemory::addPipe(int64_t stages) {
  isPlaced = false;
  if (!barriers) { // right behind the buffers, where they will be
    barriers = buffers;
    all.insert(all.begin() + buffers,
               {{}, turnBarriers * target->mbarrierBytes, target->accessBytes});
  }
  all[*barriers].bytes += 2 * stages * target->mbarrierBytes;
}

void SharedMemory::addBehind(tile::ForOp loop, int64_t bytes) {
  int64_t when = loops->lookup(loop).second + betweenOps / 2;
  all.insert(all.begin() + buffers++,
             {{}, alignTo(bytes, target->sharedGrain), target->swizzleGrain, when, when});
  if (barriers)
    ++*barriers;
  isPlaced = knowsMeetings = false;
}

void SharedMemory::addStaging(int64_t bytes) {
  all.push_back({{}, bytes, target->swizzleGrain});
  isPlaced = false;
}

//===----------------------------------------------------------------------===//
// Places on ops
//===----------------------------------------------------------------------===//

std::optional<int64_t> sharedPlaceOf(Operation *op) {
  return TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case<tile::AllocOp, tile::KernelOp, tile::ReduceOp, tile::ScanOp, tile::StoreTileOp,
            tile::BlockVoteOp>([](auto own) { return own.getSharedPlace(); })
      .Default(std::nullopt);
}

void setSharedPlace(Operation *op, int64_t place) {
  TypeSwitch<Operation *>(op)
      .Case<tile::AllocOp, tile::KernelOp, tile::ReduceOp, tile::ScanOp, tile::StoreTileOp,
            tile::BlockVoteOp>([&](auto own) { own.setSharedPlace(place); });
}

/// As a message names it.
static std::string nameOfNeed(Operation *op) {
  if (auto alloc = dyn_cast<tile::AllocOp>(op))
    return ("`" + alloc.getName() + "`").str();
  return isa<tile::KernelOp>(op) ? "its mbarriers" : "`" + op->getName().getStringRef().str() + "`";
}

std::string misplacedIn(tile::KernelOp kernel, const TargetInfo &target) {
  SharedMemory memory(kernel, target);
  SmallVector<SharedNeed> needs(memory.needs());
  for (SharedNeed &need : needs)
    for (Operation *op : need.ops) {
      std::optional<int64_t> place = sharedPlaceOf(op);
      if (!place)
        return "leaves " + nameOfNeed(op) + " without a place in shared memory";
      need.place = *place;
    }
  for (auto [n, need] : llvm::enumerate(needs))
    for (const SharedNeed &other : ArrayRef(needs).take_front(n))
      if (need.collides(other))
        return "needs " + nameOfNeed(other.ops.front()) + " and " + nameOfNeed(need.ops.front()) +
               " at the same time, and they share bytes";
  return "";
}

} // namespace tilec
