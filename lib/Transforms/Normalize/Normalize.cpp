//===- Normalize.cpp - tile-normalize: every tile operation in one form ---===//
//
// The steps of Normalize.h that are small, and their order; the others have files of their own.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "Layouts/Stores.h"
#include "Normalize/Decided.h"
#include "Normalize/ForwardOperands.h"
#include "Normalize/GuardedReads.h"
#include "Normalize/JoinCopies.h"
#include "Normalize/Locals.h"
#include "Normalize/Lockstep.h"
#include "Normalize/NarrowTiles.h"
#include "Normalize/Offsets.h"
#include "Normalize/OwnElements.h"
#include "Normalize/Pieces.h"
#include "Normalize/RollTails.h"
#include "Normalize/WholeProducts.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_NORMALIZEPASS
#include "tilec/Transforms/Passes.h.inc"

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

template <typename OpT> static void foldViewOf(OpT op) {
  OpBuilder builder(op);
  ElementPlace place = placeOf(op.getBuffer(), op.getIndices(), builder, op.getLoc());
  if (place.buffer == op.getBuffer())
    return;
  op.getBufferMutable().assign(place.buffer);
  op.getIndicesMutable().assign(place.indices);
}

void foldViews(tile::ProgramOp program) {
  program.walk([](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op))
      foldViewOf(load);
    else if (auto store = dyn_cast<tile::StoreOp>(op))
      foldViewOf(store);
    else if (auto atomic = dyn_cast<tile::AtomicOp>(op))
      foldViewOf(atomic);
  });
}

//===----------------------------------------------------------------------===//
// Parallels that are copies
//===----------------------------------------------------------------------===//

static bool raiseCopy(tile::ParallelOp parallel) {
  auto extents = parallel.constantExtents();
  auto [load, store] = tile::MoveOp::plainMove(parallel);
  if (!extents || !load)
    return false;
  tile::BufferType src = load.getBuffer().getType(), dst = store.getBuffer().getType();
  if (!src.isGlobal() || !dst.isShared() || src.getElementType() != dst.getElementType())
    return false;
  // The store covers the buffer in order.
  if (dst.getShape() != ArrayRef(*extents))
    return false;
  for (auto [index, iv] : llvm::zip(store.getIndices(), parallel.ivs()))
    if (index != iv)
      return false;
  // The load's indices are iv + something that the iteration does not change, each iv once and in
  // order.
  SmallVector<Value, 4> ivs(parallel.ivs().begin(), parallel.ivs().end());
  SmallVector<LinearForm, 4> offsets;
  SmallVector<int64_t> dropped;
  size_t next = 0;
  for (auto [d, index] : llvm::enumerate(load.getIndices())) {
    LinearForm form = linearize(index);
    bool usesNext = next < ivs.size() && form.coefficient(ivs[next]) == 1;
    LinearForm rest = form.without(usesNext ? ValueRange(ivs[next]) : ValueRange());
    for (auto [term, factor] : rest.terms)
      if (parallel.getBody().isAncestor(term.getParentRegion()))
        return false;
    if (usesNext)
      ++next;
    else
      dropped.push_back(d);
    offsets.push_back(rest);
  }
  if (next != ivs.size())
    return false;

  OpBuilder builder(parallel);
  Location loc = parallel.getLoc();
  SmallVector<Value> starts;
  for (const LinearForm &form : offsets) {
    Value sum;
    if (form.constant != 0 || form.terms.empty())
      sum = arith::ConstantIndexOp::create(builder, loc, form.constant);
    for (auto [term, factor] : form.terms) {
      Value part = term;
      if (!part.getType().isIndex())
        part = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), part);
      if (factor != 1)
        part = arith::MulIOp::create(builder, loc, part,
                                     arith::ConstantIndexOp::create(builder, loc, factor));
      sum = sum ? arith::AddIOp::create(builder, loc, sum, part).getResult() : part;
    }
    starts.push_back(sum);
  }
  auto boxType = tile::BufferType::get(*extents, src.getElementType(), src.getScope());
  Value view = tile::SubviewOp::create(builder, loc, boxType, load.getBuffer(), starts,
                                       builder.getDenseI64ArrayAttr(dropped));
  tile::CopyOp::create(builder, loc, view, store.getBuffer(), StringAttr());
  parallel.erase();
  return true;
}

