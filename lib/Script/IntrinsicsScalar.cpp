//===- IntrinsicsScalar.cpp - scalar functions of `T.` --------------------===//
//
// On compile-time arguments they are Python arithmetic where it is exact (ceildiv, min),
// else runtime constants.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "IntrinsicTable.h"
#include "Lanes.h"

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
  if (llvm::any_of(args.values, isLanes))
    return eachLane(args.values, args.span, [&](llvm::ArrayRef<Value> own) {
      CallArgs one = args;
      one.values.assign(own.begin(), own.end());
      return callMath(fn, one);
    });
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
      int64_t number = floatToInt(value.real(), bitsOf(type), isUnsigned(type));
      return Value::expr(build.constInt(number, type, span));
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

/// A call of a function of scalars. Its functions are the rows' of the table below.
struct Evaluator::ScalarCall {
  struct Row {
    IntrinsicId id;
    Value (*call)(ScalarCall &);
  };
  static const Row rows[];

  Evaluator &e;
  BoundArgs &args;

  const Value &a() const { return args.values[0]; }
  const Value &b() const { return args.values[1]; }
  bool isConstant() const { return a().isNumber() && b().isNumber(); }

  /// As Python's operator.
  template <BinaryOp op> static Value python(ScalarCall &c) {
    return c.e.binary(op, c.a(), c.b(), c.args.span, c.args.spans[0], c.args.spans[1]);
  }
  /// The function of Math.def, of the first arguments.
  template <MathFn fn, size_t count> static Value math(ScalarCall &c) {
    return c.callMath(fn, count);
  }

  Value callMath(MathFn fn, size_t count);
  Value runtime(ExprOp op);
  bool takesIntegers();
  Value truncated(bool isDiv);
  Value extreme(bool isMin);
  Value ceilDiv();
  Value alignUp();
  Value logical(ExprOp op);
  Value bitwiseNot();
  Value logicalNot();
  Value choose(ExprOp op);
  Value cast();
  Value round();
  Value reciprocal();
};

const Evaluator::ScalarCall::Row Evaluator::ScalarCall::rows[] = {
    {IntrinsicId::CeilDiv, [](ScalarCall &c) { return c.ceilDiv(); }},
    {IntrinsicId::AlignUp, [](ScalarCall &c) { return c.alignUp(); }},
    {IntrinsicId::FloorDivFn, python<BinaryOp::FloorDiv>},
    {IntrinsicId::FloorModFn, python<BinaryOp::Mod>},
    {IntrinsicId::TruncDivFn, [](ScalarCall &c) { return c.truncated(true); }},
    {IntrinsicId::TruncModFn, [](ScalarCall &c) { return c.truncated(false); }},
    {IntrinsicId::DivFn, python<BinaryOp::Div>},
    {IntrinsicId::MinFn, [](ScalarCall &c) { return c.extreme(true); }},
    {IntrinsicId::MaxFn, [](ScalarCall &c) { return c.extreme(false); }},
    {IntrinsicId::ClampFn, [](ScalarCall &c) { return c.e.clampIntrinsic(c.args); }},
    {IntrinsicId::ShiftLeft, python<BinaryOp::Shl>},
    {IntrinsicId::ShiftRight, python<BinaryOp::Shr>},
    {IntrinsicId::BitwiseAnd, python<BinaryOp::BitAnd>},
    {IntrinsicId::BitwiseOr, python<BinaryOp::BitOr>},
    {IntrinsicId::BitwiseXor, python<BinaryOp::BitXor>},
    {IntrinsicId::BitwiseNot, [](ScalarCall &c) { return c.bitwiseNot(); }},
    {IntrinsicId::AndFn, [](ScalarCall &c) { return c.logical(ExprOp::LogicalAnd); }},
    {IntrinsicId::OrFn, [](ScalarCall &c) { return c.logical(ExprOp::LogicalOr); }},
    {IntrinsicId::NotFn, [](ScalarCall &c) { return c.logicalNot(); }},
    {IntrinsicId::IfThenElseFn, [](ScalarCall &c) { return c.choose(ExprOp::IfThenElse); }},
    {IntrinsicId::SelectFn, [](ScalarCall &c) { return c.choose(ExprOp::Select); }},
    {IntrinsicId::CastFn, [](ScalarCall &c) { return c.cast(); }},
    {IntrinsicId::CastClass, [](ScalarCall &c) { return c.cast(); }},
    {IntrinsicId::ReinterpretFn, [](ScalarCall &c) { return c.e.reinterpretIntrinsic(c.args); }},
    {IntrinsicId::InfinityFn, [](ScalarCall &c) { return c.e.limitIntrinsic(c.args); }},
    {IntrinsicId::MaxValueFn, [](ScalarCall &c) { return c.e.limitIntrinsic(c.args); }},
    {IntrinsicId::MinValueFn, [](ScalarCall &c) { return c.e.limitIntrinsic(c.args); }},
    {IntrinsicId::RoundFn, [](ScalarCall &c) { return c.round(); }},
    {IntrinsicId::PowOfInt, python<BinaryOp::Pow>},
    {IntrinsicId::FastRcp, [](ScalarCall &c) { return c.reciprocal(); }},
    {IntrinsicId::IeeeAdd, python<BinaryOp::Add>},
    {IntrinsicId::IeeeSub, python<BinaryOp::Sub>},
    {IntrinsicId::IeeeMul, python<BinaryOp::Mul>},
    {IntrinsicId::IeeeDiv, python<BinaryOp::Div>},
    {IntrinsicId::IeeeFma, math<MathFn::Fma, 3>},
    {IntrinsicId::IeeeRcp, [](ScalarCall &c) { return c.reciprocal(); }},
    {IntrinsicId::IeeeSqrt, math<MathFn::Sqrt, 1>},
    {IntrinsicId::IeeeRsqrt, math<MathFn::Rsqrt, 1>},
};

