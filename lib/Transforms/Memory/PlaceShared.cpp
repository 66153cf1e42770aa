//===- PlaceShared.cpp - where shared buffers lie --------------------------===//
//
// Buffers that are never needed at the same time share bytes. Ops are numbered in
// program order; a buffer is needed from its first access to its last one. In a loop
// that its allocation is outside of, that is the whole loop, unless each iteration
// begins by writing all of it. What a producer warp fills is needed from the beginning,
// since the producer is ahead; each of its copies is waited for where it is used, so that
// the last use ends it. A gemm in flight uses its operands up to the wait for it.
// Larger buffers take their place first, each the lowest one that is free.
//
// Barriers come after this: two buffers that share bytes are one to them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/LoopLayout.h"
#include "Memory/Overwrites.h"
#include "Memory/Shared.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Base/Math.h"
#include "tilec/Transforms/Passes.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_PLACESHAREDPASS
#include "tilec/Transforms/Passes.h.inc"

/// Whether the op overwrites all of the buffer, whatever it held.
bool overwritesAll(Operation *op, Value buffer) {
  if (auto copy = dyn_cast<tile::CopyOp>(op))
    return copy.getDst() == buffer && rootOf(copy.getSrc()) != buffer;
  auto loop = dyn_cast<tile::ParallelOp>(op);
  if (!loop || !loop.constantExtents() || llvm::is_contained(accessesOf(op).reads, buffer))
    return false;
  auto type = cast<tile::BufferType>(buffer.getType());
  for (tile::StoreOp store : loop.bodyBlock()->getOps<tile::StoreOp>()) {
    if (store.getBuffer() != buffer)
      continue;
    // Each index is another loop variable, which runs over the whole dimension.
    SmallVector<int, 4> direct = directIndices(store.getIndices(), loop);
    SmallVector<int64_t, 4> extents = *loop.constantExtents();
    llvm::SmallSet<int, 4> used;
    bool covers = true;
    for (auto [d, iv] : llvm::enumerate(direct))
      covers &= iv >= 0 && used.insert(iv).second && extents[iv] == type.getShape()[d];
    if (covers)
      return true;
  }
  return false;
}

int64_t sharedBytesOf(tile::AllocOp alloc) {
  constexpr int64_t alignBytes = 1024; // async copies write whole 1 KB rows
  const SharedLayout *layout = sharedLayoutOf(alloc.getResult());
  DType dtype = tile::dtypeOf(alloc.getResult().getType().getElementType());
  return layout ? alignTo(bytesOf(dtype) * layout->numElems(), alignBytes) : 0;
}

namespace {

struct Need {
  tile::AllocOp alloc;
  int64_t first = INT64_MAX, last = -1, bytes = 0, place = 0;

  bool meets(const Need &other) const { return first <= other.last && other.first <= last; }
  bool collides(const Need &other) const {
    return meets(other) && place < other.place + other.bytes && other.place < place + bytes;
  }
};

class Lifetimes {
public:
  explicit Lifetimes(tile::KernelOp kernel) : kernel(kernel) {
    int64_t count = 0;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { begins[op] = ends[op] = count++; });
    kernel.walk([&](Operation *op) { // inner ops first
      int64_t &end = ends[op->getParentOp()];
      end = std::max(end, ends[op]);
    });
  }

