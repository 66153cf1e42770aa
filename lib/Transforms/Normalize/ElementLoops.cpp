//===- ElementLoops.cpp - copies and fills as loops over elements ---------===//
//
// Takes a copy, a fill or a function of indices, gives the loop over elements that does the same;
// and converts elements on the way.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Target/Target.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilec {

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

SmallVector<tile::KernelOp> lockstepKernels(tile::ProgramOp program) {
  return llvm::to_vector(llvm::make_filter_range(program.getBody().getOps<tile::KernelOp>(),
                                                 [](tile::KernelOp k) { return k.getLockstep(); }));
}

bool hasWholeWaves(tile::KernelOp kernel) {
  int64_t lanes = kernel.getWarpLanes();
  return int64_t(kernel.getThreads()) % (lanes ? lanes : widestWave) == 0;
}

bool isMadeOf(Value value, Value source) {
  llvm::SetVector<Value> values;
  values.insert(value);
  for (size_t i = 0; i < values.size(); ++i) {
    Operation *def = values[i].getDefiningOp();
    if (def && isPure(def))
      values.insert(def->operand_begin(), def->operand_end());
  }
  return values.contains(source);
}

void moveElements(OpBuilder &b, Location loc, Type scalar, Value from, Value to) {
  SmallVector<Value> bounds;
  for (int64_t extent : cast<tile::BufferType>(from.getType()).getShape())
    bounds.push_back(arith::ConstantIndexOp::create(b, loc, extent));
  auto move = tile::ParallelOp::create(b, loc, bounds);
  OpBuilder inner = OpBuilder::atBlockEnd(move.bodyBlock());
  Value value = tile::LoadOp::create(inner, loc, scalar, from, move.ivs(), FloatAttr());
  tile::StoreOp::create(inner, loc, value, to, move.ivs());
}

} // namespace tilec
