//===- IndexExprs.cpp - runtime expressions of indices --------------------===//
//
// Index arithmetic on loop variables, block coordinates and dims stays in `index`:
// that is the form that the analyses read, and it cannot overflow at 32 bits.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Importer.h"

using namespace mlir;

namespace tilec {
using script::ExprOp;

namespace {

bool isWideInteger(DType type) { return type == DType::I32 || type == DType::I64; }

bool isIndexOp(ExprOp op) {
  switch (op) {
  case ExprOp::Add:
  case ExprOp::Sub:
  case ExprOp::Mul:
  case ExprOp::FloorDiv:
  case ExprOp::FloorMod:
  case ExprOp::TruncDiv:
  case ExprOp::TruncMod:
  case ExprOp::Min:
  case ExprOp::Max:
    return true;
  default:
    return false;
  }
}

} // namespace

std::optional<std::pair<ExprOp, int64_t>> withFactor(const script::Expr *e) {
  bool isShift = e->op == ExprOp::Shl || e->op == ExprOp::Shr;
  if (!(isShift || e->op == ExprOp::BitAnd) || !isWideInteger(e->type))
    return std::nullopt;
  constexpr int64_t end = 31; // the factor is an index
  std::optional<int64_t> by = e->args[1]->constInt();
  if (isShift)
    return by && *by >= 0 && *by < end
               ? std::optional(std::pair(e->op == ExprOp::Shl ? ExprOp::Mul : ExprOp::FloorDiv,
                                         int64_t(1) << *by))
               : std::nullopt;
  bool isMask = by && *by > 0 && *by < (int64_t(1) << end) - 1 && (*by & (*by + 1)) == 0;
  return isMask ? std::optional(std::pair(ExprOp::FloorMod, *by + 1)) : std::nullopt;
}

/// Whether the expression is arithmetic on index values, so that it is best computed as one.
bool Importer::isIndexLike(const Expr *e) const {
  if (!isWideInteger(e->type))
    return false;
  switch (e->op) {
  case ExprOp::ConstInt:
    return true;
  case ExprOp::Var: {
    auto it = vars.find(e->var);
    return it != vars.end() && it->second.getType().isIndex();
  }
  case ExprOp::Cast:
    return isWideInteger(e->args[0]->type) && isIndexLike(e->args[0]);
  case ExprOp::Neg:
    return isIndexLike(e->args[0]);
  default:
    return (isIndexOp(e->op) || withFactor(e)) && isIndexLike(e->args[0]) &&
           isIndexLike(e->args[1]);
  }
}

bool Importer::isNonNegative(const Expr *e) const {
  switch (e->op) {
  case ExprOp::ConstInt:
    return e->intValue >= 0;
  case ExprOp::Var:
    return nonNegative.lookup(e->var);
  case ExprOp::Cast: // to int8 it may become negative
    return isWideInteger(e->type) && isWideInteger(e->args[0]->type) && isNonNegative(e->args[0]);
  case ExprOp::Add:
  case ExprOp::Mul:
  case ExprOp::Min:
    return isNonNegative(e->args[0]) && isNonNegative(e->args[1]);
  case ExprOp::Max:
    return isNonNegative(e->args[0]) || isNonNegative(e->args[1]);
  case ExprOp::FloorDiv:
  case ExprOp::TruncDiv:
  case ExprOp::CeilDiv:
    return isNonNegative(e->args[0]) && isNonNegative(e->args[1]);
  case ExprOp::FloorMod:
    return isNonNegative(e->args[1]);
  case ExprOp::Shl: // as the product that it is
    return withFactor(e) && isNonNegative(e->args[0]);
  case ExprOp::Shr:
    return isNonNegative(e->args[0]);
  case ExprOp::BitAnd:
    return isNonNegative(e->args[0]) || isNonNegative(e->args[1]);
  default:
    return false;
  }
}

Value Importer::floorDivision(Value dividend, Value divisor, bool isMod, bool nonNegative,
                              Location loc) {
  if (nonNegative)
    return isMod ? arith::RemUIOp::create(b, loc, dividend, divisor).getResult()
                 : arith::DivUIOp::create(b, loc, dividend, divisor).getResult();
  Value quotient = arith::FloorDivSIOp::create(b, loc, dividend, divisor);
  if (!isMod)
    return quotient;
  return arith::SubIOp::create(b, loc, dividend, arith::MulIOp::create(b, loc, quotient, divisor));
}

Value Importer::index(const Expr *e) {
  std::optional<ExprRange> range = rangeOf(e);
  bool leaves = range && (!fitsIndex(range->low) || !fitsIndex(range->high));
  if (!leaves || e->constInt())
    return indexPart(e);
  Value v = wide(e);
  return v ? narrowed(v, e) : nullptr;
}

Value Importer::extent(const Expr *e) {
  Value v = index(e);
  failed |= !v;
  return v ? v : indexConstant(1, e->span);
}

Value Importer::indexPart(const Expr *e) {
  Location loc = at(e->span);
  if (std::optional<int64_t> c = e->constInt()) {
    if (!fitsIndex(*c))
      return fail(DiagId::IndexTooWide, e->span, *c);
    return arith::ConstantIndexOp::create(b, loc, *c);
  }
  if (e->op == ExprOp::Var) {
    auto it = vars.find(e->var);
    if (it != vars.end() && it->second.getType().isIndex() && isAlive(it->second))
      return it->second;
  }
  if (auto factor = withFactor(e); factor && isIndexLike(e->args[0]) && !isWide(e->args[0])) {
    Value x = indexPart(e->args[0]);
    return x ? integerOf(factor->first, x, indexConstant(factor->second, e->span), DType::I64,
                         isNonNegative(e->args[0]), loc)
             : Value();
  }
  bool distributes =
      isWideInteger(e->type) && (isIndexOp(e->op) || (e->op == ExprOp::Neg && isIndexLike(e)) ||
                                 (e->op == ExprOp::Cast && isWideInteger(e->args[0]->type)));
  if (!distributes) {
    Value v = value(e);
    if (!v)
      return nullptr;
    if (v.getType().isInteger(64))
      return narrowed(v, e);
    if (isUnsigned(e->type))
      return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), v);
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), v);
  }
  // Sums and products are right modulo 2^32; quotients and the like are not.
  bool isModular =
      e->op == ExprOp::Add || e->op == ExprOp::Sub || e->op == ExprOp::Mul || e->op == ExprOp::Neg;
  bool isWideValue = e->type == DType::I64 && !isIndexLike(e) && !isModular;
  auto needsWide = [&](const Expr *arg) { return isWide(arg) && (!isModular || arg->constInt()); };
  if (e->op != ExprOp::Cast && (isWideValue || llvm::any_of(e->args, needsWide))) {
    Value v = isWideValue ? value(e) : wide(e);
    return v ? narrowed(v, e) : nullptr;
  }
  Value x = indexPart(e->args[0]);
  if (e->op == ExprOp::Cast || !x)
    return x;
  if (e->op == ExprOp::Neg)
    return arith::SubIOp::create(b, loc, indexConstant(0, e->span), x);
  Value y = indexPart(e->args[1]);
  if (!y)
    return nullptr;
  bool positive = isNonNegative(e->args[0]) && isNonNegative(e->args[1]);
  return integerOf(e->op, x, y, DType::I64, positive, loc);
}

/// Indices of an element, with constants checked where nothing may be out of bounds.
bool Importer::indices(const Buffer *buf, llvm::ArrayRef<const Expr *> list, Span span,
                       SmallVectorImpl<Value> &out) {
  if (buf->scope == script::Scope::Var) {
    out.push_back(indexConstant(0, span));
    return true;
  }
  bool isGood = true;
  for (size_t d = 0; d < list.size(); ++d) {
    std::optional<int64_t> c = list[d]->constInt(), size = buf->shape[d]->constInt();
    if (buf->scope != script::Scope::Global && c && size && (*c < 0 || *c >= *size)) {
      fail(DiagId::IndexOutOfBounds, list[d]->span, *c, buf->name, d, *size);
      isGood = false;
    }
    Value v = index(list[d]);
    isGood &= v != nullptr;
    out.push_back(v);
  }
  return isGood;
}

} // namespace tilec
