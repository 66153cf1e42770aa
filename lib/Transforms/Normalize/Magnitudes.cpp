//===- Magnitudes.cpp - how small numbers may be --------------------------===//
//
// The smallest magnitude of a value follows from the constants, types and operations that it is
// made of.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Magnitudes.h"

#include "Normalize/RowMaxima.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace tilec {

namespace {

constexpr double smallestNormal = 0x1p-126;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// The smallest magnitude that a value may have apart from zero; 0 where nothing is known.
class Magnitudes {
public:
  double of(Value value) {
    if (steps == 0)
      return 0;
    --steps;
    if (std::optional<double> number = constantOf(value))
      return *number == 0 || std::isnan(*number) ? infinity : std::abs(*number);
    Operation *op = value.getDefiningOp();
    if (!op)
      return 0;
    return llvm::TypeSwitch<Operation *, double>(op)
        .Case<math::AbsFOp, arith::NegFOp, arith::ExtFOp>(
            [&](auto) { return of(op->getOperand(0)); })
        .Case<arith::SIToFPOp, arith::UIToFPOp>([](auto) { return 1.0; })
        // Of the smallest denormal number.
        .Case([](math::SqrtOp) { return 0x1p-75; })
        .Case<arith::MaxNumFOp, arith::MaximumFOp>([&](auto) { return ofLargest(op); })
        .Case<arith::MinNumFOp, arith::MinimumFOp>(
            [&](auto) { return least(op->getOperand(0), op->getOperand(1)); })
        .Case([&](arith::SelectOp choice) {
          return least(choice.getTrueValue(), choice.getFalseValue());
        })
        .Case([&](scf::IfOp choice) {
          unsigned n = cast<OpResult>(value).getResultNumber();
          return least(choice.thenYield().getOperand(n), choice.elseYield().getOperand(n));
        })
        .Case([&](arith::MulFOp product) {
          double x = of(product.getLhs()), y = of(product.getRhs());
          return x == 0 || y == 0 ? 0 : x * y;
        })
        .Case([&](arith::DivFOp quotient) {
          std::optional<double> divisor = constantOf(quotient.getRhs());
          return divisor && *divisor != 0 ? of(quotient.getLhs()) / std::abs(*divisor) : 0.0;
        })
        .Case<arith::AddFOp, arith::SubFOp>([&](auto) { return ofSum(op); })
        .Case([&](tile::LoadOp load) { return ofElement(load); })
        .Default([](Operation *) { return 0.0; });
  }

private:
  double least(Value x, Value y) { return std::min(of(x), of(y)); }

  /// At least as much as a positive constant.
  double ofLargest(Operation *op) {
    for (int n : {0, 1})
      if (auto number = constantOf(op->getOperand(n)); number && *number > 0)
        return *number;
    return least(op->getOperand(0), op->getOperand(1));
  }

  /// Next to a number of its own size another one is a multiple of 2^-25 of it.
  double ofSum(Operation *op) {
    for (int n : {0, 1})
      if (auto number = constantOf(op->getOperand(n)); number && *number != 0)
        return std::abs(*number) * 0x1p-25;
    return 0;
  }

  static double ofType(DType dtype) {
    switch (dtype) {
    case DType::F16:
      return 0x1p-24;
    case DType::E4M3FN:
    case DType::E4M3FNUZ:
    case DType::E5M2:
    case DType::E5M2FNUZ:
      return 0x1p-17;
    case DType::E2M1:
      return 0.5;
    default:
      return isInteger(dtype) ? 1 : 0;
    }
  }

  double ofElement(tile::LoadOp load) {
    auto type = cast<tile::BufferType>(load.getBuffer().getType());
    double least = ofType(tile::dtypeOf(type.getElementType()));
    return least > 0 ? least : ofFragment(load.getBuffer());
  }

  /// Of what anything in the kernel stores there.
  double ofFragment(Value fragment) {
    auto type = cast<tile::BufferType>(fragment.getType());
    if (!type.isFragment() || !fragment.getDefiningOp<tile::AllocOp>() ||
        !asked.insert(fragment).second)
      return 0;
    double least = infinity;
    for (Operation *user : fragment.getUsers()) {
      if (isa<tile::LoadOp>(user))
        continue;
      auto reduce = dyn_cast<tile::ReduceOp>(user);
      if (reduce && reduce.getDst() != fragment)
        continue;
      if (auto store = dyn_cast<tile::StoreOp>(user))
        least = std::min(least, of(store.getValue()));
      else if (auto fill = dyn_cast<tile::FillOp>(user))
        least = std::min(least, of(fill.getValue()));
      else
        least = std::min(least, reduce ? ofReduction(reduce) : 0);
    }
    asked.erase(fragment);
    return least;
  }

  /// A largest or smallest element is one of them, or what was there before.
  double ofReduction(tile::ReduceOp reduce) {
    using Kind = tile::ReduceKind;
    Kind kind = reduce.getKind();
    if (kind != Kind::Max && kind != Kind::Min && kind != Kind::AbsMax)
      return 0;
    auto type = cast<tile::BufferType>(reduce.getSrc().getType());
    double least = ofType(tile::dtypeOf(type.getElementType()));
    return least > 0 ? least : ofFragment(reduce.getSrc());
  }

  unsigned steps = 256;
  llvm::DenseSet<Value> asked;
};

} // namespace

bool mayBeDenormal(Value value) { return !(Magnitudes().of(value) >= smallestNormal); }

} // namespace tilec