  Need of(tile::AllocOp alloc, FilledBuffers filled) {
    Need need{alloc};
    need.bytes = sharedBytesOf(alloc);
    SmallVector<Operation *> users;
    collectUsers(alloc.getResult(), users);
    bool isAhead = false, isFilled = false;
    llvm::SmallSetVector<Value, 2> pipes;
    for (Operation *user : users) {
      isFilled |= copiesFromGlobal(user);
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
    if (isAhead || (isFilled && filled != FilledBuffers::AsAccessed))
      need.first = begins.lookup(kernel);
    // A buffer that only the producer touches is read by nobody who says so.
    if ((isAhead && need.last < 0) || (isFilled && filled == FilledBuffers::Always))
      need.last = ends.lookup(kernel);
    return need;
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
      else if (isa<tile::ParallelOp>(at))
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
  /// Whether the buffer is used in this loop only, and each iteration overwrites it first.
  static bool startsAfresh(Operation *loop, tile::AllocOp alloc, ArrayRef<Operation *> users) {
    auto serial = dyn_cast<tile::ForOp>(loop);
    if (serial && serial.getKind() == tile::LoopKind::Pipelined && serial.getStages() > 1 &&
        llvm::any_of(users, copiesFromGlobal))
      return false; // copies of the next round will run ahead
    if (!serial || !llvm::all_of(users, [&](Operation *user) { return loop->isAncestor(user); }))
      return false;
    for (Operation &op : *serial.bodyBlock())
      if (llvm::any_of(users, [&](Operation *user) { return op.isAncestor(user); }))
        return overwritesAll(&op, alloc.getResult());
    return false;
  }

  tile::KernelOp kernel;
  llvm::DenseMap<Operation *, int64_t> begins, ends; ///< an op's number, and that of its last one
};

/// Every shared buffer that has a layout, and when it is needed.
SmallVector<Need> needsOf(tile::KernelOp kernel, FilledBuffers filled) {
  Lifetimes lifetimes(kernel);
  SmallVector<Need> needs;
  kernel.walk([&](tile::AllocOp alloc) {
    if (alloc.getResult().getType().isShared() && sharedLayoutOf(alloc.getResult()))
      needs.push_back(lifetimes.of(alloc, filled));
  });
  // A lockstep kernel says itself when its threads are done with a buffer.
  if (kernel.getLockstep())
    for (Need &need : needs) {
      need.first = 0;
      need.last = INT64_MAX - 1;
    }
  return needs;
}

SmallVector<Need> placed(tile::KernelOp kernel, FilledBuffers filled) {
  SmallVector<Need> needs = needsOf(kernel, filled);
  SmallVector<Need *> order;
  for (Need &need : needs)
    order.push_back(&need);
  // Those of one size as they stand in `needs`. (libstdc++ 12 warns at std::stable_sort.)
  llvm::sort(order,
             [](Need *a, Need *b) { return a->bytes != b->bytes ? a->bytes > b->bytes : a < b; });
  for (auto [n, need] : llvm::enumerate(order)) {
    // The ends of others are the only places worth a try.
    SmallVector<int64_t> candidates = {0};
    for (Need *other : ArrayRef(order).take_front(n))
      candidates.push_back(other->place + other->bytes);
    llvm::sort(candidates);
    for (int64_t place : candidates) {
      need->place = place;
      bool isFree = llvm::none_of(ArrayRef(order).take_front(n),
                                  [&](Need *other) { return need->collides(*other); });
      if (isFree)
        break;
    }
  }
  return needs;
}

} // namespace

int64_t sharedNeed(tile::KernelOp kernel, FilledBuffers filled) {
  int64_t bytes = 0;
  for (const Need &need : placed(kernel, filled))
    bytes = std::max(bytes, need.place + need.bytes);
  return bytes;
}

std::optional<std::pair<tile::AllocOp, tile::AllocOp>> buffersInEachOther(tile::KernelOp kernel) {
  SmallVector<Need> needs = needsOf(kernel, FilledBuffers::AsAccessed);
  for (Need &need : needs)
    need.place = *need.alloc.getSharedPlace();
  for (auto [n, need] : llvm::enumerate(needs))
    for (const Need &other : ArrayRef(needs).take_front(n))
      if (need.collides(other))
        return std::pair(other.alloc, need.alloc);
  return std::nullopt;
}

namespace {
struct PlaceSharedPass : impl::PlaceSharedPassBase<PlaceSharedPass> {
  void runOnOperation() override {
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      for (const Need &need : placed(kernel, FilledBuffers::AsAccessed)) {
        tile::AllocOp alloc = need.alloc;
        alloc.setSharedPlace(need.place);
      }
  }
};
} // namespace

} // namespace tilec
