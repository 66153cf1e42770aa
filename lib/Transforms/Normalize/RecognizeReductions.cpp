//===- RecognizeReductions.cpp - x = op(x, e) in a parallel becomes a reduction -===//
//
// A store of `op(load x[at], e)` to x[at], where `at` does not name every loop
// variable, folds e over the variables that are left out. The loop then stores e to
// a fragment over its whole space, E; one tile.reduce per folded variable combines E,
// and a loop over what is left updates x:
//
//   parallel (i, j) { x[i] = op(x[i], e) }
//     ->  parallel (i, j) { E[i, j] = e };  T = reduce op E;  parallel (i) { x[i] = op(x[i], T[i])
//     }
//
// Where what is left does not name the element by itself (x[j / 4]), x is updated by one
// iteration after another. Narrow floats round once: such an x is a tile of wide elements in shared
// memory around the loop.
//
// An update under a condition or in a serial loop starts E at the identity and
// updates it in place.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/MeetingIterations.h"
#include "Normalize/Normalize.h"
#include "Normalize/Updates.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/IR/Reported.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_RECOGNIZEREDUCTIONSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Whether anything but numbers that nobody uses is computed of it: an update that folds into a
/// constant (x & 0) leaves its load and what it was an operand of.
bool isUsed(Operation *op) {
  llvm::SmallPtrSet<Operation *, 8> seen;
  SmallVector<Operation *> waiting = {op};
  while (!waiting.empty())
    for (Operation *user : waiting.pop_back_val()->getUsers()) {
      if (!isMemoryEffectFree(user) || user->getNumRegions() > 0 ||
          user->hasTrait<OpTrait::IsTerminator>())
        return true;
      if (seen.insert(user).second)
        waiting.push_back(user);
    }
  return false;
}

/// Whether the store puts back what its element holds: an update by the neutral element, which
/// folds away.
bool putsBack(tile::StoreOp store) {
  auto load = store.getValue().getDefiningOp<tile::LoadOp>();
  if (!load || load->getBlock() != store->getBlock() || load.getBuffer() != store.getBuffer() ||
      !sameIndices(load.getIndices(), store.getIndices()))
    return false;
  for (Operation *op = load->getNextNode(); op != store; op = op->getNextNode())
    if (!isMemoryEffectFree(op) && !isa<tile::LoadOp>(op))
      return false;
  return true;
}

class ReductionRewriter {
public:
  explicit ReductionRewriter(tile::ParallelOp loop) : loop(loop), loc(loop.getLoc()) {}

  LogicalResult run() {
    if (!loop.constantExtents())
      return success();
    SmallVector<tile::StoreOp> stores;
    loop.walk([&](tile::StoreOp store) { stores.push_back(store); });
    for (tile::StoreOp store : stores) {
      if (putsBack(store)) {
        store.erase();
        continue;
      }
      Variables used = variablesIn(store.getIndices(), loop);
      bool isPrivate = store.getBuffer().getDefiningOp() &&
                       loop->isProperAncestor(store.getBuffer().getDefiningOp());
      if (isPrivate)
        continue;
      bool meet = mayMeet(store, used, loop);
      if (!meet && (used.size() == loop.ivs().size() || isTrivial(used)))
        continue;
      std::optional<Update> update = matchUpdate(store);
      if (!update && used.size() == loop.ivs().size())
        continue; // tile-check has looked
      if (!update) {
        if (failed(checkNoCarriedDependence(store)))
          return failure();
        continue;
      }
      rewrite(*update, used, meet);
    }
    return success();
  }

private:
  /// Variables that are left out but run over one iteration only do not fold anything.
  bool isTrivial(const Variables &used) {
    SmallVector<int64_t, 4> extents = *loop.constantExtents();
    for (unsigned n = 0; n < extents.size(); ++n)
      if (!used.contains(n) && extents[n] != 1)
        return false;
    return true;
  }

  /// A plain overwrite from all iterations is any one of them; reading what another iteration
  /// wrote is an error.
  LogicalResult checkNoCarriedDependence(tile::StoreOp store) {
    Operation *reader = nullptr;
    loop.walk([&](tile::LoadOp load) {
      if (load.getBuffer() == store.getBuffer() && isUsed(load))
        reader = load;
    });
    if (!reader)
      return success();
    return Reported(store, DiagId::UpdateNoReduction).note(reader, DiagId::OtherAccess, "read");
  }

  void rewrite(Update &update, const Variables &used, bool meet);
  void updateInOrder(OpBuilder &b, Update &update, Value folded, ArrayRef<unsigned> kept);
  void updateOne(OpBuilder &b, Update &update, Value x, Value folded, ArrayRef<unsigned> kept,
                 ValueRange ivs);

  tile::ParallelOp loop;
  Location loc;
};

/// One element of x, with the variables of the loop at `ivs` (kept ones, or a 0).
void ReductionRewriter::updateOne(OpBuilder &b, Update &update, Value x, Value folded,
                                  ArrayRef<unsigned> kept, ValueRange ivs) {
  IRMapping mapping;
  for (auto [n, iv] : llvm::enumerate(kept))
    mapping.map(loop.ivs()[iv], ivs[n]);
  SmallVector<Value> at;
  for (Value index : update.store.getIndices())
    at.push_back(computed(b, index, loop, mapping));
  Type scalar = update.store.getValue().getType();
  Value old = tile::LoadOp::create(b, loc, scalar, x, at, FloatAttr());
  Value value = tile::LoadOp::create(b, loc, scalar, folded, ivs, FloatAttr());
  value = combine(b, loc, update.kind, old, value, update.isUnsigned, false);
  tile::StoreOp::create(b, loc, value, x, at);
}

