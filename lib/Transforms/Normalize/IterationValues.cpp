//===- IterationValues.cpp - indices and conditions of one iteration ------===//
//
// Evaluates index arithmetic with the loop variables at one iteration; anything else is not known.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/IterationValues.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilec {

std::optional<int64_t> IterationValues::of(Value value, bool exact) {
  if (std::optional<int64_t> constant = tile::constantInt(value))
    return constant;
  if (auto it = variables.find(value); it != variables.end())
    return it->second;
  if (!loop.getBody().isAncestor(value.getParentRegion())) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      if (isa<tile::KernelOp>(argument.getOwner()->getParentOp()))
        return 0; // there is such a block
    if (exact)
      return std::nullopt;
    auto [it, isNew] = unknowns.try_emplace(value, 0);
    if (isNew)
      it->second = int64_t(unknowns.size()) * 100003;
    return it->second;
  }
  Operation *op = value.getDefiningOp();
  if (!op || !isPure(op) || op->getNumRegions() != 0)
    return std::nullopt;
  SmallVector<int64_t, 3> operands;
  for (Value operand : op->getOperands()) {
    std::optional<int64_t> known = of(operand, exact);
    if (!known)
      return std::nullopt;
    operands.push_back(*known);
  }
  return evaluate(op, operands);
}

std::optional<int64_t> IterationValues::evaluate(Operation *op, ArrayRef<int64_t> x) {
  using Result = std::optional<int64_t>;
  auto divided = [&](auto divide) -> Result {
    return x[1] == 0 ? Result() : Result(divide(x[0], x[1]));
  };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::AddIOp) { return x[0] + x[1]; })
      .Case([&](arith::SubIOp) { return x[0] - x[1]; })
      .Case([&](arith::MulIOp) { return x[0] * x[1]; })
      .Case<arith::DivSIOp, arith::DivUIOp>(
          [&](auto) { return divided([](int64_t a, int64_t b) { return a / b; }); })
      .Case<arith::RemSIOp, arith::RemUIOp>(
          [&](auto) { return divided([](int64_t a, int64_t b) { return a % b; }); })
      .Case([&](arith::FloorDivSIOp) {
        return divided(
            [](int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); });
      })
      .Case([&](arith::MinSIOp) { return std::min(x[0], x[1]); })
      .Case([&](arith::MaxSIOp) { return std::max(x[0], x[1]); })
      .Case([&](arith::AndIOp) { return x[0] & x[1]; })
      .Case([&](arith::OrIOp) { return x[0] | x[1]; })
      .Case([&](arith::XOrIOp) { return x[0] ^ x[1]; })
      .Case([&](arith::SelectOp) { return x[0] != 0 ? x[1] : x[2]; })
      .Case([&](arith::CmpIOp c) {
        return int64_t(arith::applyCmpPredicate(c.getPredicate(), APInt(64, uint64_t(x[0])),
                                                APInt(64, uint64_t(x[1]))));
      })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp>(
          [&](auto) { return x[0]; })
      .Default([](Operation *) { return Result(); });
}

} // namespace tilec
