//===- FuseExactProducts.cpp - products that f32 holds to the last bit ----===//
//
// a * b + c of f32, where a and b have so few significant bits that a * b has at most 24 (elements
// of f16, 8 bits and fewer, and what only such are stored to), may be one fused operation
// (`contract`): it rounds as the two do. Not of bf16, whose products may be beyond f32's range.
// Follows how many bits values have, and where, from the types that they were loaded from.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/RelaxMath.h"
#include "Normalize/RowMaxima.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/Passes.h"

#include <cmath>

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_FUSEEXACTPRODUCTSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// How many bits from its first to its last one a number other than 0 has at most, and how far they
/// are from that of 1.
struct Width {
  int bits = 0, reach = 0;

  Width operator*(Width other) const { return {bits + other.bits, reach + other.reach}; }
  Width orOf(Width other) const {
    return {std::max(bits, other.bits), std::max(reach, other.reach)};
  }
  /// Whether f32 holds it, and as no denormal number.
  bool isOfF32() const { return bits <= 24 && reach <= 126; }
};

constexpr Width anyNumber = {24, 149};
constexpr int mostDepth = 8; // of an expression that is looked into

Width widthOfType(DType type) {
  switch (type) {
  case DType::Bool:
    return {1, 0};
  case DType::E2M1:
    return {2, 2};
  case DType::I4:
  case DType::U4:
    return {4, 4};
  case DType::E4M3FN:
  case DType::E4M3FNUZ:
    return {4, 10};
  case DType::E5M2:
  case DType::E5M2FNUZ:
    return {3, 17};
  case DType::I8:
  case DType::U8:
    return {8, 8};
  case DType::F16:
    return {11, 24};
  case DType::I16:
  case DType::U16:
    return {16, 16};
  case DType::BF16:
  case DType::E8M0:
  case DType::F32:
  case DType::F64:
  case DType::I32:
  case DType::U32:
  case DType::I64:
  case DType::U64:
    return anyNumber; // bf16 as well: its products may be beyond f32
  }
  llvm_unreachable("unknown element type");
}

Width widthOfNumber(double number) {
  if (number == 0)
    return {};
  if (!std::isfinite(number))
    return anyNumber;
  Width width;
  int exponent = 0;
  double rest = std::frexp(number, &exponent);
  for (; rest != 0 && width.bits < anyNumber.bits; ++width.bits)
    rest = std::fmod(rest * 2, 1.0);
  width.reach = std::max(std::abs(exponent), std::abs(exponent - width.bits));
  return width;
}

class Widths {
public:
  Width of(Value value, int depth = 0);

private:
  Width ofElements(Value buffer);
  Width ofStored(Value root);

  llvm::DenseMap<Value, Width> known; ///< of buffers; any number while one is looked at
};

/// Of what is kept in f32 only what is stored there counts.
Width Widths::ofStored(Value root) {
  Width most;
  for (Operation *user : root.getUsers()) {
    auto store = dyn_cast<tile::StoreOp>(user);
    auto fill = dyn_cast<tile::FillOp>(user);
    auto copy = dyn_cast<tile::CopyOp>(user);
    if (store)
      most = most.orOf(of(store.getValue()));
    else if (fill)
      most = most.orOf(of(fill.getValue()));
    else if (copy && copy.getDst() == root)
      most = most.orOf(ofElements(copy.getSrc()));
    else if (!copy && (isa<tile::SubviewOp, tile::ReshapeOp>(user) ||
                       llvm::is_contained(accessesOf(user).writes, root)))
      return anyNumber;
  }
  return most;
}

Width Widths::ofElements(Value buffer) {
  DType type = tile::dtypeOf(buffer);
  if (type != DType::F32 || !buffer.getDefiningOp<tile::AllocOp>())
    return widthOfType(type);
  if (auto [it, isNew] = known.try_emplace(buffer, anyNumber); !isNew)
    return it->second;
  Width width = ofStored(buffer);
  known[buffer] = width;
  return width;
}

Width Widths::of(Value value, int depth) {
  Operation *op = value.getDefiningOp();
  if (!op || depth > mostDepth)
    return anyNumber;
  auto operand = [&](unsigned i) { return of(op->getOperand(i), depth + 1); };
  if (std::optional<double> number = constantOf(value))
    return widthOfNumber(*number);
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return load.getPadAttr() ? anyNumber : ofElements(load.getBuffer());
  if (auto round = dyn_cast<tile::RoundOp>(op))
    return widthOfType(tile::dtypeOf(round.getDtype()));
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op)) {
    int bits = int(op->getOperand(0).getType().getIntOrFloatBitWidth());
    Width any = {std::min(bits, anyNumber.bits), bits};
    Width loaded = operand(0);
    return loaded.bits < any.bits ? loaded : any;
  }
  if (isa<arith::NegFOp>(op))
    return operand(0);
  if (isa<arith::SelectOp>(op))
    return operand(1).orOf(operand(2));
  if (isa<arith::MulFOp>(op)) {
    Width product = operand(0) * operand(1);
    return product.isOfF32() ? product : anyNumber;
  }
  return anyNumber;
}

void fuseExactProducts(tile::KernelOp kernel) {
  Widths widths;
  kernel.walk([&](Operation *sum) {
    if (!isa<arith::AddFOp, arith::SubFOp>(sum) || !sum->getResult(0).getType().isF32())
      return;
    for (Value term : sum->getOperands()) {
      auto product = term.getDefiningOp<arith::MulFOp>();
      if (!product || !(widths.of(product.getLhs()) * widths.of(product.getRhs())).isOfF32())
        continue;
      allow(product, arith::FastMathFlags::contract);
      allow(sum, arith::FastMathFlags::contract);
    }
  });
}

struct FuseExactProductsPass : impl::FuseExactProductsPassBase<FuseExactProductsPass> {
  using FuseExactProductsPassBase::FuseExactProductsPassBase;

  void runOnOperation() override {
    for (tile::KernelOp kernel : relaxedKernels(getOperation()))
      fuseExactProducts(kernel);
  }
};

} // namespace

} // namespace tilec
