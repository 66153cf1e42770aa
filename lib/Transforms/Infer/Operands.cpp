//===- Operands.cpp - operands of tile ops in the form the target takes ---===//
//
// Puts temporaries in front of and behind tile ops whose operands the target takes in another
// form; Operands.h has the two steps.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Infer/Operands.h"

#include "Layouts/WarpGroups.h"

#include "Infer/ByteTranspose.h"
#include "Infer/PackedTiles.h"
#include "Layouts/KOrder.h"
#include "Layouts/LoopLayout.h"
#include "Layouts/ScanLayout.h"
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/IR/Tile/Tfloat32.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tilec {
namespace {

bool isWhole(Value buffer, tile::Scope scope) {
  auto type = cast<tile::BufferType>(buffer.getType());
  return type.getScope() == scope && buffer.getDefiningOp<tile::AllocOp>();
}

Value makeTemp(Operation *op, Value like, tile::Scope scope, StringRef suffix) {
  auto kernel = op->getParentOfType<tile::KernelOp>();
  OpBuilder top = OpBuilder::atBlockBegin(&kernel.getBody().front());
  auto type = cast<tile::BufferType>(like.getType());
  auto alloc = rootOf(like).getDefiningOp<tile::AllocOp>();
  std::string name = ((alloc ? alloc.getName() : "tensor") + suffix).str();
  auto tempType = tile::BufferType::get(type.getShape(), type.getElementType(), scope);
  return tile::AllocOp::create(top, op->getLoc(), tempType, name, Attribute());
}

void copyBefore(Operation *op, Value from, Value to) {
  OpBuilder builder(op);
  moveElements(builder, op->getLoc(), from, to);
}

void copyAfter(Operation *op, Value from, Value to) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  moveElements(builder, op->getLoc(), from, to);
}

/// The op works on a temporary of this scope, filled before it and, when `isWritten`, copied back.
void replaceOperand(OpOperand &operand, tile::Scope scope, bool isRead, bool isWritten) {
  Operation *op = operand.getOwner();
  Value original = operand.get();
  Value temp = makeTemp(op, original, scope, "_whole");
  if (isRead)
    copyBefore(op, original, temp);
  operand.set(temp);
  if (isWritten)
    copyAfter(op, temp, original);
}

//===----------------------------------------------------------------------===//
// Element types that no matrix instruction takes
//===----------------------------------------------------------------------===//

DType dtypeOf(Value buffer) {
  return tile::dtypeOf(cast<tile::BufferType>(buffer.getType()).getElementType());
}

/// The op works on a temporary of another element type.
void convertOperand(OpOperand &operand, tile::Scope scope, DType dtype, bool isRead,
                    bool isWritten) {
  Operation *op = operand.getOwner();
  Value original = operand.get();
  Value temp = makeTemp(op, original, scope, "_converted");
  auto type = cast<tile::BufferType>(temp.getType());
  temp.setType(
      tile::BufferType::get(type.getShape(), tile::elementTypeOf(dtype, temp.getContext()), scope));
  if (isRead)
    copyBefore(op, original, temp);
  operand.set(temp);
  if (isWritten)
    copyAfter(op, temp, original);
}

bool overwritesC(tile::GemmOp gemm) {
  return gemm.getClear() && tile::constantInt(gemm.getClear()).value_or(0) != 0;
}

/// sum + left * right: of floats with one rounding, as matrix instructions do.
Value addProduct(OpBuilder &b, Location loc, Value sum, Value left, Value right) {
  Type type = sum.getType();
  if (type.isF32() || type.isF64())
    return math::FmaOp::create(b, loc, left, right, sum);
  Value product = combine(b, loc, tile::ReduceKind::Prod, left, right, false, false);
  return combine(b, loc, tile::ReduceKind::Sum, sum, product, false, false);
}

/// Element k of a row of a sparse A: the stored one whose place that is, or zero. `load` reads an
/// element of a buffer.
Value sparseElement(OpBuilder &b, Location loc, tile::GemmOp gemm, Value row, Value k,
                    llvm::function_ref<Value(Value, ValueRange)> load) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto word = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  };
  auto toWord = [&](Value index) -> Value {
    return arith::IndexCastOp::create(b, loc, b.getI32Type(), index);
  };
  Value group = arith::DivUIOp::create(b, loc, k, constant(4));
  Value ofGroup = arith::MulIOp::create(b, loc, group, constant(2));
  Value low = load(gemm.getA(), {row, ofGroup});
  Value high = load(gemm.getA(), {row, arith::AddIOp::create(b, loc, ofGroup, constant(1))});
  Value places =
      load(gemm.getPlaces(), {row, arith::DivUIOp::create(b, loc, k, constant(16)).getResult()});
  places = arith::ExtUIOp::create(b, loc, b.getI32Type(), places);
  Value nibble = toWord(arith::RemUIOp::create(b, loc, group, constant(4)));
  places = arith::ShRUIOp::create(b, loc, places,
                                  arith::MulIOp::create(b, loc, nibble, word(4)).getResult());
  Value place = toWord(arith::RemUIOp::create(b, loc, k, constant(4)));
  auto isAt = [&](int64_t shift) -> Value {
    Value own = arith::ShRUIOp::create(b, loc, places, word(shift));
    own = arith::AndIOp::create(b, loc, own, word(3));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, own, place);
  };
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(low.getType()));
  Value other = arith::SelectOp::create(b, loc, isAt(2), high, zero);
  return arith::SelectOp::create(b, loc, isAt(0), low, other);
}

