//===- ExpandProducts.cpp - products that no matrix instruction multiplies ---===//
//
// Takes products of types that the target multiplies by no matrix instruction, gives loops over the
// elements of C with a sum along K in each.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Infer/Operands.h"
#include "Layouts/WarpGroups.h"
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/IR/Tile/Tfloat32.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_EXPANDPRODUCTSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

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
  DType cType = tile::dtypeOf(gemm.getC());
  bool isTfloat32 = gemm.getTfloat32();
  // Products and sums are at least as wide as the operands.
  DType sumDType = tile::dtypeOf(gemm.getA()) == DType::F64 ? DType::F64 : cType;
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

void expandUnlessMultiplied(tile::GemmOp gemm, const TargetInfo &target, int64_t numWaves) {
  if (isWarpGroupGemm(gemm, target, numWaves))
    return;
  if (gemm.getPlaces()) {
    gemm.emitRemark()
        << "A is sparse, and no warp groups multiply it here; it is multiplied element "
           "by element";
    return expandGemm(gemm);
  }
  const DType a = tile::dtypeOf(gemm.getA()), b = tile::dtypeOf(gemm.getB()),
              c = tile::dtypeOf(gemm.getC());
  if (target.findAtom(a, b, c, gemm.getTfloat32()))
    return;
  gemm.emitRemark() << nameOf(target.arch) << " has no matrix instruction for " << nameOf(a)
                    << " x " << nameOf(b) << " into " << nameOf(c)
                    << "; it is multiplied element by element";
  if (!isLaneProduct(gemm, target))
    expandGemm(gemm);
}

struct ExpandProductsPass : impl::ExpandProductsPassBase<ExpandProductsPass> {
  using ExpandProductsPassBase::ExpandProductsPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>()) {
      SmallVector<tile::GemmOp> gemms;
      kernel.walk([&](tile::GemmOp gemm) { gemms.push_back(gemm); });
      for (tile::GemmOp gemm : gemms)
        expandUnlessMultiplied(gemm, *chip, wavesOf(kernel, *chip));
    }
  }
};

} // namespace

} // namespace tilec