Value Evaluator::ScalarCall::callMath(MathFn fn, size_t count) {
  CallArgs inner;
  inner.span = args.span;
  inner.calleeSpan = args.calleeSpan;
  inner.values.append(args.values.begin(), args.values.begin() + count);
  inner.spans.append(args.spans.begin(), args.spans.begin() + count);
  return e.callMath(fn, inner);
}

Value Evaluator::ScalarCall::runtime(ExprOp op) {
  const Expr *x, *y;
  if (!e.pairUp(a(), b(), args.spans[0], args.spans[1], x, y, nameOf(args.id)))
    return Value();
  return Value::expr(e.build.binary(op, x, y, args.span));
}

bool Evaluator::ScalarCall::takesIntegers() {
  for (size_t i = 0; i < 2; ++i) {
    const Value &v = args.values[i];
    if (v.is(ValueKind::Float) || (e.isRuntime(v) && isFloat(v.expr()->type))) {
      e.fail(DiagId::WantedOther, args.spans[i], "an integer", typeName(v));
      return false;
    }
  }
  return true;
}

/// The quotient rounded to zero, or what it leaves.
Value Evaluator::ScalarCall::truncated(bool isDiv) {
  if (!takesIntegers())
    return Value();
  if (!isConstant())
    return runtime(isDiv ? ExprOp::TruncDiv : ExprOp::TruncMod);
  Integer x = a().integer(), y = b().integer();
  if (y.isZero())
    return e.fail(DiagId::DivisionByZero, args.spans[1]);
  Integer ax = x.isNegative() ? -x : x, ay = y.isNegative() ? -y : y;
  std::optional<Integer> r = isDiv ? Integer::floorDiv(ax, ay) : Integer::floorMod(ax, ay);
  bool negate = isDiv ? x.isNegative() != y.isNegative() : x.isNegative();
  return e.heap.integer(negate ? -*r : *r);
}

Value Evaluator::ScalarCall::extreme(bool isMin) {
  if (!isConstant())
    return runtime(isMin ? ExprOp::Min : ExprOp::Max);
  std::optional<int> o = e.order(a(), b(), args.span);
  return !o ? Value() : (isMin ? *o <= 0 : *o >= 0) ? a() : b();
}

