//===- ThreadValues.cpp - what arithmetic on the thread's number gives ----===//
//
// Evaluates arithmetic and comparisons for every thread of the block at once; ThreadValues.h says
// what for.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/ThreadValues.h"

#include "tilec/IR/Tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <optional>

using namespace mlir;

namespace tilec {
namespace {

bool holds(arith::CmpIPredicate predicate, int64_t x, int64_t y) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return x == y;
  case arith::CmpIPredicate::ne:
    return x != y;
  case arith::CmpIPredicate::slt:
    return x < y;
  case arith::CmpIPredicate::sle:
    return x <= y;
  case arith::CmpIPredicate::sgt:
    return x > y;
  case arith::CmpIPredicate::sge:
    return x >= y;
  case arith::CmpIPredicate::ult:
    return uint64_t(x) < uint64_t(y);
  case arith::CmpIPredicate::ule:
    return uint64_t(x) <= uint64_t(y);
  case arith::CmpIPredicate::ugt:
    return uint64_t(x) > uint64_t(y);
  case arith::CmpIPredicate::uge:
    return uint64_t(x) >= uint64_t(y);
  }
  return false;
}

/// Nothing for operations that are not known, and where the width of a value would matter.
std::optional<int64_t> apply(Operation *op, ArrayRef<int64_t> in) {
  if (isa<arith::IndexCastOp, arith::ExtUIOp>(op)) // a boolean is 0 or 1 here
    return in[0];
  if (isa<arith::ExtSIOp>(op))
    return op->getOperand(0).getType().isInteger(1) ? -in[0] : in[0];
  if (isa<arith::SelectOp>(op))
    return in[0] ? in[1] : in[2];
  if (in.size() != 2)
    return std::nullopt;
  int64_t x = in[0], y = in[1];
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return holds(compare.getPredicate(), x, y);
  if (isa<arith::AddIOp>(op))
    return x + y;
  if (isa<arith::SubIOp>(op))
    return x - y;
  if (isa<arith::MulIOp>(op))
    return x * y;
  if (isa<arith::AndIOp>(op))
    return x & y;
  if (isa<arith::OrIOp>(op))
    return x | y;
  if (isa<arith::XOrIOp>(op))
    return x ^ y;
  if (isa<arith::MinSIOp>(op))
    return std::min(x, y);
  if (isa<arith::MaxSIOp>(op))
    return std::max(x, y);
  if (x < 0 || y < 0)
    return std::nullopt;
  if (y < 31 && isa<arith::ShLIOp>(op))
    return x << y;
  if (y < 31 && isa<arith::ShRSIOp, arith::ShRUIOp>(op))
    return x >> y;
  if (y == 0)
    return std::nullopt;
  if (isa<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(op))
    return x / y;
  if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
    return (x + y - 1) / y;
  if (isa<arith::RemUIOp, arith::RemSIOp>(op))
    return x % y;
  return std::nullopt;
}

} // namespace

const std::vector<int64_t> *ThreadValues::of(Value value) {
  auto it = known.find(value);
  if (it != known.end())
    return it->second.get();
  auto values = compute(value);
  return (known[value] = std::move(values)).get();
}

std::unique_ptr<std::vector<int64_t>> ThreadValues::compute(Value value) {
  using Row = std::vector<int64_t>;
  constexpr int64_t most = int64_t(1) << 31; // beyond, 32 bits would wrap
  if (!value.getType().isIntOrIndex())
    return nullptr;
  if (std::optional<int64_t> constant = tile::constantInt(value))
    return std::make_unique<Row>(threads, value.getType().isInteger(1) ? *constant & 1 : *constant);
  Operation *op = value.getDefiningOp();
  if (!op)
    return nullptr;
  if (isa<tile::ThreadIdOp>(op)) {
    auto row = std::make_unique<Row>(threads);
    for (int64_t thread = 0; thread < threads; ++thread)
      (*row)[thread] = thread;
    return row;
  }
  if (op->getNumRegions() != 0 || op->getNumOperands() == 0 ||
      op->getDialect()->getNamespace() != "arith")
    return nullptr;
  SmallVector<const Row *, 3> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(of(operand));
    if (!operands.back())
      return nullptr;
  }
  auto row = std::make_unique<Row>(threads);
  for (int64_t thread = 0; thread < threads; ++thread) {
    SmallVector<int64_t, 3> in;
    for (const Row *operand : operands)
      in.push_back((*operand)[thread]);
    std::optional<int64_t> result = apply(op, in);
    if (!result || *result >= most || *result < -most)
      return nullptr;
    (*row)[thread] = *result;
  }
  return row;
}

} // namespace tilec