/// c[m, n] = (clear ? 0 : c[m, n]) + sum over k of a[m, k] * b[k, n], element by element.
void expandGemm(tile::GemmOp gemm) {
  OpBuilder b(gemm);
  Location loc = gemm.getLoc();
  DType cType = dtypeOf(gemm.getC());
  bool isTfloat32 = gemm.getTfloat32();
  // Products and sums are at least as wide as the operands.
  DType sumDType = dtypeOf(gemm.getA()) == DType::F64 ? DType::F64 : cType;
  Type cElement = tile::elementTypeOf(cType, b.getContext());
  Type element = tile::elementTypeOf(sumDType, b.getContext());
  Type scalar = tile::scalarTypeOf(element);
  SmallVector<OpOperand *, 3> operands = {&gemm.getAMutable(), &gemm.getBMutable()};
  for (OpOperand &places : gemm.getPlacesMutable())
    operands.push_back(&places);
  for (OpOperand *operand : operands)
    if (!cast<tile::BufferType>(operand->get().getType()).isShared())
      replaceOperand(*operand, tile::Scope::Shared, true, false);
  b.setInsertionPoint(gemm);
  auto constant = [](OpBuilder &at, Location l, int64_t value) -> Value {
    return arith::ConstantIndexOp::create(at, l, value);
  };
  auto loop = tile::ParallelOp::create(
      b, loc, ValueRange{constant(b, loc, gemm.m()), constant(b, loc, gemm.n())});
  OpBuilder inner = OpBuilder::atBlockEnd(loop.bodyBlock());
  Value m = loop.ivs()[0], n = loop.ivs()[1];
  auto load = [&](OpBuilder &at, Value buffer, ValueRange indices) -> Value {
    ElementPlace place = placeOf(buffer, indices, at, loc);
    Type type = tile::scalarTypeOf(cast<tile::BufferType>(buffer.getType()).getElementType());
    return tile::LoadOp::create(at, loc, type, place.buffer, place.indices, FloatAttr());
  };
  auto sumType =
      tile::BufferType::get({}, isa<FloatType>(scalar) ? scalar : element, tile::Scope::Local);
  Value sum = tile::AllocOp::create(inner, loc, sumType, "sum", Attribute());
  Value start = identityOf(inner, loc, tile::ReduceKind::Sum, scalar, false);
  Value old = load(inner, gemm.getC(), {m, n});
  old = convertScalar(inner, loc, old, cElement, element);
  if (!gemm.getClear())
    start = old;
  else if (!overwritesC(gemm))
    start = arith::SelectOp::create(inner, loc, gemm.getClear(), start, old);
  tile::StoreOp::create(inner, loc, start, sum, ValueRange());
  auto steps = tile::ForOp::create(inner, loc, constant(inner, loc, 0),
                                   constant(inner, loc, gemm.k()), constant(inner, loc, 1));
  OpBuilder step = OpBuilder::atBlockEnd(steps.bodyBlock());
  Value k = steps.iv();
  auto operandAt = [&](Value buffer, Value row, Value col, bool transposed) {
    Value value = load(step, buffer, transposed ? ValueRange{col, row} : ValueRange{row, col});
    Type from = cast<tile::BufferType>(buffer.getType()).getElementType();
    if (isTfloat32) {
      Value mask = arith::ConstantOp::create(
          step, loc, step.getI32IntegerAttr(static_cast<int32_t>(tfloat32Mask)));
      Value bits = arith::BitcastOp::create(step, loc, step.getI32Type(), value);
      bits = arith::AndIOp::create(step, loc, bits, mask);
      value = arith::BitcastOp::create(step, loc, value.getType(), bits);
    }
    return convertScalar(step, loc, value, from, element);
  };
  Value left;
  if (gemm.getPlaces())
    left = convertScalar(step, loc,
                         sparseElement(step, loc, gemm, m, k,
                                       [&](Value buffer, ValueRange indices) {
                                         return load(step, buffer, indices);
                                       }),
                         gemm.getA().getType().getElementType(), element);
  else
    left = operandAt(gemm.getA(), m, k, gemm.getTransposeA());
  Value right = operandAt(gemm.getB(), k, n, gemm.getTransposeB());
  Value before = tile::LoadOp::create(step, loc, scalar, sum, ValueRange(), FloatAttr());
  tile::StoreOp::create(step, loc, addProduct(step, loc, before, left, right), sum, ValueRange());
  inner.setInsertionPointToEnd(loop.bodyBlock());
  Value total = tile::LoadOp::create(inner, loc, scalar, sum, ValueRange(), FloatAttr());
  total = convertScalar(inner, loc, total, element, cElement);
  ElementPlace place = placeOf(gemm.getC(), ValueRange{m, n}, inner, loc);
  tile::StoreOp::create(inner, loc, total, place.buffer, place.indices);
  gemm.erase();
}