Value Evaluator::ScalarCall::ceilDiv() {
  if (!takesIntegers())
    return Value();
  if (isConstant()) {
    Value negated = e.binary(BinaryOp::FloorDiv, e.heap.integer(-a().integer()), b(), args.span,
                             args.spans[0], args.spans[1]);
    return negated.ok() ? e.heap.integer(-negated.integer()) : Value();
  }
  const Expr *x, *y;
  if (!e.pairUp(a(), b(), args.spans[0], args.spans[1], x, y, "ceildiv"))
    return Value();
  if (y->constInt() == 0)
    return e.fail(DiagId::DivisionByZero, args.spans[1]);
  return Value::expr(e.build.ceilDiv(x, y, args.span));
}

Value Evaluator::ScalarCall::alignUp() {
  Value tiles = ceilDiv();
  return tiles.ok() ? e.binary(BinaryOp::Mul, tiles, b(), args.span, args.spans[0], args.spans[1])
                    : Value();
}

Value Evaluator::ScalarCall::logical(ExprOp op) {
  const Expr *x = e.toCondition(a(), args.spans[0]);
  const Expr *y = x ? e.toCondition(b(), args.spans[1]) : nullptr;
  return y ? Value::expr(e.build.binary(op, x, y, args.span)) : Value();
}

Value Evaluator::ScalarCall::logicalNot() {
  const Expr *x = e.toCondition(a(), args.spans[0]);
  return x ? Value::expr(e.build.unary(ExprOp::LogicalNot, x, args.span)) : Value();
}

Value Evaluator::ScalarCall::bitwiseNot() {
  if (a().is(ValueKind::Int))
    return e.heap.integer(~a().integer());
  const Expr *x = e.toExpr(a(), args.spans[0]);
  if (!x)
    return Value();
  if (isFloat(x->type))
    return e.fail(DiagId::WantedOther, args.spans[0], "an integer", typeName(a()));
  return Value::expr(e.build.unary(ExprOp::BitNot, x, args.span));
}

Value Evaluator::ScalarCall::choose(ExprOp op) {
  const Expr *condition = e.toCondition(a(), args.spans[0]);
  const Expr *x, *y;
  if (!condition || !e.pairUp(args.values[1], args.values[2], args.spans[1], args.spans[2], x, y,
                              nameOf(args.id)))
    return Value();
  return Value::expr(e.build.choose(op, condition, x, y, args.span));
}

Value Evaluator::ScalarCall::cast() {
  std::optional<DType> type = e.toDType(args["dtype"], args.spanOf("dtype"));
  if (!type)
    return Value();
  if (args.id == IntrinsicId::CastFn && (args.isGiven("round") || args.isGiven("rbits")))
    return e.directedCast(args, *type);
  return e.castIntrinsic(args["value"], args.spanOf("value"), *type, args.span);
}

Value Evaluator::ScalarCall::round() {
  const Value &mode = args["rounding_mode"];
  constexpr std::pair<llvm::StringLiteral, MathFn> modes[] = {
      {"ties-away-from-zero", MathFn::RoundAway}, {"ties-to-even", MathFn::Round}};
  for (auto [name, fn] : modes)
    if (mode.is(ValueKind::Str) && mode.str() == name)
      return callMath(fn, 1);
  return e.fail(DiagId::BadArgumentValue, args.spanOf("rounding_mode"), "rounding_mode",
                shown(mode), "`\"ties-to-even\"` or `\"ties-away-from-zero\"`");
}

Value Evaluator::ScalarCall::reciprocal() {
  Value divisor = a();
  if (divisor.isNumber()) {
    const Expr *x = e.toExpr(divisor, args.spans[0], DType::F32);
    if (!x)
      return Value();
    divisor = Value::expr(x);
  }
  return e.binary(BinaryOp::Div, Value::real(1.0), divisor, args.span, args.span, args.spans[0]);
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
    value = scalarIntrinsic(inner);
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
  if (llvm::any_of(args.values, isTile)) {
    llvm::SmallVector<Operand> operands;
    for (auto [value, span] : llvm::zip_equal(args.values, args.spans))
      operands.push_back({value, span});
    return failWholeBuffer(("T." + nameOf(args.id)).str(), args.span, operands);
  }
  const auto *row =
      llvm::find_if(ScalarCall::rows, [&](const ScalarCall::Row &r) { return r.id == args.id; });
  assert(row != std::end(ScalarCall::rows) && "a row of kind Scalar has one here");
  ScalarCall call{*this, args};
  return row->call(call);
}

} // namespace tilec::script
