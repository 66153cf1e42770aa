//===- IntrinsicsScalar.cpp - scalar functions of `T.` --------------------===//
//
// On compile-time arguments they are Python arithmetic where it is exact (ceildiv, min),
// else runtime constants.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "EvaluatorScopes.h"
#include "IntrinsicTable.h"

#include <cmath>
#include <limits>

namespace tilec::script {
using ast::BinaryOp;

Value Evaluator::callMath(MathFn fn, CallArgs &args) {
  for (const CallArgs::Keyword &k : args.keywords)
    if (k.name != "annotations" && k.name != "span")
      return fail(DiagId::IntrinsicUnknownKeyword, k.span, nameOf(fn), k.name, "");
  if (!arity(args, arityOf(fn), arityOf(fn), nameOf(fn)))
    return Value();
  llvm::SmallVector<Operand> operands;
  for (auto [value, span] : llvm::zip_equal(args.values, args.spans))
    operands.push_back({value, span});
  if (llvm::any_of(args.values, isTile))
    return failWholeBuffer(("T." + nameOf(fn)).str(), args.span, operands);
  // Literals take the dtype of a runtime argument.
  std::optional<DType> common;
  for (const Value &v : args.values)
    if (isRuntime(v))
      common = common ? ExprBuilder::commonType(*common, v.expr()->type) : v.expr()->type;
  llvm::SmallVector<const Expr *> exprs;
  for (size_t i = 0; i < args.values.size(); ++i) {
    std::optional<DType> wanted;
    if (args.values[i].isNumber() && common && isFloat(*common))
      wanted = common;
    const Expr *e = toExpr(args.values[i], args.spans[i], wanted);
    if (!e)
      return Value();
    exprs.push_back(e);
  }
  bool wantsInteger = fn == MathFn::PopCount || fn == MathFn::Clz;
  if (wantsInteger && !isInteger(exprs[0]->type))
    return fail(DiagId::WantedOther, args.spans[0], "an integer", typeName(Value::expr(exprs[0])));
  return Value::expr(build.math(fn, exprs, args.span));
}

Value Evaluator::castIntrinsic(const Value &value, Span valueSpan, DType type, Span span) {
  if (value.is(ValueKind::Str)) {
    std::string text = value.str().lower();
    llvm::StringRef bare = llvm::StringRef(text).ltrim("+-");
    bool negative = llvm::StringRef(text).starts_with("-");
    if (isFloat(type) && (bare == "inf" || bare == "nan"))
      return Value::expr(build.constFloat(bare == "nan" ? std::nan("")
                                          : negative    ? -HUGE_VAL
                                                        : HUGE_VAL,
                                          type, span));
    return fail(DiagId::BadConversion, valueSpan, shown(value), std::string(nameOf(type)));
  }
  if (value.isNumber()) {
    if (value.is(ValueKind::Float) && !isFloat(type)) {
      if (type == DType::Bool)
        return Value::expr(build.constBool(value.real() != 0, span));
      std::optional<Integer> i = Integer::fromDouble(value.real());
      if (!i || !i->fits64())
        return fail(DiagId::BadConversion, valueSpan, shown(value), std::string(nameOf(type)));
      return Value::expr(build.constInt(i->value64(), type, span));
    }
    if (isFloat(type))
      return Value::expr(build.constFloat(value.toDouble(), type, valueSpan));
    const Expr *e = toExpr(value, valueSpan, type);
    return e ? Value::expr(e) : Value();
  }
  const Expr *e = toExpr(value, valueSpan);
  if (!e)
    return Value();
  if (type == DType::Bool)
    return Value::expr(build.toBool(e, span));
  return Value::expr(build.cast(e, type, span));
}

Value Evaluator::limitIntrinsic(BoundArgs &args) {
  std::optional<DType> type = toDType(args["dtype"], args.spanOf("dtype"));
  if (!type)
    return Value();
  if (args.id == IntrinsicId::InfinityFn) {
    if (!isFloat(*type) || !hasInfinity(*type))
      return fail(DiagId::NoInfinity, args.spanOf("dtype"), nameOf(*type));
    return Value::expr(build.constFloat(HUGE_VAL, *type, args.span));
  }
  bool isMax = args.id == IntrinsicId::MaxValueFn;
  if (isFloat(*type))
    return Value::expr(
        build.constFloat(isMax ? maxValue(*type) : minValue(*type), *type, args.span));
  unsigned bits = *type == DType::Bool ? 1 : bitsOf(*type);
  int64_t value;
  if (isUnsigned(*type) || *type == DType::Bool)
    value = !isMax ? 0 : bits >= 64 ? -1 : static_cast<int64_t>((uint64_t(1) << bits) - 1);
  else
    value = isMax ? static_cast<int64_t>((uint64_t(1) << (bits - 1)) - 1)
                  : -static_cast<int64_t>(uint64_t(1) << (bits - 2)) * 2;
  return Value::expr(build.constInt(value, *type, args.span));
}

namespace {

/// The operator of Python that a function of two values is.
std::optional<BinaryOp> operatorOf(IntrinsicId id) {
  static const std::pair<IntrinsicId, BinaryOp> rows[] = {
      {IntrinsicId::FloorDivFn, BinaryOp::FloorDiv}, {IntrinsicId::FloorModFn, BinaryOp::Mod},
      {IntrinsicId::DivFn, BinaryOp::Div},           {IntrinsicId::ShiftLeft, BinaryOp::Shl},
      {IntrinsicId::ShiftRight, BinaryOp::Shr},      {IntrinsicId::BitwiseAnd, BinaryOp::BitAnd},
      {IntrinsicId::BitwiseOr, BinaryOp::BitOr},     {IntrinsicId::BitwiseXor, BinaryOp::BitXor},
      {IntrinsicId::IeeeAdd, BinaryOp::Add},         {IntrinsicId::IeeeSub, BinaryOp::Sub},
      {IntrinsicId::IeeeMul, BinaryOp::Mul},         {IntrinsicId::IeeeDiv, BinaryOp::Div},
      {IntrinsicId::PowOfInt, BinaryOp::Pow},
  };
  for (auto [function, op] : rows)
    if (function == id)
      return op;
  return std::nullopt;
}

} // namespace

/// Functions of two values that are operators in Python.
Value Evaluator::arithmeticIntrinsic(BoundArgs &args) {
  const Value &a = args.values[0], &b = args.values[1];
  Span aSpan = args.spans[0], bSpan = args.spans[1];
  if (std::optional<BinaryOp> op = operatorOf(args.id))
    return binary(*op, a, b, args.span, aSpan, bSpan);
  auto runtime = [&](ExprOp op) {
    const Expr *x, *y;
    if (!pairUp(a, b, aSpan, bSpan, x, y, nameOf(args.id)))
      return Value();
    return Value::expr(build.binary(op, x, y, args.span));
  };
  bool constant = a.isNumber() && b.isNumber();
  auto integers = [&] {
    for (size_t i = 0; i < 2; ++i) {
      const Value &v = args.values[i];
      bool isFloating = v.is(ValueKind::Float) || (isRuntime(v) && isFloat(v.expr()->type));
      if (isFloating) {
        fail(DiagId::WantedOther, args.spans[i], "an integer", typeName(v));
        return false;
      }
    }
    return true;
  };
  switch (args.id) {
  case IntrinsicId::TruncDivFn:
  case IntrinsicId::TruncModFn: {
    if (!integers())
      return Value();
    bool isDiv = args.id == IntrinsicId::TruncDivFn;
    if (!constant)
      return runtime(isDiv ? ExprOp::TruncDiv : ExprOp::TruncMod);
    // The floored quotient, one more when it was rounded away from zero.
    Integer x = a.integer(), y = b.integer();
    if (y.isZero())
      return fail(DiagId::DivisionByZero, bSpan);
    Integer ax = x.isNegative() ? -x : x, ay = y.isNegative() ? -y : y;
    std::optional<Integer> r = isDiv ? Integer::floorDiv(ax, ay) : Integer::floorMod(ax, ay);
    bool negate = isDiv ? x.isNegative() != y.isNegative() : x.isNegative();
    return heap.integer(negate ? -*r : *r);
  }
  case IntrinsicId::MinFn:
  case IntrinsicId::MaxFn: {
    bool isMin = args.id == IntrinsicId::MinFn;
    if (!constant)
      return runtime(isMin ? ExprOp::Min : ExprOp::Max);
    std::optional<int> o = order(a, b, args.span);
    return !o ? Value() : (isMin ? *o <= 0 : *o >= 0) ? a : b;
  }
  case IntrinsicId::CeilDiv: {
    if (!integers())
      return Value();
    if (constant) {
      Value negated =
          binary(BinaryOp::FloorDiv, heap.integer(-a.integer()), b, args.span, aSpan, bSpan);
      return negated.ok() ? heap.integer(-negated.integer()) : Value();
    }
    const Expr *x, *y;
    if (!pairUp(a, b, aSpan, bSpan, x, y, "ceildiv"))
      return Value();
    if (y->constInt() == 0)
      return fail(DiagId::DivisionByZero, bSpan);
    return Value::expr(build.ceilDiv(x, y, args.span));
  }
  case IntrinsicId::AlignUp: {
    CallArgs inner;
    inner.span = args.span;
    inner.calleeSpan = args.calleeSpan;
    inner.values = {a, b};
    inner.spans = {aSpan, bSpan};
    Value tiles = callIntrinsic(IntrinsicId::CeilDiv, inner);
    return tiles.ok() ? binary(BinaryOp::Mul, tiles, b, args.span, aSpan, bSpan) : Value();
  }
  case IntrinsicId::AndFn:
  case IntrinsicId::OrFn: {
    const Expr *x = toCondition(a, aSpan);
    const Expr *y = x ? toCondition(b, bSpan) : nullptr;
    if (!y)
      return Value();
    return Value::expr(build.binary(
        args.id == IntrinsicId::AndFn ? ExprOp::LogicalAnd : ExprOp::LogicalOr, x, y, args.span));
  }
  default:
    return fail(DiagId::UnknownIntrinsic, args.calleeSpan, nameOf(args.id), "");
  }
}

Value Evaluator::clampIntrinsic(BoundArgs &args) {
  // T.clamp(x, low, high) is min(max(x, low), high).
  Value value = args.values[0];
  for (size_t i = 1; i < 3; ++i) {
    BoundArgs inner;
    inner.id = i == 1 ? IntrinsicId::MaxFn : IntrinsicId::MinFn;
    inner.span = args.span;
    inner.calleeSpan = args.calleeSpan;
    inner.values = {value, args.values[i]};
    inner.spans = {args.spans[0], args.spans[i]};
    value = arithmeticIntrinsic(inner);
    if (!value.ok())
      return Value();
  }
  return value;
}

Value Evaluator::reinterpretIntrinsic(BoundArgs &args) {
  // The handle that `T.attr` takes and that means nothing.
  if (args.values[1].is(ValueKind::Str) && args.values[1].str() == "handle")
    return Value::none();
  // Upstream's argument order changed over time: take the dtype from whichever side it is on.
  bool swapped = args.values[0].is(ValueKind::DType) || args.values[0].is(ValueKind::Str);
  std::optional<DType> type = toDType(args.values[swapped ? 0 : 1], args.spans[swapped ? 0 : 1]);
  const Expr *e =
      type ? toExpr(args.values[swapped ? 1 : 0], args.spans[swapped ? 1 : 0]) : nullptr;
  if (!e)
    return Value();
  if (bitsOf(e->type) != bitsOf(*type))
    return fail(DiagId::ReinterpretWidth, args.span, nameOf(e->type), bitsOf(e->type),
                nameOf(*type), bitsOf(*type));
  return Value::expr(build.reinterpret(e, *type, args.span));
}

namespace {

/// A narrow format: significant bits behind the first, the exponent of its smallest normal number.
struct NarrowFormat {
  int64_t mantissa, lowest;
};

std::optional<NarrowFormat> narrowFormat(DType type) {
  switch (type) {
  case DType::F16:
    return NarrowFormat{10, -14};
  case DType::BF16:
    return NarrowFormat{7, -126};
  case DType::E4M3FN:
    return NarrowFormat{3, -6};
  case DType::E4M3FNUZ:
    return NarrowFormat{3, -7};
  case DType::E5M2:
    return NarrowFormat{2, -14};
  case DType::E5M2FNUZ:
    return NarrowFormat{2, -15};
  case DType::E2M1:
    return NarrowFormat{1, 0};
  default:
    return std::nullopt;
  }
}

} // namespace

/// T.cast with `round`: the modes of PTX's cvt, in the library. "rn" is what casts do anyway.
Value Evaluator::directedCast(const BoundArgs &args, DType type) {
  const Value &round = args["round"], &bits = args["rbits"];
  llvm::StringRef mode = round.is(ValueKind::Str) ? round.str() : llvm::StringRef("?");
  bool isRandom = mode == "rs";
  if (!llvm::is_contained({"", "rn", "rz", "rp", "rm", "rs"}, mode))
    return fail(DiagId::BadArgumentValue, args.spanOf("round"), "round", shown(round),
                "`\"rn\"`, `\"rz\"`, `\"rp\"`, `\"rm\"` or `\"rs\"`");
  if (isRandom == bits.is(ValueKind::None))
    return fail(DiagId::BadArgumentValue, args.spanOf("rbits"), "rbits",
                isRandom ? "missing" : "given", "it with `round=\"rs\"`, and only there");
  Value plain = castIntrinsic(args["value"], args.spanOf("value"), type, args.span);
  if (!plain.ok() || mode.empty() || mode == "rn")
    return plain;
  std::optional<NarrowFormat> format = narrowFormat(type);
  const Expr *value = toExpr(args["value"], args.spanOf("value"), DType::F32);
  if (!value)
    return Value();
  if (!format || !isFloat(value->type) || bitsOf(value->type) > 32)
    return fail(DiagId::BadArgumentValue, args.spanOf("round"), "round", shown(round),
                "it for casts of float32 to float16, bfloat16 or an 8-bit or 4-bit float");
  Span span = args.span;
  return callLibrary("cast_towards",
                     {Value::expr(build.cast(value, DType::F32, span)), Value::dtype(type), round,
                      bits, Value::small(format->mantissa), Value::small(format->lowest),
                      Value::real(maxValue(type))},
                     span);
}

/// Of the functions that take TileLang's rounding modes.
static bool takesRounding(IntrinsicId id) {
  return llvm::is_contained({IntrinsicId::IeeeAdd, IntrinsicId::IeeeSub, IntrinsicId::IeeeMul,
                             IntrinsicId::IeeeDiv, IntrinsicId::IeeeFma, IntrinsicId::IeeeRcp,
                             IntrinsicId::IeeeSqrt},
                            id);
}

Value Evaluator::scalarIntrinsic(BoundArgs &args) {
  if (takesRounding(args.id)) {
    const Value &mode = args["rounding_mode"];
    llvm::StringRef name = mode.is(ValueKind::Str) ? mode.str() : "";
    if (name != "rn" && name != "rz" && name != "ru" && name != "rd")
      return fail(DiagId::BadArgumentValue, args.spanOf("rounding_mode"), "rounding_mode",
                  shown(mode), "\"rn\"");
  }
  auto math = [&](MathFn fn, size_t count) {
    CallArgs inner;
    inner.span = args.span;
    inner.calleeSpan = args.calleeSpan;
    inner.values.append(args.values.begin(), args.values.begin() + count);
    inner.spans.append(args.spans.begin(), args.spans.begin() + count);
    return callMath(fn, inner);
  };
  if (llvm::any_of(args.values, isTile)) {
    llvm::SmallVector<Operand> operands;
    for (auto [value, span] : llvm::zip_equal(args.values, args.spans))
      operands.push_back({value, span});
    return failWholeBuffer(("T." + nameOf(args.id)).str(), args.span, operands);
  }
  switch (args.id) {
  case IntrinsicId::ClampFn:
    return clampIntrinsic(args);
  case IntrinsicId::BitwiseNot: {
    if (args.values[0].is(ValueKind::Int))
      return heap.integer(~args.values[0].integer());
    const Expr *e = toExpr(args.values[0], args.spans[0]);
    if (!e)
      return Value();
    if (isFloat(e->type))
      return fail(DiagId::WantedOther, args.spans[0], "an integer", typeName(args.values[0]));
    return Value::expr(build.unary(ExprOp::BitNot, e, args.span));
  }
  case IntrinsicId::NotFn: {
    const Expr *e = toCondition(args.values[0], args.spans[0]);
    return e ? Value::expr(build.unary(ExprOp::LogicalNot, e, args.span)) : Value();
  }
  case IntrinsicId::IfThenElseFn:
  case IntrinsicId::SelectFn: {
    const Expr *c = toCondition(args.values[0], args.spans[0]);
    const Expr *x, *y;
    if (!c || !pairUp(args.values[1], args.values[2], args.spans[1], args.spans[2], x, y,
                      nameOf(args.id)))
      return Value();
    ExprOp op = args.id == IntrinsicId::SelectFn ? ExprOp::Select : ExprOp::IfThenElse;
    return Value::expr(build.choose(op, c, x, y, args.span));
  }
  case IntrinsicId::CastFn:
  case IntrinsicId::CastClass: {
    std::optional<DType> type = toDType(args["dtype"], args.spanOf("dtype"));
    if (!type)
      return Value();
    if (args.id == IntrinsicId::CastFn && (args.isGiven("round") || args.isGiven("rbits")))
      return directedCast(args, *type);
    return castIntrinsic(args["value"], args.spanOf("value"), *type, args.span);
  }
  case IntrinsicId::ReinterpretFn:
    return reinterpretIntrinsic(args);
  case IntrinsicId::InfinityFn:
  case IntrinsicId::MaxValueFn:
  case IntrinsicId::MinValueFn:
    return limitIntrinsic(args);
  case IntrinsicId::RoundFn: {
    const Value &mode = args["rounding_mode"];
    bool away = mode.is(ValueKind::Str) && mode.str() == "ties-away-from-zero";
    if (!away && !(mode.is(ValueKind::Str) && mode.str() == "ties-to-even"))
      return fail(DiagId::BadArgumentValue, args.spanOf("rounding_mode"), "rounding_mode",
                  shown(mode), "`\"ties-to-even\"` or `\"ties-away-from-zero\"`");
    return math(away ? MathFn::RoundAway : MathFn::Round, 1);
  }
  case IntrinsicId::FastRcp:
  case IntrinsicId::IeeeRcp: {
    Value one = Value::real(1.0);
    if (args.values[0].isNumber()) {
      const Expr *e = toExpr(args.values[0], args.spans[0], DType::F32);
      return e ? binary(BinaryOp::Div, one, Value::expr(e), args.span, args.span, args.spans[0])
               : Value();
    }
    return binary(BinaryOp::Div, one, args.values[0], args.span, args.span, args.spans[0]);
  }
  case IntrinsicId::IeeeFma:
    return math(MathFn::Fma, 3);
  case IntrinsicId::IeeeSqrt:
    return math(MathFn::Sqrt, 1);
  case IntrinsicId::IeeeRsqrt:
    return math(MathFn::Rsqrt, 1);
  default:
    return arithmeticIntrinsic(args);
  }
}

} // namespace tilec::script
