//===- ForwardLocals.cpp - local arrays of an iteration's own elements -----===//
//
//   for i, j in T.Parallel(8, 128):
//     x = T.alloc_local((8,), "float16")
//     for v in T.vectorized(8): x[v] = A[i, j * 8 + v] + B[i, j * 8 + v]
//     for v in T.vectorized(8): C[i, j * 8 + v] = x[v]
//
// Registers have no addresses: which element is meant would be chosen among all of them. What a
// loop writes of an array element by element is computed where it is read, and the array is gone:
// one loop is left, which tile-widen-parallels knows.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/KnownLoops.h"
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_FORWARDLOCALSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// A loop that writes each element of an array, `x[v] = f(v)`.
struct Definition {
  tile::ForOp loop;
  tile::StoreOp store;
  SmallVector<Operation *> slice; ///< of the loop's body, what the value is computed by, in order
  SmallVector<Value> reads;       ///< buffers that it reads
  bool isCostly = false;          ///< more than a few simple operations
};

/// A read of an array, and the definition that it gets its value of.
struct Use {
  tile::LoadOp load;
  Definition definition;
};

/// What `store` puts into an element is computed by: pure operations and reads of the loop's body.
bool findSlice(Definition &definition) {
  constexpr size_t mostOps = 64, mostCheap = 24;
  llvm::SetVector<Operation *> found;
  SmallVector<Value> open{definition.store.getValue()};
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || !definition.loop->isProperAncestor(op) || found.contains(op))
      continue;
    auto load = dyn_cast<tile::LoadOp>(op);
    if (op->getBlock() != definition.loop.bodyBlock() || op->getNumRegions() != 0 ||
        !(load || isPure(op)) || found.size() == mostOps)
      return false;
    if (load)
      definition.reads.push_back(rootOf(load.getBuffer()));
    definition.isCostly |= isa<math::MathDialect>(op->getDialect());
    found.insert(op);
    llvm::append_range(open, op->getOperands());
  }
  definition.isCostly |= found.size() > mostCheap;
  for (Operation &op : *definition.loop.bodyBlock())
    if (found.contains(&op))
      definition.slice.push_back(&op);
  return true;
}

/// The definition that the loop is of the array, if it writes all of it, once.
std::optional<Definition> definitionBy(Operation *op, tile::AllocOp array) {
  auto loop = dyn_cast<tile::ForOp>(op);
  if (!loop || !countsOn(loop) ||
      tile::constantInt(loop.getUpper()) != array.getResult().getType().getShape()[0])
    return std::nullopt;
  Definition definition{loop, {}, {}, {}};
  for (Operation *user : array.getResult().getUsers()) {
    auto store = dyn_cast<tile::StoreOp>(user);
    if (!store || !loop->isProperAncestor(store))
      continue;
    if (definition.store || store->getBlock() != loop.bodyBlock() ||
        store.getIndices()[0] != loop.iv())
      return std::nullopt;
    definition.store = store;
  }
  return definition.store && findSlice(definition) ? std::optional(definition) : std::nullopt;
}

/// How often an iteration of the parallel comes to the op; none if that is not known.
std::optional<int64_t> timesIn(tile::ParallelOp parallel, Operation *op) {
  int64_t times = 1;
  for (Operation *at = op->getParentOp(); at != parallel; at = at->getParentOp()) {
    auto loop = dyn_cast<tile::ForOp>(at);
    if (loop && countsOn(loop))
      times *= *tile::constantInt(loop.getUpper());
    else if (!isa<scf::IfOp>(at))
      return std::nullopt;
  }
  return times;
}