void raiseCopies(tile::ProgramOp program) {
  SmallVector<tile::ParallelOp> parallels;
  program.walk([&](tile::ParallelOp op) {
    if (!op->getParentOfType<tile::ParallelOp>())
      parallels.push_back(op);
  });
  for (tile::ParallelOp op : parallels)
    raiseCopy(op);
}

//===----------------------------------------------------------------------===//
// Parallels that are fills
//===----------------------------------------------------------------------===//

/// Whether the store is all that the loop does to its buffer, a fragment: where its registers are
/// set does not matter.
static bool canLeave(tile::StoreOp store, tile::ParallelOp loop) {
  Value buffer = store.getBuffer();
  return store.getBuffer().getType().isFragment() &&
         llvm::count_if(buffer.getUsers(),
                        [&](Operation *user) { return loop->isAncestor(user); }) == 1;
}

static void raiseFillsOf(tile::ParallelOp loop) {
  bool isAll = onlyFills(loop);
  OpBuilder builder(loop);
  for (tile::StoreOp store : fillsIn(loop)) {
    if (!isAll && !canLeave(store, loop))
      continue;
    hoistBefore(store.getValue(), loop); // fillsIn has seen that it can be
    tile::FillOp::create(builder, loop.getLoc(), store.getValue(), store.getBuffer());
    store.erase();
  }
  if (isAll)
    loop.erase();
}

/// The tile of which the view is all.
static Value behindWholeViews(Value buffer) {
  while (auto view = buffer.getDefiningOp<tile::SubviewOp>()) {
    if (view.getSource().getType().getShape() != view.getType().getShape())
      break;
    buffer = view.getSource();
  }
  return buffer;
}

void raiseFills(tile::ProgramOp program) {
  SmallVector<tile::ParallelOp> loops;
  program.walk([&](Operation *op) {
    if (op->getParentOfType<tile::ParallelOp>())
      return;
    if (auto loop = dyn_cast<tile::ParallelOp>(op))
      loops.push_back(loop);
    if (auto fill = dyn_cast<tile::FillOp>(op))
      fill.getDstMutable().assign(behindWholeViews(fill.getDst()));
  });
  for (tile::ParallelOp loop : loops)
    raiseFillsOf(loop);
}

//===----------------------------------------------------------------------===//
// Copies that are parallels
//===----------------------------------------------------------------------===//

/// Indices of a buffer with these extents for indices of another one: the extents agree up to those
/// of size 1, and are matched in order.
static SmallVector<Value, 4> matchedIndices(OpBuilder &b, Location loc, ArrayRef<int64_t> shape,
                                            ArrayRef<int64_t> otherShape, ValueRange other) {
  if (shape == otherShape)
    return SmallVector<Value, 4>(other.begin(), other.end());
  SmallVector<Value, 4> indices;
  size_t d = 0;
  for (int64_t size : shape) {
    if (size == 1) {
      indices.push_back(arith::ConstantIndexOp::create(b, loc, 0));
      continue;
    }
    while (otherShape[d] == 1)
      ++d;
    indices.push_back(other[d++]);
  }
  return indices;
}

template <typename LoopOp = tile::ParallelOp>
static LoopOp makeLoop(OpBuilder &b, Location loc, ArrayRef<int64_t> shape) {
  SmallVector<Value> extents;
  for (int64_t size : shape)
    extents.push_back(arith::ConstantIndexOp::create(b, loc, size));
  if (extents.empty()) // a scalar: one iteration
    extents.push_back(arith::ConstantIndexOp::create(b, loc, 1));
  return LoopOp::create(b, loc, extents);
}

static Value loadElement(OpBuilder &b, Location loc, Value buffer, ValueRange indices) {
  Type scalar = tile::scalarTypeOf(cast<tile::BufferType>(buffer.getType()).getElementType());
  ElementPlace place = placeOf(buffer, indices, b, loc);
  return tile::LoadOp::create(b, loc, scalar, place.buffer, place.indices, FloatAttr());
}

static void storeElement(OpBuilder &b, Location loc, Value value, Value buffer,
                         ValueRange indices) {
  ElementPlace place = placeOf(buffer, indices, b, loc);
  tile::StoreOp::create(b, loc, value, place.buffer, place.indices);
}

