//===- OrderUpdates.cpp - updates of elements that memory names -----------===//
//
// x[I[i]] = op(x[I[i]], e) in a parallel: nobody knows whether iterations share an
// element, and each of them counts. Where there is an atomic that computes the same, it is used
// (UpdateAtomically.cpp). Otherwise the iterations that may meet take turns:
//
//   parallel (i, j) { x[I[i], j] = op(x[I[i], j], e) }
//     ->  for i { parallel (j) { x[I[i], j] = op(x[I[i], j], e) } }
//
// Fragments have no atomics, and narrow floats are to round once: for the loop, such an x is a
// tile in shared memory whose elements are what is computed with.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_ORDERUPDATESPASS
#include "tilec/Transforms/Passes.h.inc"

/// Whether the value is computed from what an iteration of the parallel loads.
static bool isLoaded(Value value, tile::ParallelOp loop) {
  Operation *op = value.getDefiningOp();
  if (!op || !loop->isProperAncestor(op))
    return false;
  return isa<tile::LoadOp>(op) ||
         llvm::any_of(op->getOperands(), [&](Value v) { return isLoaded(v, loop); });
}

static tile::ParallelOp outermostParallel(Operation *op) {
  auto loop = op->getParentOfType<tile::ParallelOp>();
  while (loop && loop->getParentOfType<tile::ParallelOp>())
    loop = loop->getParentOfType<tile::ParallelOp>();
  return loop;
}

/// Whether the variable stands in an index of the element beside what is fixed in the loop, so that
/// iterations that differ in it have different elements.
static bool namesElement(Value iv, tile::StoreOp store, tile::ParallelOp outermost) {
  return llvm::any_of(store.getIndices(), [&](Value index) {
    LinearForm form = linearize(index);
    return form.coefficient(iv) != 0 && llvm::none_of(form.terms, [&](auto &term) {
             return term.first != iv &&
                    outermost.getBody().isAncestor(term.first.getParentRegion());
           });
  });
}

/// Whether some loop variable that has several values names no element.
static bool mayShareElements(tile::StoreOp store, tile::ParallelOp outermost) {
  for (Operation *at = store->getParentOp();; at = at->getParentOp()) {
    auto loop = dyn_cast<tile::ParallelOp>(at);
    for (unsigned n = 0; loop && n < loop.ivs().size(); ++n)
      if (tile::constantInt(loop.getExtents()[n]).value_or(2) != 1 &&
          !namesElement(loop.ivs()[n], store, outermost))
        return true;
    if (at == outermost)
      return false;
  }
}

/// What the store updates its element with, if memory names the element and iterations may share
/// it.
static std::optional<ReductionUpdate> matchLoadedUpdate(tile::StoreOp store) {
  tile::ParallelOp loop = outermostParallel(store);
  // Buffers of a thread, and those of an iteration, are shared by none.
  if (!loop || store.getBuffer().getType().isLocal() ||
      loop->isProperAncestor(rootOf(store.getBuffer()).getParentRegion()->getParentOp()) ||
      llvm::none_of(store.getIndices(), [&](Value v) { return isLoaded(v, loop); }) ||
      !mayShareElements(store, loop))
    return std::nullopt;
  return matchReduction(store);
}

static std::optional<tile::AtomicKind> atomicOf(tile::ReduceKind kind, Type scalar) {
  // Integers of fewer bits have none.
  if (scalar.getIntOrFloatBitWidth() < 32)
    return std::nullopt;
  if (kind == tile::ReduceKind::Sum)
    return tile::AtomicKind::Add;
  if (isa<FloatType>(scalar)) // max and min of floats: which of two zeros, and NaN, is left open
    return std::nullopt;
  switch (kind) {
  case tile::ReduceKind::Max:
    return tile::AtomicKind::Max;
  case tile::ReduceKind::Min:
    return tile::AtomicKind::Min;
  case tile::ReduceKind::BitAnd:
    return tile::AtomicKind::And;
  case tile::ReduceKind::BitOr:
    return tile::AtomicKind::Or;
  case tile::ReduceKind::BitXor:
    return tile::AtomicKind::Xor;
  default:
    return std::nullopt;
  }
}

std::optional<tile::AtomicKind> atomicOfUpdate(tile::StoreOp store) {
  tile::BufferType type = store.getBuffer().getType();
  std::optional<ReductionUpdate> update = matchLoadedUpdate(store);
  bool isInMemory = type.isGlobal() || type.isShared();
  if (!update || !update->old->hasOneUse() || !isInMemory ||
      bitsOf(tile::dtypeOf(type.getElementType())) < 32)
    return std::nullopt;
  return atomicOf(update->kind, store.getValue().getType());
}

