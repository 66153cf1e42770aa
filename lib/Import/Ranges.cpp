//===- Ranges.cpp - index arithmetic that needs more than 32 bits ---------===//
//
// Devices compute indices in 32 bits. What may leave these on the way is computed in
// 64 bits instead: a quotient, remainder, extremum or comparison of such values, and
// arithmetic that the script itself does on int64.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Importer.h"

#include <algorithm>
#include <limits>

using namespace mlir;

namespace tilec {
using script::ExprOp;

namespace {

constexpr int64_t mostIndex = std::numeric_limits<int32_t>::max();

/// The range from the smallest to the largest of some numbers; nothing when one of them overflows.
class Hull {
public:
  void add(bool overflows, int64_t value) {
    isKnown &= !overflows;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  std::optional<ExprRange> get() const {
    return isKnown ? std::optional(ExprRange{low, high}) : std::nullopt;
  }

private:
  bool isKnown = true;
  int64_t low = std::numeric_limits<int64_t>::max(), high = std::numeric_limits<int64_t>::min();
};

std::optional<ExprRange> combined(ExprOp op, ExprRange x, ExprRange y) {
  Hull hull;
  auto corner = [&](int64_t a, int64_t b) {
    int64_t result = 0;
    bool overflows = op == ExprOp::Add   ? __builtin_add_overflow(a, b, &result)
                     : op == ExprOp::Sub ? __builtin_sub_overflow(a, b, &result)
                                         : __builtin_mul_overflow(a, b, &result);
    hull.add(overflows, result);
  };
  switch (op) {
  case ExprOp::Add:
  case ExprOp::Sub:
  case ExprOp::Mul:
    corner(x.low, y.low);
    corner(x.low, y.high);
    corner(x.high, y.low);
    corner(x.high, y.high);
    return hull.get();
  case ExprOp::FloorDiv:
  case ExprOp::TruncDiv:
    // By a positive number: towards zero or down, never further away from zero by more than one.
    if (y.low <= 0)
      return std::nullopt;
    return ExprRange{std::min(x.low, int64_t(0)), std::max(x.high, int64_t(0))};
  case ExprOp::FloorMod:
  case ExprOp::TruncMod:
    if (y.low <= 0)
      return std::nullopt;
    return ExprRange{x.low >= 0 || op == ExprOp::FloorMod ? 0 : 1 - y.high, y.high - 1};
  case ExprOp::Min:
    return ExprRange{std::min(x.low, y.low), std::min(x.high, y.high)};
  case ExprOp::Max:
    return ExprRange{std::max(x.low, y.low), std::max(x.high, y.high)};
  default:
    return std::nullopt;
  }
}

} // namespace

bool fitsIndex(int64_t value) { return value >= -mostIndex - 1 && value <= mostIndex; }

std::optional<ExprRange> Importer::rangeOf(const Expr *e) const {
  if (std::optional<int64_t> c = e->constInt())
    return ExprRange{*c, *c};
  switch (e->op) {
  case ExprOp::Var: {
    auto it = ranges.find(e->var);
    return it != ranges.end() ? std::optional(it->second) : std::nullopt;
  }
  case ExprOp::Cast:
    return isIndexLike(e) ? rangeOf(e->args[0]) : std::nullopt;
  case ExprOp::Neg: {
    std::optional<ExprRange> x = rangeOf(e->args[0]);
    return x ? combined(ExprOp::Sub, {0, 0}, *x) : std::nullopt;
  }
  default:
    if (!isIndexLike(e))
      return std::nullopt;
    std::optional<ExprRange> x = rangeOf(e->args[0]), y = rangeOf(e->args[1]);
    if (auto factor = withFactor(e))
      return x ? combined(factor->first, *x, {factor->second, factor->second}) : std::nullopt;
    return x && y ? combined(e->op, *x, *y) : std::nullopt;
  }
}

bool Importer::isWide(const Expr *e) const {
  if (!isIndexLike(e))
    return false;
  if (e->op == ExprOp::Var)
    return false;
  if (e->op == ExprOp::ConstInt)
    return !fitsIndex(e->intValue);
  if (llvm::any_of(e->args, [&](const Expr *arg) { return isWide(arg); }))
    return true;
  if (std::optional<ExprRange> range = rangeOf(e))
    return !fitsIndex(range->low) || !fitsIndex(range->high);
  return e->type == DType::I64 && e->op != ExprOp::Cast; // the author has asked for 64 bits
}

Value Importer::wide(const Expr *e) {
  Location loc = at(e->span);
  Type i64 = b.getI64Type();
  if (std::optional<int64_t> c = e->constInt())
    return constant(*c, i64, loc);
  if (e->op == ExprOp::Var || !isIndexLike(e)) {
    Value v = value(e);
    if (v && v.getType() != i64)
      v = isUnsigned(e->type) ? arith::ExtUIOp::create(b, loc, i64, v).getResult()
                              : arith::ExtSIOp::create(b, loc, i64, v).getResult();
    return v;
  }
  if (e->op == ExprOp::Cast)
    return wide(e->args[0]);
  Value x = wide(e->args[0]);
  if (e->op == ExprOp::Neg)
    return x ? arith::SubIOp::create(b, loc, constant(0, i64, loc), x).getResult() : nullptr;
  Value y = wide(e->args[1]);
  return x && y ? integerOf(e, x, y, loc) : nullptr;
}

/// An index that no tensor has stays one: it may not become another one in 32 bits.
Value Importer::narrowed(Value v, const Expr *e) {
  Location loc = at(e->span);
  std::optional<ExprRange> range = rangeOf(e);
  Value most = constant(mostIndex, b.getI64Type(), loc);
  if (isUnsigned(e->type)) {
    v = arith::MinUIOp::create(b, loc, v, most);
  } else if (!range || !fitsIndex(range->low) || !fitsIndex(range->high)) {
    if (!range || range->low < 0)
      v = arith::MaxSIOp::create(b, loc, v, constant(-mostIndex - 1, b.getI64Type(), loc));
    v = arith::MinSIOp::create(b, loc, v, most);
  }
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), v);
}

} // namespace tilec