tile::ParallelOp makeElementwise(OpBuilder &builder, Location loc, Value dst,
                                 llvm::function_ref<Value(OpBuilder &, ValueRange)> element) {
  ArrayRef<int64_t> shape = cast<tile::BufferType>(dst.getType()).getShape();
  tile::ParallelOp loop = makeLoop(builder, loc, shape);
  OpBuilder inner = OpBuilder::atBlockEnd(loop.bodyBlock());
  SmallVector<Value> indices(loop.ivs().begin(), loop.ivs().end());
  indices.resize(shape.size());
  storeElement(inner, loc, element(inner, indices), dst, indices);
  return loop;
}

/// A loop over elements that does what the copy does.
template <typename LoopOp>
static LoopOp makeCopy(OpBuilder &builder, Location loc, Value src, Value dst) {
  auto srcType = cast<tile::BufferType>(src.getType());
  auto dstType = cast<tile::BufferType>(dst.getType());
  // A fragment is walked by its own indices: its layout decides which lane does what.
  bool walksSource = srcType.isFragment() && !dstType.isFragment();
  ArrayRef<int64_t> walked = walksSource ? srcType.getShape() : dstType.getShape();
  auto loop = makeLoop<LoopOp>(builder, loc, walked);
  OpBuilder b = OpBuilder::atBlockEnd(loop.bodyBlock());
  SmallVector<Value> indices(loop.ivs().begin(), loop.ivs().end());
  indices.resize(walked.size());
  auto indicesOf = [&](tile::BufferType type) {
    return matchedIndices(b, loc, type.getShape(), walked, indices);
  };
  Value value = loadElement(b, loc, src, indicesOf(srcType));
  value = convertScalar(b, loc, value, srcType.getElementType(), dstType.getElementType());
  storeElement(b, loc, value, dst, indicesOf(dstType));
  return loop;
}

tile::ParallelOp expandCopy(OpBuilder &builder, Location loc, Value src, Value dst) {
  return makeCopy<tile::ParallelOp>(builder, loc, src, dst);
}

tile::MoveOp moveElements(OpBuilder &builder, Location loc, Value src, Value dst) {
  return makeCopy<tile::MoveOp>(builder, loc, src, dst);
}

tile::ParallelOp expandFill(OpBuilder &builder, Location loc, Value value, Value dst) {
  return makeElementwise(builder, loc, dst, [&](OpBuilder &, ValueRange) { return value; });
}

Value convertScalar(OpBuilder &b, Location loc, Value value, Type fromElement, Type toElement) {
  DType from = tile::dtypeOf(fromElement), to = tile::dtypeOf(toElement);
  Type target = tile::scalarTypeOf(toElement);
  if (isFloat(from) && isFloat(to)) {
    if (value.getType() == target)
      return value;
    if (target.isF64())
      return arith::ExtFOp::create(b, loc, target, value);
    return arith::TruncFOp::create(b, loc, target, value);
  }
  if (isFloat(from) && to == DType::Bool) {
    Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(value.getType(), 0));
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, value, zero);
  }
  if (isFloat(from))
    return isUnsigned(to) ? arith::FPToUIOp::create(b, loc, target, value).getResult()
                          : arith::FPToSIOp::create(b, loc, target, value).getResult();
  bool isSignedSource = isSigned(from);
  if (isFloat(to))
    return isSignedSource ? arith::SIToFPOp::create(b, loc, target, value).getResult()
                          : arith::UIToFPOp::create(b, loc, target, value).getResult();
  if (to == DType::Bool) {
    if (from == DType::Bool)
      return value;
    Value zero = arith::ConstantOp::create(b, loc, b.getIntegerAttr(value.getType(), 0));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, zero);
  }
  unsigned have = value.getType().getIntOrFloatBitWidth(), want = target.getIntOrFloatBitWidth();
  if (have == want)
    return value;
  if (have > want)
    return arith::TruncIOp::create(b, loc, target, value);
  return isSignedSource ? arith::ExtSIOp::create(b, loc, target, value).getResult()
                        : arith::ExtUIOp::create(b, loc, target, value).getResult();
}

