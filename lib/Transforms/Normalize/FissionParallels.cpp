//===- FissionParallels.cpp - nested parallels become perfect nests -------===//
//
//   parallel (i) { S1; parallel (j) { B }; S2 }
//
// becomes parallel (i) { S1 }, parallel (i, j) { B }, parallel (i) { S2 }: iterations
// are independent, so statement by statement is as good as iteration by iteration.
// Likewise a serial loop with a parallel in it, whose bounds are the same for all i:
// parallel (i) { for k { S } } becomes for k { parallel (i) { S } }.
// Scalars that cross a cut, and private buffers, get one element per outer iteration:
// they become fragments.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_FISSIONPARALLELSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// The element type of a buffer that can hold a scalar of this type.
Type storageTypeOf(Type scalar) {
  return scalar.isIndex() ? Type(IntegerType::get(scalar.getContext(), 32)) : scalar;
}

/// A serial loop with parallels in it (boundNestedParallels has left only those that fission
/// takes).
bool holdsParallel(Operation *op) {
  return isa<tile::ForOp>(op) &&
         op->walk([](tile::ParallelOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

class Fission {
public:
  explicit Fission(tile::ParallelOp loop)
      : loop(loop), builder(loop), loc(loop.getLoc()), extents(*loop.constantExtents()) {}

  void run();

private:
  /// Consecutive statements that stay together; a nested parallel, or a serial loop that changes
  /// places with the parallel, is alone.
  struct Piece {
    SmallVector<Operation *> ops;
    tile::ParallelOp nested;
    tile::ForOp serial;

    bool isAlone() const { return nested || serial; }
  };

  void splitBody();
  void expandLocals();
  void expandValues();
  void emit(Piece &piece);
  Value makeFragment(StringRef name, Type element, ArrayRef<int64_t> inner);
  unsigned pieceOf(Operation *op);

  tile::ParallelOp loop;
  OpBuilder builder;
  Location loc;
  SmallVector<int64_t, 4> extents;
  SmallVector<Piece> pieces;
};

/// Pure index arithmetic without loads may be repeated in every piece.
bool isCheap(Operation *op) {
  return isPure(op) && op->getNumRegions() == 0 && !isa<tile::LoadOp>(op) &&
         llvm::all_of(op->getResultTypes(), [](Type t) { return t.isIntOrIndex(); });
}

/// Whether everything that `op` is computed from is cheap as well, up to values from outside.
bool isCheapTree(Operation *op, Block *body) {
  if (op->getBlock() != body)
    return true;
  return (isCheap(op) || isa<arith::ConstantOp>(op)) &&
         llvm::all_of(op->getOperands(), [&](Value v) {
           Operation *def = v.getDefiningOp();
           return !def || isCheapTree(def, body);
         });
}

void Fission::splitBody() {
  for (Operation &op : *loop.bodyBlock()) {
    if (auto nested = dyn_cast<tile::ParallelOp>(op)) {
      pieces.push_back({{}, nested, {}});
      continue;
    }
    if (holdsParallel(&op)) {
      pieces.push_back({{}, {}, cast<tile::ForOp>(op)});
      continue;
    }
    if (pieces.empty() || pieces.back().isAlone())
      pieces.push_back({});
    pieces.back().ops.push_back(&op);
  }
}

Value Fission::makeFragment(StringRef name, Type element, ArrayRef<int64_t> inner) {
  SmallVector<int64_t> shape(extents.begin(), extents.end());
  shape.append(inner.begin(), inner.end());
  OpBuilder before(loop);
  auto type = tile::BufferType::get(shape, element, tile::Scope::Fragment);
  return tile::AllocOp::create(before, loc, type, name, Attribute());
}

/// Private buffers become fragments with the loop's indices in front.
void Fission::expandLocals() {
  SmallVector<tile::AllocOp> locals(loop.bodyBlock()->getOps<tile::AllocOp>());
  for (tile::AllocOp local : locals) {
    tile::BufferType type = local.getResult().getType();
    Value fragment = makeFragment(local.getName(), type.getElementType(), type.getShape());
    auto widened = [&](ValueRange indices) {
      SmallVector<Value> all(loop.ivs().begin(), loop.ivs().end());
      all.append(indices.begin(), indices.end());
      return all;
    };
    for (Operation *user : llvm::make_early_inc_range(local->getUsers())) {
      if (auto load = dyn_cast<tile::LoadOp>(user)) {
        SmallVector<Value> indices = widened(load.getIndices());
        load.getBufferMutable().assign(fragment);
        load.getIndicesMutable().assign(indices);
      } else if (auto store = dyn_cast<tile::StoreOp>(user)) {
        SmallVector<Value> indices = widened(store.getIndices());
        store.getBufferMutable().assign(fragment);
        store.getIndicesMutable().assign(indices);
      }
    }
    if (local->use_empty())
      local.erase();
  }
}

unsigned Fission::pieceOf(Operation *op) {
  Operation *top = loop.bodyBlock()->findAncestorOpInBlock(*op);
  for (auto [n, piece] : llvm::enumerate(pieces))
    if (piece.nested == top || piece.serial == top || llvm::is_contained(piece.ops, top))
      return n;
  llvm_unreachable("the op is in the loop's body");
}

/// A scalar that a later piece uses is stored where it is computed and loaded where it is used.
void Fission::expandValues() {
  for (auto [n, piece] : llvm::enumerate(pieces)) {
    for (Operation *op : SmallVector<Operation *>(piece.ops)) {
      for (Value result : op->getResults()) {
        if (isa<tile::BufferType>(result.getType()) || isCheapTree(op, loop.bodyBlock()))
          continue;
        SmallVector<OpOperand *> later;
        for (OpOperand &use : result.getUses())
          if (pieceOf(use.getOwner()) != n)
            later.push_back(&use);
        if (later.empty())
          continue;
        Type scalar = result.getType(), stored = storageTypeOf(scalar);
        Value fragment = makeFragment("crossing", stored, {});
        SmallVector<Value> ivs(loop.ivs().begin(), loop.ivs().end());
        OpBuilder after(op->getContext());
        after.setInsertionPointAfter(op);
        Value value = result;
        if (scalar.isIndex())
          value = arith::IndexCastOp::create(after, loc, stored, value);
        auto store = tile::StoreOp::create(after, loc, value, fragment, ivs);
        auto at = llvm::find(piece.ops, op);
        if (scalar.isIndex())
          at = piece.ops.insert(std::next(at), value.getDefiningOp());
        piece.ops.insert(std::next(at), store);
        for (OpOperand *use : later) {
          OpBuilder b(use->getOwner());
          Value loaded = tile::LoadOp::create(b, loc, stored, fragment, ivs, FloatAttr());
          if (scalar.isIndex())
            loaded = arith::IndexCastOp::create(b, loc, scalar, loaded);
          // Loads inside a run belong to it.
          Piece &home = pieces[pieceOf(use->getOwner())];
          if (!home.isAlone() && use->getOwner()->getBlock() == loop.bodyBlock()) {
            auto user = llvm::find(home.ops, use->getOwner());
            user = home.ops.insert(user, fragment ? loaded.getDefiningOp() : nullptr);
            if (scalar.isIndex())
              home.ops.insert(user, loaded.getDefiningOp()->getOperand(0).getDefiningOp());
          }
          use->set(loaded);
        }
      }
    }
  }
}

void Fission::emit(Piece &piece) {
  SmallVector<Value> bounds(loop.getExtents());
  if (piece.nested)
    llvm::append_range(bounds, piece.nested.getExtents());
  IRMapping mapping;
  OpBuilder::InsertionGuard guard(builder);
  if (piece.serial) {
    auto serial = tile::ForOp::create(builder, piece.serial.getLoc(), piece.serial.getLower(),
                                      piece.serial.getUpper(), piece.serial.getStep());
    mapping.map(piece.serial.iv(), serial.iv());
    builder.setInsertionPointToEnd(serial.bodyBlock());
  }
  auto fresh = tile::ParallelOp::create(builder, loc, bounds);
  unsigned outer = loop.ivs().size();
  for (auto [n, iv] : llvm::enumerate(loop.ivs()))
    mapping.map(iv, fresh.ivs()[n]);
  OpBuilder inner = OpBuilder::atBlockEnd(fresh.bodyBlock());
  // Cheap values of other pieces are computed again.
  std::function<void(Value)> need = [&](Value value) {
    Operation *def = value.getDefiningOp();
    if (!def || def->getBlock() != loop.bodyBlock() || mapping.contains(value))
      return;
    for (Value operand : def->getOperands())
      need(operand);
    inner.clone(*def, mapping);
  };
  auto cloneWithNeeds = [&](Operation *op) {
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        need(operand);
    });
    inner.clone(*op, mapping);
  };
  if (piece.serial) {
    for (Operation &op : *piece.serial.bodyBlock())
      cloneWithNeeds(&op);
    return;
  }
  if (!piece.nested) {
    for (Operation *op : piece.ops)
      if (!llvm::all_of(op->getResults(), [&](Value v) { return mapping.contains(v); }) ||
          op->getNumResults() == 0)
        cloneWithNeeds(op);
    return;
  }
  for (auto [n, iv] : llvm::enumerate(piece.nested.ivs()))
    mapping.map(iv, fresh.ivs()[outer + n]);
  for (Operation &op : *piece.nested.bodyBlock())
    cloneWithNeeds(&op);
}

void Fission::run() {
  for (tile::ForOp serial : SmallVector<tile::ForOp>(loop.bodyBlock()->getOps<tile::ForOp>()))
    if (holdsParallel(serial))
      for (Value bound : {serial.getLower(), serial.getUpper(), serial.getStep()})
        hoistBefore(bound, loop);
  expandLocals();
  splitBody();
  expandValues();
  for (Piece &piece : pieces)
    emit(piece);
  loop.erase();
}

bool hasNest(tile::ParallelOp loop) {
  return llvm::any_of(*loop.bodyBlock(), [](Operation &op) {
    return isa<tile::ParallelOp>(op) || holdsParallel(&op);
  });
}

} // namespace

static void fissionParallels(tile::ProgramOp program) {
  // Outermost first; pieces may hold deeper nests.
  bool changed = true;
  while (changed) {
    changed = false;
    SmallVector<tile::ParallelOp> loops;
    program.walk<WalkOrder::PreOrder>([&](tile::ParallelOp loop) {
      if (!loop->getParentOfType<tile::ParallelOp>() && loop.constantExtents() && hasNest(loop))
        loops.push_back(loop);
    });
    for (tile::ParallelOp loop : loops) {
      // Constant extents of nested loops move in front of the outer one.
      for (tile::ParallelOp nested : loop.bodyBlock()->getOps<tile::ParallelOp>())
        for (Value extent : nested.getExtents())
          if (Operation *def = extent.getDefiningOp(); def && loop->isProperAncestor(def))
            def->moveBefore(loop);
      Fission(loop).run();
      changed = true;
    }
  }
}

namespace {
struct FissionParallelsPass : impl::FissionParallelsPassBase<FissionParallelsPass> {
  void runOnOperation() override { fissionParallels(getOperation()); }
};
} // namespace

} // namespace tilec