/// Narrow floats are converted exactly to f16, other accumulators to the one that the instruction
/// has; what is left is multiplied element by element.
void legalizeTypes(tile::GemmOp gemm, const TargetInfo &target, int64_t warpGroupWaves) {
  DType a = dtypeOf(gemm.getA()), b = dtypeOf(gemm.getB()), c = dtypeOf(gemm.getC());
  // Warp groups multiply bytes with K contiguous.
  if (warpGroupWaves > 0 && (isWarpGroupGemm(gemm, target, warpGroupWaves) ||
                             transposeByteOperands(gemm, target, warpGroupWaves)))
    return;
  if (gemm.getPlaces()) {
    gemm.emitRemark()
        << "A is sparse, and no warp groups multiply it here; it is multiplied element "
           "by element";
    return expandGemm(gemm);
  }
  bool tfloat32 = gemm.getTfloat32();
  if (target.findAtom(a, b, c, tfloat32))
    return;
  DType wideC = isFloat(c) ? DType::F32 : DType::I32;
  auto isNarrow = [](DType type) { return isFp8(type) || bitsOf(type) == 4; };
  // Exactly: every fp8 and e2m1 value is an f16, every 4-bit integer an int8.
  bool converts = isNarrow(a) && isNarrow(b) && !target.findAtom(a, b, wideC);
  DType wide = isFloat(a) ? DType::F16 : DType::I8;
  DType wideA = converts ? wide : a, wideB = converts ? wide : b;
  bool isHalfSum = isFloat(c) && bitsOf(c) < 32; // rounded once, at the end
  if (target.findAtom(wideA, wideB, wideC, tfloat32) && (c == wideC || isHalfSum)) {
    if (converts) {
      gemm.emitRemark() << nameOf(target.arch) << " has no matrix instruction for " << nameOf(a)
                        << " x " << nameOf(b) << "; the operands are converted to " << nameOf(wide);
      convertOperand(gemm.getAMutable(), tile::Scope::Shared, wideA, true, false);
      convertOperand(gemm.getBMutable(), tile::Scope::Shared, wideB, true, false);
    }
    if (c != wideC)
      convertOperand(gemm.getCMutable(), tile::Scope::Fragment, wideC, !overwritesC(gemm), true);
    return;
  }
  gemm.emitRemark() << nameOf(target.arch) << " has no matrix instruction for " << nameOf(a)
                    << " x " << nameOf(b) << " into " << nameOf(c)
                    << "; it is multiplied element by element";
  if (!isLaneProduct(gemm, target))
    return expandGemm(gemm);
  for (OpOperand *operand : {&gemm.getAMutable(), &gemm.getBMutable()})
    if (!cast<tile::BufferType>(operand->get().getType()).isShared())
      replaceOperand(*operand, tile::Scope::Shared, true, false);
}

void isolate(tile::GemmOp gemm) {
  for (OpOperand *operand : {&gemm.getAMutable(), &gemm.getBMutable()}) {
    Value buffer = operand->get();
    auto type = cast<tile::BufferType>(buffer.getType());
    // A box of a shared tile is read in place.
    if (!type.isShared() && !isWhole(buffer, tile::Scope::Fragment))
      replaceOperand(*operand, tile::Scope::Shared, true, false);
  }
  if (!isWhole(gemm.getC(), tile::Scope::Fragment))
    replaceOperand(gemm.getCMutable(), tile::Scope::Fragment, !overwritesC(gemm), true);
}

void isolate(tile::ReduceOp reduce) {
  if (!isWhole(reduce.getSrc(), tile::Scope::Fragment))
    replaceOperand(reduce.getSrcMutable(), tile::Scope::Fragment, true, false);
  if (!isWhole(reduce.getDst(), tile::Scope::Fragment))
    replaceOperand(reduce.getDstMutable(), tile::Scope::Fragment, !reduce.getClear(), true);
}