void replaceByLoop(Operation *op) {
  OpBuilder builder(op);
  if (auto copy = dyn_cast<tile::CopyOp>(op)) {
    expandCopy(builder, op->getLoc(), copy.getSrc(), copy.getDst());
  } else {
    auto fill = cast<tile::FillOp>(op);
    expandFill(builder, op->getLoc(), fill.getValue(), fill.getDst());
  }
  op->erase();
}

void raiseMoves(tile::ProgramOp program) {
  SmallVector<tile::ParallelOp> loops;
  program.walk([&](tile::ParallelOp loop) {
    if (!loop->getParentOfType<tile::ParallelOp>() && tile::MoveOp::isBodyOf(loop))
      loops.push_back(loop);
  });
  for (tile::ParallelOp loop : loops)
    tile::turnInto<tile::MoveOp>(loop);
}

void copiesToMoves(tile::ProgramOp program) {
  auto isInRegisters = [](Value buffer) {
    auto type = cast<tile::BufferType>(buffer.getType());
    return type.isFragment() || type.isLocal();
  };
  SmallVector<tile::CopyOp> copies;
  SmallVector<Operation *> fills;
  program.walk([&](Operation *op) {
    if (auto copy = dyn_cast<tile::CopyOp>(op);
        copy && (isInRegisters(copy.getSrc()) || isInRegisters(copy.getDst())))
      copies.push_back(copy);
    if (auto fill = dyn_cast<tile::FillOp>(op); fill && !isWholeTile(fill.getDst()))
      fills.push_back(op);
  });
  for (tile::CopyOp copy : copies) {
    OpBuilder builder(copy);
    moveElements(builder, copy.getLoc(), copy.getSrc(), copy.getDst());
    copy.erase();
  }
  for (Operation *fill : fills)
    replaceByLoop(fill);
}

void eraseDeadOps(Operation *root) {
  bool changed = true;
  while (changed) {
    changed = false;
    SmallVector<Operation *> ops;
    root->walk([&](Operation *op) {
      if (op != root && op->getNumRegions() == 0)
        ops.push_back(op);
    });
    for (Operation *op : llvm::reverse(ops)) {
      // An allocation that nothing names is dead although it allocates.
      bool isDead = isOpTriviallyDead(op) || (isa<tile::AllocOp>(op) && op->use_empty());
      if (!isDead || isa<tile::TensorOp, tile::ScalarOp, tile::DimOp, tile::WorkspaceOp>(op))
        continue;
      op->erase();
      changed = true;
    }
  }
}

namespace {
struct NormalizePass : impl::NormalizePassBase<NormalizePass> {
  void runOnOperation() override {
    tile::ProgramOp program = getOperation();
    SmallVector<tile::AllocOp> shared; // local buffers that threads write for each other
    for (tile::KernelOp kernel : program.getBody().getOps<tile::KernelOp>())
      shared.append(placeLocals(kernel));
    separateOverlaps(program);
    narrowTiles(program);
    expandTilesInParallels(program);
    simplifyOffsets(program);
    shortenToPieces(program);
    decideComparisons(program);
    foldViews(program);
    guardReads(program);
    readOnce(program);
    for (tile::KernelOp kernel : program.getBody().getOps<tile::KernelOp>())
      if (kernel.getLockstep() && failed(makeMeetingsUniform(kernel)))
        return signalPassFailure();
    lowerBreaks(program);
    expandScans(program);
    parallelizeSerialLoops(program);
    spreadLocals(shared);
    boundNestedParallels(program);
    fissionParallels(program);
    orderLoadedUpdates(program);
    if (failed(recognizeReductions(program)))
      return signalPassFailure();
    keepOwnElements(program);
    raiseCopies(program);
    joinCopies(program);
    liftScalarAccesses(program);
    rollTails(program);
    joinWholeProducts(program);
    forwardOperands(program);
    forwardTiles(program);
    eraseDeadOps(program); // what no branch is left for does not keep a loop from being a fill
    raiseFills(program);
    copiesToMoves(program);
    raiseMoves(program);
    for (tile::KernelOp kernel : program.getBody().getOps<tile::KernelOp>())
      if (!kernel.getLockstep()) {
        streamFragments(kernel);
        readRoundsTogether(kernel);
      }
    eraseDeadOps(program);
  }
};
} // namespace

} // namespace tilec
