//===- EvalExpr.cpp - expressions -----------------------------------------===//
//
// Evaluates expressions of the syntax tree: at compile time where all is known, else to
// expressions of the traced kernel.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Lanes.h"

namespace tilec::script {
/// A name of a scalar variable means its value, wherever it is not a target.
Value Evaluator::decay(const Value &v, Span span) {
  if (v.is(ValueKind::Buffer) && v.buffer()->scope == Scope::Var)
    return Value::expr(build.load(v.buffer(), {}, span));
  if (v.is(ValueKind::Region) && v.region()->extents.empty() && !v.region()->whole)
    return Value::expr(build.load(v.region()->buffer, v.region()->offsets, span));
  if (isLanes(v) && v.items()[0].is(ValueKind::Buffer)) // of a variable
    return eachLane(v, span, [](llvm::ArrayRef<Value> own) { return own[0]; });
  return v;
}

Value Evaluator::eval(const ast::Expr *e) {
  Value v = evalRaw(e);
  // A fresh variable (`T.alloc_var`) is a buffer until it has a name.
  return e->kind == ExprKind::Call ? v : decay(v, e->span);
}

Value Evaluator::evalRaw(const ast::Expr *e) {
  Deeper deeper(*this, e->span);
  if (!deeper.ok || !step(e->span))
    return Value();
  return evalKind(e);
}

Value Evaluator::evalKind(const ast::Expr *e) {
  switch (e->kind) {
  case ExprKind::Name:
    return lookup(llvm::cast<NameExpr>(e)->name, e->span);
  case ExprKind::Constant:
    switch (llvm::cast<ConstantExpr>(e)->which) {
    case ConstantExpr::None:
      return Value::none();
    case ConstantExpr::True:
      return Value::boolean(true);
    case ConstantExpr::False:
      return Value::boolean(false);
    case ConstantExpr::Ellipsis:
      return Value::ellipsis();
    }
    return Value();
  case ExprKind::Number:
    return evalNumber(llvm::cast<NumberExpr>(e));
  case ExprKind::String:
    return heap.str(llvm::cast<StringExpr>(e)->value.str());
  case ExprKind::Joined:
    return evalJoined(llvm::cast<JoinedExpr>(e));
  case ExprKind::Tuple:
  case ExprKind::List:
  case ExprKind::Set:
    return evalSequence(llvm::cast<SequenceExpr>(e));
  case ExprKind::Dict:
    return evalDict(llvm::cast<DictExpr>(e));
  case ExprKind::Unary:
    return evalUnary(llvm::cast<UnaryExpr>(e));
  case ExprKind::Binary: {
    const auto *b = llvm::cast<BinaryExpr>(e);
    Value lhs = eval(b->lhs);
    if (!lhs.ok())
      return failWith(b->rhs);
    Value rhs = eval(b->rhs);
    if (!rhs.ok()) {
      if (lhs.is(ValueKind::Opaque) && postpone())
        failOpaque(lhs, b->lhs->span);
      return failure ? Value() : poison();
    }
    return binary(b->op, lhs, rhs, e->span, b->lhs->span, b->rhs->span);
  }
  case ExprKind::Bool:
    return evalBool(llvm::cast<BoolExpr>(e), /*isTested=*/false);
  case ExprKind::Compare:
    return evalCompare(llvm::cast<CompareExpr>(e));
  case ExprKind::Conditional:
    return evalConditional(llvm::cast<ConditionalExpr>(e));
  case ExprKind::Lambda:
    return evalLambda(llvm::cast<LambdaExpr>(e));
  case ExprKind::Call:
    return evalCall(llvm::cast<CallExpr>(e));
  case ExprKind::Attribute: {
    const auto *a = llvm::cast<AttributeExpr>(e);
    if (std::optional<Value> inner = innerName(a))
      return *inner;
    Value object = eval(a->value);
    return object.ok() ? attribute(object, a->name, e->span, a->nameSpan) : Value();
  }
  case ExprKind::Subscript: {
    const auto *s = llvm::cast<SubscriptExpr>(e);
    Value object = evalRaw(s->value);
    Value index = object.ok() ? eval(s->index) : failWith(s->index);
    return index.ok() ? subscript(object, index, e->span, s->index->span) : Value();
  }
  case ExprKind::Slice:
    return evalSlice(llvm::cast<SliceExpr>(e));
  case ExprKind::Starred:
    return fail(DiagId::MisplacedStar, e->span);
  case ExprKind::Named: {
    const auto *n = llvm::cast<NamedExpr>(e);
    Value value = eval(n->value);
    Env *scope = env;
    while (scope && scope->isComprehension)
      scope = scope->parent;
    llvm::SaveAndRestore saved(env, scope);
    if (!value.ok() || !bind(n->target->name, value, n->target->span))
      return Value();
    return eval(n->target);
  }
  case ExprKind::Unsupported:
    return fail(DiagId::UnsupportedSyntax, e->span, llvm::cast<ast::UnsupportedExpr>(e)->what);
  case ExprKind::ListComp:
  case ExprKind::SetComp:
  case ExprKind::DictComp:
  case ExprKind::Generator:
    return evalComprehension(llvm::cast<ComprehensionExpr>(e));
  }
  return Value();
}

Value Evaluator::evalNumber(const NumberExpr *e) {
  if (e->isFloat)
    return Value::real(e->value);
  if (!step(e->span, e->digits.size() / 4))
    return Value();
  std::optional<Integer> value = Integer::parse(e->digits, e->radix);
  return value ? heap.integer(*value) : fail(DiagId::IntegerTooLarge, e->span, Integer::maxBits);
}

std::optional<std::string> Evaluator::joinedText(llvm::ArrayRef<JoinedPart> parts, Span span) {
  std::string out;
  for (const JoinedPart &part : parts) {
    if (!part.value) {
      out += part.text;
      continue;
    }
    Value value = eval(part.value);
    if (!value.ok())
      return std::nullopt;
    std::optional<std::string> spec = joinedText(part.spec, span);
    if (!spec)
      return std::nullopt;
    if (part.conversion)
      value = text(part.conversion == 's' ? toStr(value) : repr(value), part.value->span);
    if (!value.ok())
      return std::nullopt;
    std::optional<std::string> text = formatValue(value, *spec);
    if (!text) {
      fail(DiagId::BadFormatSpec, part.value->span, *spec, typeName(value));
      return std::nullopt;
    }
    out += *text;
    if (out.size() > limits.textBytes || !step(span, text->size() / 16)) {
      fail(DiagId::StringTooLong, span, limits.textBytes);
      return std::nullopt;
    }
  }
  return out;
}

Value Evaluator::evalJoined(const JoinedExpr *e) {
  std::optional<std::string> text = joinedText(e->parts, e->span);
  return text ? heap.str(std::move(*text)) : Value();
}

Value Evaluator::evalSequence(const SequenceExpr *e) {
  std::vector<Value> items;
  bool isGood = true; // each item tells its own errors
  for (const ast::Expr *item : e->items) {
    if (const auto *starred = llvm::dyn_cast<StarredExpr>(item)) {
      Value inner = eval(starred->value);
      llvm::SmallVector<Value> expanded;
      if (!inner.ok() || !iterate(inner, item->span, expanded))
        return Value();
      items.insert(items.end(), expanded.begin(), expanded.end());
      continue;
    }
    Value value = eval(item);
    isGood &= value.ok();
    if (!value.ok() && !postpone())
      return Value();
    items.push_back(value);
  }
  if (!isGood)
    return poison();
  if (e->kind == ExprKind::List)
    return heap.list(std::move(items));
  if (e->kind == ExprKind::Tuple)
    return heap.tuple(std::move(items));
  std::vector<Value> unique;
  for (const Value &item : items) {
    if (!hashable(item, e->span) || !step(e->span, unique.size()))
      return Value();
    if (llvm::none_of(unique, [&](const Value &u) { return same(u, item); }))
      unique.push_back(item);
  }
  return heap.list(std::move(unique), ValueKind::Set);
}

Value Evaluator::evalDict(const DictExpr *e) {
  auto *dict = heap.make<DictObject>();
  for (size_t i = 0; i < e->keys.size(); ++i) {
    Value value = Value();
    if (!e->keys[i]) {
      value = eval(e->values[i]);
      if (!value.ok())
        return Value();
      if (!value.is(ValueKind::Dict))
        return fail(DiagId::WantedOther, e->values[i]->span, "a dict", typeName(value));
      for (auto &[k, v] : value.as<DictObject>()->entries)
        if (!dictSet(dict, k, v, e->values[i]->span))
          return Value();
      continue;
    }
    Value key = eval(e->keys[i]);
    if (!key.ok())
      return Value();
    value = eval(e->values[i]);
    if (!value.ok() || !dictSet(dict, key, value, e->keys[i]->span))
      return Value();
  }
  return Value::object(ValueKind::Dict, dict);
}

Value Evaluator::evalUnary(const UnaryExpr *e) {
  Value v = e->op == UnaryOp::Not ? evalTested(e->operand) : eval(e->operand);
  if (!v.ok())
    return Value();
  if (e->op == UnaryOp::Not) {
    if (v.is(ValueKind::Expr)) {
      const Expr *condition = toCondition(v, e->operand->span);
      return condition ? Value::expr(build.unary(ExprOp::LogicalNot, condition, e->span)) : Value();
    }
    std::optional<bool> t = truth(v, e->operand->span);
    return t ? Value::boolean(!*t) : Value();
  }
  if (v.is(ValueKind::Float) && e->op != UnaryOp::Invert)
    return e->op == UnaryOp::Neg ? Value::real(-v.real()) : v;
  if (v.is(ValueKind::Int) || v.is(ValueKind::Bool)) {
    Integer i = v.integer();
    return heap.integer(e->op == UnaryOp::Neg ? -i : e->op == UnaryOp::Invert ? ~i : i);
  }
  if (v.is(ValueKind::Expr)) {
    if (e->op == UnaryOp::Pos)
      return v;
    const Expr *x = v.expr();
    if (e->op == UnaryOp::Invert && isFloat(x->type))
      return fail(DiagId::BadOperand, e->span, "~", typeName(v));
    if (e->op == UnaryOp::Invert && x->type == DType::Bool)
      return Value::expr(build.unary(ExprOp::LogicalNot, x, e->span));
    if (x->type == DType::Bool)
      x = build.cast(x, DType::I32, e->span);
    return Value::expr(
        build.unary(e->op == UnaryOp::Neg ? ExprOp::Neg : ExprOp::BitNot, x, e->span));
  }
  if (isLanes(v))
    return eachLane(v, e->span, [&](llvm::ArrayRef<Value> own) {
      if (e->op == UnaryOp::Pos)
        return own[0];
      if (e->op == UnaryOp::Invert && isFloat(own[0].expr()->type))
        return fail(DiagId::BadOperand, e->span, "~", typeName(own[0]));
      ExprOp op = e->op == UnaryOp::Neg ? ExprOp::Neg : ExprOp::BitNot;
      return Value::expr(build.unary(op, own[0].expr(), e->span));
    });
  llvm::StringRef spelling = e->op == UnaryOp::Neg ? "-" : e->op == UnaryOp::Pos ? "+" : "~";
  if (isTile(v))
    return failWholeBuffer(spelling, e->span, {{v, e->operand->span}});
  return fail(DiagId::BadOperand, e->span, spelling, typeName(v));
}

/// What `e` calls goes into `made` and not behind the statements so far.
Value Evaluator::evalApart(const ast::Expr *e, std::vector<const Stmt *> &made) {
  llvm::SaveAndRestore savedStatements(statements, &made);
  return eval(e);
}

/// `a` where the condition holds, else `b`, each with the calls that only it needs.
const Expr *Evaluator::chooseMade(const Expr *condition, std::vector<const Stmt *> &ofA,
                                  const Expr *a, std::vector<const Stmt *> &ofB, const Expr *b,
                                  Span span) {
  if (ofA.empty() && ofB.empty())
    return build.choose(ExprOp::IfThenElse, condition, a, b, span);
  Buffer *chosen = newBuffer("chosen", a->type, Scope::Var, {}, span);
  auto *branch = program.make<IfStmt>(span, condition);
  for (auto [made, value, body] :
       {std::tuple(&ofA, a, &branch->thenBody), std::tuple(&ofB, b, &branch->elseBody)}) {
    made->push_back(
        program.make<StoreStmt>(span, chosen, llvm::ArrayRef<const Expr *>(), value, span));
    *body = program.copy(llvm::ArrayRef<const Stmt *>(*made));
  }
  emit(program.make<AllocStmt>(span, chosen));
  emit(branch);
  build.sums.noteFrame();
  return build.load(chosen, {}, span);
}

Value Evaluator::evalTested(const ast::Expr *e) {
  auto *joined = llvm::dyn_cast<BoolExpr>(e);
  return joined ? evalBool(joined, /*isTested=*/true) : eval(e);
}

/// Compile-time operands fold away; what is left is a runtime and/or with Python's order.
Value Evaluator::evalBool(const BoolExpr *e, bool isTested) {
  const Expr *joined = nullptr;
  Value last;
  std::vector<std::pair<Value, Span>> left; // of which the result is one
  bool isTruth = true, hasCalls = false;
  for (const ast::Expr *operand : e->operands) {
    std::vector<const Stmt *> made, none;
    {
      llvm::SaveAndRestore savedStatements(statements, joined ? &made : statements);
      last = isTested ? evalTested(operand) : eval(operand);
    }
    if (!last.ok())
      return Value();
    bool isRead = isRuntime(last) && !last.expr()->isConst();
    std::optional<bool> t;
    if (!isRead && made.empty()) {
      t = truth(last, operand->span);
      if (!t)
        return Value();
      // Does not count where another operand follows or, as a condition, beside others.
      bool decides = *t != e->isAnd;
      if (!decides && (operand != e->operands.back() || (isTested && joined)))
        continue;
    }
    left.push_back({last, operand->span});
    isTruth &= last.is(ValueKind::Bool) || (isRuntime(last) && last.expr()->type == DType::Bool);
    hasCalls |= !made.empty();
    if (t) { // Operands before it have no effects, so they may go from a condition that it decides.
      if (joined && *t != e->isAnd && (isTested || isTruth))
        return Value::boolean(*t);
      break;
    }
    const Expr *condition = toCondition(last, operand->span);
    if (!condition)
      return Value();
    if (!made.empty()) { // only where the operands before have not decided
      const Expr *decided = build.constBool(!e->isAnd, operand->span);
      joined = e->isAnd ? chooseMade(joined, made, condition, none, decided, e->span)
                        : chooseMade(joined, none, decided, made, condition, e->span);
      continue;
    }
    joined = joined ? build.binary(e->isAnd ? ExprOp::LogicalAnd : ExprOp::LogicalOr, joined,
                                   condition, e->span)
                    : condition;
  }
  if (left.empty())
    return last;
  if (left.size() == 1)
    return left.front().first;
  if (isTested || isTruth)
    return joined ? Value::expr(joined) : last;
  // One of numbers: the first that decides, or the last.
  if (hasCalls)
    return fail(DiagId::BadOperand, e->span, e->isAnd ? "and" : "or",
                "numbers of which one is computed by a call; write `a if c else b`");
  auto [result, span] = left.back();
  for (auto [value, ofValue] : llvm::reverse(llvm::ArrayRef(left).drop_back())) {
    const Expr *condition = toCondition(value, ofValue), *x, *y;
    if (!condition || !pairUp(value, result, ofValue, span, x, y, e->isAnd ? "and" : "or"))
      return Value();
    if (e->isAnd)
      std::swap(x, y);
    result = Value::expr(build.choose(ExprOp::IfThenElse, condition, x, y, e->span));
  }
  return result;
}

Value Evaluator::evalCompare(const CompareExpr *e) {
  Value lhs = eval(e->operands[0]);
  if (!lhs.ok())
    return failWith(e->operands[1]);
  const Expr *joined = nullptr;
  Value result;
  for (size_t i = 0; i < e->ops.size(); ++i) {
    Value rhs = eval(e->operands[i + 1]);
    if (!rhs.ok())
      return Value();
    Span lhsSpan = e->operands[i]->span, rhsSpan = e->operands[i + 1]->span;
    Span span = e->ops.size() == 1 ? e->span : lhsSpan.to(rhsSpan);
    result = compare(e->ops[i], lhs, rhs, span, lhsSpan, rhsSpan);
    if (!result.ok())
      return Value();
    if (isLanes(result) && e->ops.size() == 1)
      return result;
    if (result.is(ValueKind::Expr))
      joined =
          joined ? build.binary(ExprOp::LogicalAnd, joined, result.expr(), e->span) : result.expr();
    else if (!result.boolean())
      return Value::boolean(false);
    lhs = rhs;
  }
  return joined ? Value::expr(joined) : result;
}

Value Evaluator::evalConditional(const ConditionalExpr *e) {
  Value condition = evalTested(e->condition);
  if (!condition.ok())
    return Value();
  if (!isRuntime(condition) || condition.expr()->isConst()) {
    std::optional<bool> t = truth(condition, e->condition->span);
    return t ? eval(*t ? e->thenValue : e->elseValue) : Value();
  }
  const Expr *c = toCondition(condition, e->condition->span);
  std::vector<const Stmt *> ofA, ofB;
  Value a = c ? evalApart(e->thenValue, ofA) : Value();
  Value b = a.ok() ? evalApart(e->elseValue, ofB) : Value();
  const Expr *x, *y;
  if (!b.ok() || !pairUp(a, b, e->thenValue->span, e->elseValue->span, x, y, "if-else"))
    return Value();
  return Value::expr(chooseMade(c, ofA, x, ofB, y, e->span));
}

Value Evaluator::evalLambda(const LambdaExpr *e) {
  auto *f = heap.make<FunctionObject>();
  f->name = "lambda";
  f->home = home;
  f->span = e->span;
  f->params = e->params;
  f->expression = e->body;
  f->closure = env;
  for (const ast::Param &p : e->params) {
    Value v = p.defaultValue ? eval(p.defaultValue) : Value();
    if (p.defaultValue && !v.ok())
      return Value();
    f->defaults.push_back(v);
  }
  return Value::object(ValueKind::Function, f);
}

std::optional<CallArgs> Evaluator::evalArguments(const CallExpr *e) {
  CallArgs args;
  args.span = e->span;
  args.calleeSpan = e->callee->span;
  // Each argument tells its own errors.
  bool isGood = true;
  auto value = [&](const ast::Expr *arg) {
    Value v = eval(arg);
    isGood &= v.ok();
    return v;
  };
  for (const ast::Expr *arg : e->args) {
    const auto *starred = llvm::dyn_cast<StarredExpr>(arg);
    Value v = value(starred ? starred->value : arg);
    llvm::SmallVector<Value> items;
    if (!v.ok() || (starred && !iterate(v, arg->span, items))) {
      isGood = false;
      if (!postpone())
        return std::nullopt;
      continue;
    }
    if (!starred)
      items.push_back(v);
    args.values.append(items);
    args.spans.append(items.size(), arg->span);
  }
  for (const ast::Keyword &k : e->keywords) {
    Value v = value(k.value);
    if (!v.ok()) {
      if (!postpone())
        return std::nullopt;
      continue;
    }
    if (!k.name.empty()) {
      args.keywords.push_back({k.name.str(), v, k.span, k.value->span});
      continue;
    }
    if (!v.is(ValueKind::Dict)) {
      fail(DiagId::WantedOther, k.value->span, "a dict", typeName(v));
      return std::nullopt;
    }
    for (auto &[key, item] : v.as<DictObject>()->entries) {
      if (!key.is(ValueKind::Str)) {
        fail(DiagId::WantedOther, k.value->span, "a dict with str keys", shown(key));
        return std::nullopt;
      }
      args.keywords.push_back({key.str().str(), item, k.span});
    }
  }
  if (isGood)
    return args;
  poison();
  return std::nullopt;
}

Value Evaluator::evalCall(const CallExpr *e) {
  Value callee = eval(e->callee);
  if (!callee.ok())
    return Value();
  if (callee.is(ValueKind::Refused)) {
    // Whatever it is called with.
    CallArgs none;
    none.span = e->span;
    none.calleeSpan = e->callee->span;
    return call(callee, none);
  }
  if (callee.is(ValueKind::Intrinsic) && callee.intrinsic() == IntrinsicId::Let)
    return evalLet(e);
  std::optional<CallArgs> args = evalArguments(e);
  if (args)
    return call(callee, *args);
  if (callee.is(ValueKind::Intrinsic) && postpone()) { // names of keywords need no values
    for (const ast::Keyword &k : e->keywords)
      if (!isKeywordOf(callee.intrinsic(), k.name, k.span) && !postpone())
        return Value();
    return poison();
  }
  return Value();
}

/// After the error of an operand: another one tells its own errors.
Value Evaluator::failWith(const ast::Expr *other) {
  if (!postpone())
    return Value();
  Value value = eval(other);
  if (value.is(ValueKind::Opaque))
    failOpaque(value, other->span);
  return value.ok() ? poison() : Value();
}

/// `outer(args).inner`: a name that the function binds. Nothing when this is an attribute.
std::optional<Value> Evaluator::innerName(const AttributeExpr *e) {
  const auto *c = llvm::dyn_cast<CallExpr>(e->value);
  if (!c || e->span.file != entryFile)
    return std::nullopt;
  Value callee = eval(c->callee);
  if (!callee.ok())
    return Value();
  const FunctionObject *f = callee.is(ValueKind::Function) ? callee.as<FunctionObject>()
                            : callee.is(ValueKind::Jit)    ? callee.as<JitObject>()->function
                                                           : nullptr;
  bool isEager = callee.is(ValueKind::Jit) && callee.as<JitObject>()->isEager;
  if (!f || !f->def || isEager || !localsOf(f)->contains(e->name))
    return std::nullopt;
  std::optional<CallArgs> args = evalArguments(c);
  if (!args)
    return Value();
  wantedInner = e->name;
  return callFunction(f, *args, /*traced=*/false);
}

bool Evaluator::comprehend(const ComprehensionExpr *e, size_t level,
                           llvm::function_ref<bool()> element) {
  if (level == e->generators.size())
    return element();
  const ast::Generator &g = e->generators[level];
  Value iterable = eval(g.iterable);
  llvm::SmallVector<Value> items;
  if (!iterable.ok() || !iterate(iterable, g.iterable->span, items))
    return false;
  for (const Value &item : items) {
    if (!step(e->span))
      return false;
    // Targets of a comprehension are never lets: they only exist at compile time.
    if (const auto *name = llvm::dyn_cast<NameExpr>(g.target))
      setBinding(env, name->name, item, g.target->span);
    else if (!assign(g.target, item, g.iterable->span))
      return false;
    bool wanted = true;
    for (const ast::Expr *condition : g.conditions) {
      Value c = evalTested(condition);
      std::optional<bool> t = c.ok() ? truth(c, condition->span) : std::nullopt;
      if (!t)
        return false;
      wanted = *t;
      if (!wanted)
        break;
    }
    if (wanted && !comprehend(e, level + 1, element))
      return false;
  }
  return true;
}

Value Evaluator::evalComprehension(const ComprehensionExpr *e) {
  auto *scope = heap.make<Env>();
  scope->parent = env;
  scope->isComprehension = true;
  llvm::SaveAndRestore saved(env, scope);
  std::vector<Value> items;
  auto *dict = e->kind == ExprKind::DictComp ? heap.make<DictObject>() : nullptr;
  bool ok = comprehend(e, 0, [&] {
    Value v = eval(e->element);
    if (!v.ok())
      return false;
    if (dict) {
      Value value = eval(e->dictValue);
      return value.ok() && dictSet(dict, v, value, e->element->span);
    }
    if (e->kind == ExprKind::SetComp) {
      if (!hashable(v, e->element->span) || !step(e->span, items.size()))
        return false;
      if (llvm::any_of(items, [&](const Value &u) { return same(u, v); }))
        return true;
    }
    items.push_back(v);
    return true;
  });
  if (!ok)
    return Value();
  if (dict)
    return Value::object(ValueKind::Dict, dict);
  return heap.list(std::move(items),
                   e->kind == ExprKind::SetComp ? ValueKind::Set : ValueKind::List);
}

Value Evaluator::evalSlice(const SliceExpr *e) {
  auto *slice = heap.make<SliceObject>();
  auto part = [&](const ast::Expr *p, Value &out) {
    out = p ? eval(p) : Value::none();
    return out.ok();
  };
  if (!part(e->lower, slice->lower) || !part(e->upper, slice->upper) || !part(e->step, slice->step))
    return Value();
  return Value::object(ValueKind::Slice, slice);
}

} // namespace tilec::script