void isolate(tile::ScanOp scan) {
  if (!isWhole(scan.getSrc(), tile::Scope::Fragment))
    replaceOperand(scan.getSrcMutable(), tile::Scope::Fragment, true, false);
  if (!isWhole(scan.getDst(), tile::Scope::Fragment))
    replaceOperand(scan.getDstMutable(), tile::Scope::Fragment, false, true);
}

void setLayout(Value root, const FragmentLayout &layout) {
  auto alloc = root.getDefiningOp<tile::AllocOp>();
  alloc.setLayoutAttr(tile::FragmentLayoutAttr::get(alloc.getContext(), layout));
}

void remarkConversion(Operation *op, Value operand) {
  auto alloc = rootOf(operand).getDefiningOp<tile::AllocOp>();
  op->emitRemark() << "fragment `" << (alloc ? alloc.getName() : "operand")
                   << "` goes through shared memory: other statements want its elements in other "
                      "lanes";
}

void match(tile::GemmOp gemm, const GemmPlan &plan) {
  struct Side {
    OpOperand *operand;
    FragmentLayout wanted;
  };
  Side sides[] = {
      {&gemm.getAMutable(), operandLayout(gemm, /*isB=*/false, plan)},
      {&gemm.getBMutable(), operandLayout(gemm, /*isB=*/true, plan)},
  };
  for (Side &side : sides) {
    const FragmentLayout *own = fragmentLayoutOf(side.operand->get());
    if (!own || *own == side.wanted)
      continue;
    remarkConversion(gemm, side.operand->get());
    replaceOperand(*side.operand, tile::Scope::Shared, true, false);
  }
  const FragmentLayout *c = fragmentLayoutOf(gemm.getC());
  if (c && !(*c == plan.c)) {
    remarkConversion(gemm, gemm.getC());
    replaceOperand(gemm.getCMutable(), tile::Scope::Fragment, true, true);
    setLayout(gemm.getC(), plan.c);
  }
  setMma(gemm, plan); // of operands where they are now
}

void match(tile::ReduceOp reduce) {
  const FragmentLayout *src = fragmentLayoutOf(reduce.getSrc());
  const FragmentLayout *dst = fragmentLayoutOf(reduce.getDst());
  if (!src || !dst)
    return;
  auto type = cast<tile::BufferType>(reduce.getDst().getType());
  FragmentLayout wanted = src->withoutDim(reduce.getDim());
  if (type.rank() == int64_t(src->rank()))
    wanted = wanted.withUnitDim(reduce.getDim());
  if (wanted == *dst)
    return;
  replaceOperand(reduce.getDstMutable(), tile::Scope::Fragment, !reduce.getClear(), true);
  setLayout(reduce.getDst(), wanted);
}

void match(tile::ScanOp scan, const TargetInfo &target, int64_t numWaves) {
  FragmentLayout wanted = *fragmentLayoutOf(scan.getSrc());
  if (!isScannable(wanted, scan.getDim()))
    wanted = scanLayoutOf(scan, target, numWaves);
  for (OpOperand *operand : {&scan.getSrcMutable(), &scan.getDstMutable()}) {
    if (*fragmentLayoutOf(operand->get()) == wanted)
      continue;
    bool isSource = operand == &scan.getSrcMutable();
    remarkConversion(scan, operand->get());
    replaceOperand(*operand, tile::Scope::Fragment, isSource, !isSource);
    setLayout(operand->get(), wanted);
  }
}

} // namespace

void isolateOperands(tile::KernelOp kernel, const TargetInfo &target, bool useWarpGroups) {
  SmallVector<tile::GemmOp> gemms;
  kernel.walk([&](tile::GemmOp gemm) { gemms.push_back(gemm); });
  for (tile::GemmOp gemm : gemms)
    legalizeTypes(gemm, target, useWarpGroups ? wavesOf(kernel, target) : 0);
  packTiles(kernel);
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) {
    if (isa<tile::GemmOp, tile::ReduceOp, tile::ScanOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (auto gemm = dyn_cast<tile::GemmOp>(op))
      isolate(gemm);
    else if (auto scan = dyn_cast<tile::ScanOp>(op))
      isolate(scan);
    else
      isolate(cast<tile::ReduceOp>(op));
  }
}

void matchOperands(tile::KernelOp kernel, const TargetInfo &target) {
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) {
    if (isa<tile::GemmOp, tile::ReduceOp, tile::ScanOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    if (auto scan = dyn_cast<tile::ScanOp>(op)) {
      match(scan, target, wavesOf(kernel, target));
    } else if (auto gemm = dyn_cast<tile::GemmOp>(op)) {
      match(gemm, llvm::cantFail(gemmPlanOf(gemm, target, wavesOf(kernel, target))));
    } else {
      match(cast<tile::ReduceOp>(op));
    }
  }
}

} // namespace tilec