/// Every read of the array with its definition; nothing where one has none, or is made up too
/// often.
std::optional<SmallVector<Use>> usesOf(tile::AllocOp array, tile::ParallelOp parallel) {
  SmallVector<Use> uses;
  std::optional<Definition> current;
  llvm::SmallPtrSet<Operation *, 8> loads;
  for (Operation *user : array.getResult().getUsers()) {
    if (!isa<tile::LoadOp, tile::StoreOp>(user))
      return std::nullopt;
    if (isa<tile::LoadOp>(user))
      loads.insert(user);
  }
  int64_t n = array.getResult().getType().getShape()[0], evaluations = 0;
  bool isCostly = false;
  for (Operation &op : *parallel.bodyBlock()) {
    std::optional<Definition> own = definitionBy(&op, array);
    bool writesArray = llvm::is_contained(accessesOf(&op).writes, array.getResult());
    if (writesArray && !own)
      return std::nullopt;
    // What the definition reads, it would read behind what is written here.
    if (current && llvm::any_of(current->reads, [&](Value root) {
          return root != array.getResult() && isChangedBy(accessesOf(&op).writes, root);
        }))
      current.reset();
    auto result = op.walk([&](tile::LoadOp load) {
      if (!loads.contains(load))
        return WalkResult::advance();
      std::optional<int64_t> times = timesIn(parallel, load);
      std::optional<IndexRange> range = rangeOf(load.getIndices()[0]);
      // In the loop that writes the array anew, an element is read before it is written.
      bool isInOrder =
          !own || (load.getIndices()[0] == own->loop.iv() &&
                   load->getBlock() == own->loop.bodyBlock() && load->isBeforeInBlock(own->store));
      if (!current || !times || !range || range->low < 0 || range->high >= n || !isInOrder)
        return WalkResult::interrupt();
      evaluations += *times;
      isCostly |= current->isCostly;
      uses.push_back({load, *current});
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return std::nullopt;
    if (own) {
      current = own;
      // Its own reads are in front of what its loop writes.
      if (llvm::any_of(own->reads, [&](Value root) {
            return root != array.getResult() && isChangedBy(accessesOf(&op).writes, root);
          }))
        current.reset();
    }
  }
  constexpr int64_t mostTimes = 4;
  return evaluations <= (isCostly ? n : mostTimes * n) ? std::optional(uses) : std::nullopt;
}

/// The value as the array holds it.
Value heldValue(OpBuilder &b, Location loc, Value value, Type element) {
  auto type = dyn_cast<FloatType>(element);
  bool isNarrow = type && type.getWidth() < 32;
  auto round = value.getDefiningOp<tile::RoundOp>();
  if (!isNarrow || (round && round.getDtype() == element))
    return value;
  return tile::RoundOp::create(b, loc, value.getType(), value, TypeAttr::get(element));
}

/// The uses of one array, those of the first loops first: what a later definition reads of the
/// array is then gone.
void forward(tile::AllocOp array, ArrayRef<Use> uses) {
  Type element = array.getResult().getType().getElementType();
  // A definition's slice may hold a read that has been replaced: it is found again.
  for (Use use : uses) {
    Definition definition{use.definition.loop, use.definition.store, {}, {}};
    findSlice(definition);
    OpBuilder b(use.load);
    IRMapping map;
    map.map(definition.loop.iv(), use.load.getIndices()[0]);
    for (Operation *op : definition.slice)
      b.clone(*op, map);
    use.load.getResult().replaceAllUsesWith(
        heldValue(b, use.load.getLoc(), map.lookupOrDefault(definition.store.getValue()), element));
    use.load.erase();
  }
  for (Operation *user : llvm::make_early_inc_range(array.getResult().getUsers())) {
    auto loop = cast<tile::StoreOp>(user)->getParentOfType<tile::ForOp>();
    user->erase();
    if (accessesOf(loop).writes.empty())
      loop.erase();
  }
  array.erase();
}

bool forwardOne(tile::ParallelOp parallel) {
  for (auto array : parallel.bodyBlock()->getOps<tile::AllocOp>()) {
    tile::BufferType type = array.getResult().getType();
    if (!type.isLocal() || type.getShape().size() != 1)
      continue;
    if (std::optional<SmallVector<Use>> uses = usesOf(array, parallel)) {
      forward(array, *uses);
      return true;
    }
  }
  return false;
}

struct ForwardLocalsPass : impl::ForwardLocalsPassBase<ForwardLocalsPass> {
  void runOnOperation() override {
    for (tile::ParallelOp parallel : outermostParallels(getOperation()))
      if (!parallel->getParentOfType<tile::KernelOp>().getLockstep())
        while (forwardOne(parallel)) {
        }
  }
};

} // namespace

} // namespace tilec