/// Whether the loop is done with a wide tile in shared memory instead of the buffer.
static bool wantsWideTile(tile::StoreOp store, const ReductionUpdate &update) {
  Value x = store.getBuffer();
  auto type = cast<tile::BufferType>(x.getType());
  Type scalar = store.getValue().getType();
  bool isNarrow = type.isShared() && isa<FloatType>(scalar) && type.getElementType() != scalar;
  bool isOwn = x.getDefiningOp<tile::AllocOp>() && !ShapedType::isDynamicShape(type.getShape());
  tile::ParallelOp loop = outermostParallel(store);
  return (type.isFragment() || isNarrow) && isOwn && update.old->hasOneUse() &&
         llvm::all_of(x.getUsers(), [&](Operation *user) {
           return user == store || user == update.old || !loop->isProperAncestor(user);
         });
}

bool updatesInTurns(tile::StoreOp store) {
  std::optional<ReductionUpdate> update = matchLoadedUpdate(store);
  if (!update || atomicOfUpdate(store))
    return false;
  return !wantsWideTile(store, *update) || !atomicOf(update->kind, store.getValue().getType());
}

namespace {

void useWideTile(tile::StoreOp store, ReductionUpdate &update) {
  tile::ParallelOp loop = outermostParallel(store);
  Location loc = store.getLoc();
  Value x = store.getBuffer();
  auto type = cast<tile::BufferType>(x.getType());
  Type scalar = store.getValue().getType();
  Type element = isa<FloatType>(scalar) ? scalar : type.getElementType();
  OpBuilder before(loop), after(loop->getContext());
  after.setInsertionPointAfter(loop);
  auto wideType = tile::BufferType::get(type.getShape(), element, tile::Scope::Shared);
  Value wide = tile::AllocOp::create(before, loc, wideType, "updated", Attribute());
  moveElements(before, loc, scalar, x, wide);
  store.getBufferMutable().assign(wide);
  update.old.getBufferMutable().assign(wide);
  moveElements(after, loc, scalar, wide, x);
}

/// Iterations that differ in variables which name no element, one after another.
void takeTurns(tile::StoreOp store) {
  tile::ParallelOp loop = outermostParallel(store);
  Location loc = loop.getLoc();
  OpBuilder b(loop);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  SmallVector<Value> together;
  SmallVector<Value> inParallel; // loop variables
  for (auto [n, extent] : llvm::enumerate(loop.getExtents())) {
    Value iv = loop.ivs()[n];
    if (namesElement(iv, store, loop)) {
      together.push_back(extent);
      inParallel.push_back(iv);
      continue;
    }
    auto turns = tile::ForOp::create(b, loc, zero, extent, one);
    iv.replaceAllUsesWith(turns.iv());
    b = OpBuilder::atBlockEnd(turns.bodyBlock());
  }
  if (together.empty())
    together.push_back(one);
  auto inner = tile::ParallelOp::create(b, loc, together);
  for (auto [n, iv] : llvm::enumerate(inParallel))
    iv.replaceAllUsesWith(inner.ivs()[n]);
  inner.bodyBlock()->getOperations().splice(inner.bodyBlock()->end(),
                                            loop.bodyBlock()->getOperations());
  loop.erase();
}

} // namespace

static void orderLoadedUpdates(tile::ProgramOp program) {
  SmallVector<tile::StoreOp> updates, inTurns;
  program.walk([&](tile::StoreOp store) {
    if (matchLoadedUpdate(store) && !atomicOfUpdate(store))
      updates.push_back(store);
  });
  // All tiles before turns, behind which it is not seen any more that iterations share elements.
  for (tile::StoreOp store : updates) {
    std::optional<ReductionUpdate> update = matchLoadedUpdate(store);
    if (wantsWideTile(store, *update))
      useWideTile(store, *update);
    if (!atomicOfUpdate(store))
      inTurns.push_back(store);
  }
  for (tile::StoreOp store : inTurns)
    if (matchLoadedUpdate(store)) // not done with another one of its loop
      takeTurns(store);
}

namespace {
struct OrderUpdatesPass : impl::OrderUpdatesPassBase<OrderUpdatesPass> {
  void runOnOperation() override { orderLoadedUpdates(getOperation()); }
};
} // namespace

} // namespace tilec
