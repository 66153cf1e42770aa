//===- PlaceLocals.cpp - local buffers that threads write for each other --===//
//
// Outside of lockstep mode a local buffer is one buffer of the block. Where every thread
// would write all of it alike, each thread holds a copy in its registers and nothing has
// to pass between them. What threads write for each other is in shared memory.
// Buffers of an iteration of a parallel are left alone: they belong to one thread.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Locals.h"
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/Passes.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_PLACELOCALSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

// A copy in every thread: an index that is not constant is a choice among all elements.
constexpr int64_t mostChosenElements = 32;
constexpr int64_t mostHeldElements = 64;

class Placement {
public:
  explicit Placement(tile::KernelOp kernel);

  /// Buffers that threads write for each other.
  SmallVector<Local> sharedOnes();

private:
  bool canBeHeld(Local &local);
  bool isHeldBy(Local &local, Operation *write);
  bool isHeld(Value buffer) { return held.contains(rootOf(buffer)); }

  std::vector<Local> locals;
  llvm::SetVector<Value> held; ///< those of which every thread has a copy
};

Placement::Placement(tile::KernelOp kernel) : locals(localsOf(kernel)) {
  for (Local &local : locals)
    if (canBeHeld(local))
      held.insert(local.alloc.getResult());
  // A copy from a buffer that is not held is no write of every thread.
  for (size_t before = held.size() + 1; before != held.size();) {
    before = held.size();
    for (Local &local : locals)
      if (isHeld(local.alloc.getResult()) && !llvm::all_of(local.users, [&](Operation *user) {
            return !local.writes(user) || isHeldBy(local, user);
          }))
        held.remove(local.alloc.getResult());
  }
}

/// Whether the registers of a thread can serve all accesses.
bool Placement::canBeHeld(Local &local) {
  unsigned bits = bitsOf(tile::dtypeOf(local.type().getElementType()));
  bool isWritten = llvm::any_of(local.users, [&](Operation *user) { return local.writes(user); });
  for (Operation *view : local.views) {
    auto type = cast<tile::BufferType>(view->getResult(0).getType());
    bool isRecast = bitsOf(tile::dtypeOf(type.getElementType())) != bits;
    bool isWrittenThrough = llvm::any_of(view->getResult(0).getUsers(),
                                         [&](Operation *user) { return local.writes(user); });
    if (isa<tile::ReshapeOp>(view) && (isRecast || (isWritten && isWrittenThrough)))
      return false;
  }
  auto isConstant = [](Operation *op) {
    ValueRange indices;
    if (auto load = dyn_cast<tile::LoadOp>(op))
      indices = load.getIndices();
    else if (auto store = dyn_cast<tile::StoreOp>(op))
      indices = store.getIndices();
    else
      return isa<tile::FillOp>(op);
    return llvm::all_of(indices, [](Value v) { return tile::constantInt(v).has_value(); });
  };
  bool isConstantOnly = llvm::all_of(local.users, isConstant);
  return local.type().numElems() <= (isConstantOnly ? mostHeldElements : mostChosenElements);
}

/// Whether every thread can do the write, and writes the same.
bool Placement::isHeldBy(Local &local, Operation *write) {
  tile::ParallelOp loop = outermostParallelOf(write);
  if (auto store = dyn_cast<tile::StoreOp>(write)) {
    // A reduction over the whole loop gives its result to all threads.
    return !loop || hasOneIteration(loop) ||
           (matchReduction(store) &&
            llvm::none_of(store.getIndices(), [&](Value index) { return variesIn(index, loop); }));
  }
  if (loop)
    return false;
  if (isa<tile::FillOp>(write))
    return true;
  auto copy = dyn_cast<tile::CopyOp>(write);
  if (!copy || rootOf(copy.getSrc()) == local.alloc.getResult())
    return false;
  auto src = cast<tile::BufferType>(copy.getSrc().getType());
  return src.isGlobal() || src.isShared() || isHeld(copy.getSrc());
}

SmallVector<Local> Placement::sharedOnes() {
  SmallVector<Local> result;
  for (Local &local : locals)
    if (!isHeld(local.alloc.getResult()))
      result.push_back(local);
  return result;
}

} // namespace

static void placeLocals(tile::KernelOp kernel) {
  for (Local &local : Placement(kernel).sharedOnes()) {
    local.setScope(tile::Scope::Shared);
    local.alloc.setWasLocal(true);
  }
}

namespace {
struct PlaceLocalsPass : impl::PlaceLocalsPassBase<PlaceLocalsPass> {
  void runOnOperation() override {
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      if (!kernel.getLockstep())
        placeLocals(kernel);
  }
};
} // namespace

} // namespace tilec