/// Elements that several iterations update: one iteration after another, in the scalar's type.
void ReductionRewriter::updateInOrder(OpBuilder &b, Update &update, Value folded,
                                      ArrayRef<unsigned> kept) {
  SmallVector<int64_t, 4> extents = *loop.constantExtents();
  Type scalar = update.store.getValue().getType();
  Value x = update.store.getBuffer(), wide = x;
  auto type = cast<tile::BufferType>(x.getType());
  if (isa<FloatType>(scalar) && type.getElementType() != scalar && !type.isGlobal()) {
    auto wideType = tile::BufferType::get(type.getShape(), scalar, tile::Scope::Shared);
    wide = tile::AllocOp::create(b, loc, wideType, "updated", Attribute());
    moveElements(b, loc, scalar, x, wide);
  }
  SmallVector<Value> ivs;
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  SmallVector<Value> bounds;
  for (unsigned n : kept)
    bounds.push_back(arith::ConstantIndexOp::create(b, loc, extents[n]));
  OpBuilder inner(b);
  Operation *outermost = nullptr;
  for (Value extent : bounds) {
    auto serial = tile::ForOp::create(inner, loc, zero, extent, one);
    outermost = outermost ? outermost : serial.getOperation();
    ivs.push_back(serial.iv());
    inner = OpBuilder::atBlockEnd(serial.bodyBlock());
  }
  // Once for the block, whatever its threads do.
  auto once = tile::ParallelOp::create(inner, loc, ValueRange(one));
  inner = OpBuilder::atBlockEnd(once.bodyBlock());
  updateOne(inner, update, wide, folded, kept, ivs);
  if (outermost)
    b.setInsertionPointAfter(outermost);
  if (wide != x)
    moveElements(b, loc, scalar, wide, x);
}

void ReductionRewriter::rewrite(Update &update, const Variables &used, bool meet) {
  SmallVector<int64_t, 4> extents = *loop.constantExtents();
  Type scalar = update.store.getValue().getType();
  // E has the scalar's type: f32 for narrow floats, so nothing is rounded on the way. A bool is
  // combined as a byte would be, and stays a bool.
  tile::BufferType target = update.store.getBuffer().getType();
  DType targetType = tile::dtypeOf(target.getElementType());
  Type element = isFloat(targetType) ? scalar : target.getElementType();
  OpBuilder before(loop);
  auto wholeType = tile::BufferType::get(extents, element, tile::Scope::Fragment);
  std::string name = "reduced";
  Value whole = tile::AllocOp::create(before, loc, wholeType, name, Attribute());
  SmallVector<Value> ivs(loop.ivs().begin(), loop.ivs().end());

  // The loop: E instead of x.
  OpBuilder b(update.store);
  Value term = makeTerm(b, loc, update);
  bool isDirect = update.store->getBlock() == loop.bodyBlock();
  if (!isDirect) {
    OpBuilder top = OpBuilder::atBlockBegin(loop.bodyBlock());
    Value identity = identityOfElement(top, loc, update.kind, element, update.isUnsigned);
    tile::StoreOp::create(top, loc, identity, whole, ivs);
    Value partial = tile::LoadOp::create(b, loc, scalar, whole, ivs, FloatAttr());
    term = combine(b, loc, update.kind, partial, term, update.isUnsigned, false);
  }
  tile::StoreOp::create(b, loc, term, whole, ivs);

  // After it: fold the left-out variables, last first.
  OpBuilder after(loop->getContext());
  after.setInsertionPointAfter(loop);
  Value folded = whole;
  SmallVector<int64_t> shape(extents.begin(), extents.end());
  SmallVector<unsigned> kept;
  for (unsigned n = 0; n < extents.size(); ++n)
    if (used.contains(n))
      kept.push_back(n);
  for (int n = int(extents.size()) - 1; n >= 0; --n) {
    if (used.contains(n))
      continue;
    shape.erase(shape.begin() + n);
    SmallVector<int64_t> resultShape = shape;
    if (resultShape.empty())
      resultShape.push_back(1); // a scalar is one element
    auto type = tile::BufferType::get(resultShape, element, tile::Scope::Fragment);
    Value next = tile::AllocOp::create(after, loc, type, name, Attribute());
    tile::ReduceOp::create(after, loc, update.kind, folded, next, n, true, false,
                           tile::ReduceStep::Whole, /*shared_place=*/{});
    folded = next;
  }

  // x[at] = op(x[at], T).
  if (meet) {
    updateInOrder(after, update, folded, kept);
  } else {
    SmallVector<Value> bounds;
    for (unsigned n : kept)
      bounds.push_back(arith::ConstantIndexOp::create(after, loc, extents[n]));
    if (bounds.empty())
      bounds.push_back(arith::ConstantIndexOp::create(after, loc, 1));
    auto update2 = tile::ParallelOp::create(after, loc, bounds);
    OpBuilder inner = OpBuilder::atBlockEnd(update2.bodyBlock());
    updateOne(inner, update, update.store.getBuffer(), folded, kept, update2.ivs());
  }

  eraseUpdate(update.store, loop);
}

} // namespace

static LogicalResult recognizeReductions(tile::ProgramOp program) {
  for (tile::ParallelOp loop : outermostParallels(program))
    if (failed(ReductionRewriter(loop).run()))
      return failure();
  return success();
}

namespace {
struct RecognizeReductionsPass : impl::RecognizeReductionsPassBase<RecognizeReductionsPass> {
  void runOnOperation() override {
    if (failed(recognizeReductions(getOperation())))
      signalPassFailure();
  }
};
} // namespace

} // namespace tilec
