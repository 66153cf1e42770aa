//===- ExactProducts.cpp - products that f32 holds to the last bit --------===//
//
// Counts the significant bits of values, from the types that they were loaded from.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/ExactProducts.h"

#include "Normalize/RowMaxima.h"

#include "tilec/Analysis/Buffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;

namespace tilec {
namespace {

constexpr int wholeBits = 24; // of f32, the hidden one included
constexpr int mostDepth = 8;  // of an expression that is looked into

/// Significant bits of any number of the type, the hidden one included. Products of numbers with
/// f32's exponents may be beyond f32, and have none that count.
int bitsOfType(DType type) {
  switch (type) {
  case DType::Bool:
    return 1;
  case DType::E2M1:
    return 2;
  case DType::E5M2:
  case DType::E5M2FNUZ:
    return 3;
  case DType::I4:
  case DType::U4:
  case DType::E4M3FN:
  case DType::E4M3FNUZ:
    return 4;
  case DType::I8:
  case DType::U8:
    return 8;
  case DType::F16:
    return 11;
  case DType::I16:
  case DType::U16:
    return 16;
  case DType::BF16:
  case DType::E8M0:
  case DType::F32:
  case DType::F64:
  case DType::I32:
  case DType::U32:
  case DType::I64:
  case DType::U64:
    return wholeBits;
  }
  llvm_unreachable("unknown element type");
}

int bitsOfNumber(double number) {
  constexpr int farthest = 60; // from 1, as an exponent: times any f16 it is a normal f32
  if (number == 0)
    return 1;
  int exponent = 0;
  double mantissa = std::frexp(number, &exponent);
  if (!std::isfinite(number) || std::abs(exponent) > farthest)
    return wholeBits;
  int bits = 0;
  for (; mantissa != 0 && bits < wholeBits; ++bits)
    mantissa = std::fmod(mantissa * 2, 1.0);
  return bits;
}

class Widths {
public:
  int of(Value value, int depth = 0);

private:
  int ofElements(Value buffer);
  int ofStored(Value root);

  llvm::DenseMap<Value, int> known; ///< of buffers; all bits while one is looked at
};

/// Of what is kept in f32 only what is stored there counts.
int Widths::ofStored(Value root) {
  int most = 1;
  for (Operation *user : root.getUsers()) {
    auto store = dyn_cast<tile::StoreOp>(user);
    auto fill = dyn_cast<tile::FillOp>(user);
    auto copy = dyn_cast<tile::CopyOp>(user);
    if (store)
      most = std::max(most, of(store.getValue()));
    else if (fill)
      most = std::max(most, of(fill.getValue()));
    else if (copy && copy.getDst() == root)
      most = std::max(most, ofElements(copy.getSrc()));
    else if (!copy && (isa<tile::SubviewOp, tile::ReshapeOp>(user) ||
                       llvm::is_contained(accessesOf(user).writes, root)))
      return wholeBits;
  }
  return most;
}

int Widths::ofElements(Value buffer) {
  int bits = bitsOfType(tile::dtypeOf(cast<tile::BufferType>(buffer.getType()).getElementType()));
  if (bits < wholeBits || !buffer.getDefiningOp<tile::AllocOp>())
    return bits;
  auto [it, isNew] = known.try_emplace(buffer, wholeBits);
  if (!isNew)
    return it->second;
  bits = ofStored(buffer);
  known[buffer] = bits;
  return bits;
}

int Widths::of(Value value, int depth) {
  Operation *op = value.getDefiningOp();
  if (!op || depth > mostDepth)
    return wholeBits;
  auto operand = [&](unsigned i) { return of(op->getOperand(i), depth + 1); };
  if (std::optional<double> number = constantOf(value))
    return bitsOfNumber(*number);
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return load.getPadAttr() ? wholeBits : ofElements(load.getBuffer());
  if (auto round = dyn_cast<tile::RoundOp>(op))
    return bitsOfType(tile::dtypeOf(round.getDtype()));
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op)) {
    int width = int(op->getOperand(0).getType().getIntOrFloatBitWidth());
    auto load = op->getOperand(0).getDefiningOp<tile::LoadOp>();
    return std::min({wholeBits, width, load && !load.getPadAttr() ? operand(0) : wholeBits});
  }
  if (isa<arith::NegFOp>(op))
    return operand(0);
  if (isa<arith::SelectOp>(op))
    return std::max(operand(1), operand(2));
  if (isa<arith::MulFOp>(op))
    return std::min(wholeBits, operand(0) + operand(1));
  return wholeBits;
}

void contract(Operation *op) {
  auto flagged = cast<arith::ArithFastMathInterface>(op);
  arith::FastMathFlags flags = arith::FastMathFlags::contract;
  if (arith::FastMathFlagsAttr given = flagged.getFastMathFlagsAttr())
    flags = flags | given.getValue();
  op->setAttr(flagged.getFastMathAttrName(),
              arith::FastMathFlagsAttr::get(op->getContext(), flags));
}

} // namespace

void fuseExactProducts(tile::KernelOp kernel) {
  Widths widths;
  kernel.walk([&](Operation *sum) {
    if (!isa<arith::AddFOp, arith::SubFOp>(sum) || !sum->getResult(0).getType().isF32())
      return;
    for (Value term : sum->getOperands()) {
      auto product = term.getDefiningOp<arith::MulFOp>();
      if (!product || widths.of(product.getLhs()) + widths.of(product.getRhs()) > wholeBits)
        continue;
      contract(product);
      contract(sum);
    }
  });
}

} // namespace tilec
