//===- LinearSums.cpp - what is left of a difference of indices -----------===//
//
// Takes two indices, gives their difference where terms of both cancel, through casts and
// quotients.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "LinearSums.h"

#include "tilec/Base/Math.h"

namespace tilec::script {
namespace {

// Bounds of a slice have a handful of terms; of more than this nothing is found, so that no script
// makes the search long.
constexpr size_t mostTerms = 32;
constexpr unsigned mostSteps = 1 << 14; ///< expressions looked at and compared
constexpr unsigned mostDepth = 256;     ///< names and operators below each other

bool isWidening(const Expr *e) {
  DType from = e->args[0]->type, to = e->type;
  return isInteger(from) && isInteger(to) && isUnsigned(from) == isUnsigned(to) &&
         bitsOf(to) >= bitsOf(from);
}

} // namespace

std::optional<int64_t> LinearSums::difference(const Expr *a, const Expr *b) {
  sums.clear();
  steps = depth = 0;
  std::optional<Sum> rest = plus(of(a), of(b), -1);
  return rest && rest->terms.empty() ? std::optional(rest->constant) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// What reads see
//===----------------------------------------------------------------------===//

uint64_t LinearSums::versionOf(const Buffer *buffer) const {
  bool isVariable = buffer->scope == Scope::Var;
  return std::max(isVariable ? variableWrites.lookup(buffer) : lastWrite, lastFrame);
}

void LinearSums::noteStatement(const Stmt *statement) {
  const auto *store = llvm::dyn_cast<StoreStmt>(statement);
  if (store && store->buffer->scope == Scope::Var) {
    variableWrites[store->buffer] = ++clock;
    return;
  }
  if (llvm::isa<AllocStmt, LetStmt>(statement))
    return;
  lastWrite = ++clock;
  const auto *call = llvm::dyn_cast<TileCallStmt>(statement);
  for (const Argument &argument : call ? call->call->args : llvm::ArrayRef<Argument>())
    if (argument.region && argument.region->buffer->scope == Scope::Var)
      variableWrites[argument.region->buffer] = clock;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

LinearSums::Sum LinearSums::of(const Expr *e) {
  if (auto it = sums.find(e); it != sums.end())
    return it->second;
  std::optional<Sum> sum;
  ++depth;
  if (++steps <= mostSteps && depth <= mostDepth)
    sum = split(e);
  --depth;
  if (!sum)
    sum = Sum{0, {{e, 1}}};
  return sums[e] = *sum;
}

std::optional<LinearSums::Sum> LinearSums::plus(const Sum &a, const Sum &b, int64_t factor) {
  Sum sum = a;
  int64_t product;
  if (__builtin_mul_overflow(b.constant, factor, &product) ||
      __builtin_add_overflow(sum.constant, product, &sum.constant))
    return std::nullopt;
  for (auto [term, coefficient] : b.terms) {
    if (__builtin_mul_overflow(coefficient, factor, &product))
      return std::nullopt;
    auto *same = llvm::find_if(sum.terms, [&](auto &own) { return isSameTerm(own.first, term); });
    if (same == sum.terms.end())
      sum.terms.push_back({term, product});
    else if (__builtin_add_overflow(same->second, product, &same->second))
      return std::nullopt;
    else if (same->second == 0)
      sum.terms.erase(same);
  }
  return sum.terms.size() <= mostTerms ? std::optional(sum) : std::nullopt;
}

std::optional<LinearSums::Sum> LinearSums::split(const Expr *e) {
  if (!isInteger(e->type))
    return std::nullopt;
  auto side = [&](unsigned n) { return of(e->args[n]); };
  auto scaled = [&](unsigned n, int64_t factor) { return plus(Sum(), side(n), factor); };
  switch (e->op) {
  case ExprOp::ConstInt:
    return Sum{e->intValue, {}};
  case ExprOp::Var: {
    const Expr *definition = definitions.lookup(e->var);
    return definition ? std::optional(of(definition)) : std::nullopt;
  }
  case ExprOp::Cast:
    return isWidening(e) ? std::optional(side(0)) : std::nullopt;
  case ExprOp::Neg:
    return scaled(0, -1);
  case ExprOp::Add:
    return plus(side(0), side(1), 1);
  case ExprOp::Sub:
    return plus(side(0), side(1), -1);
  case ExprOp::Mul:
    for (unsigned n : {0u, 1u})
      if (Sum factor = side(n); factor.terms.empty())
        return scaled(1 - n, factor.constant);
    return std::nullopt;
  case ExprOp::Shl:
    if (Sum by = side(1); by.terms.empty() && by.constant >= 0 && by.constant < 62)
      return scaled(0, int64_t(1) << by.constant);
    return std::nullopt;
  case ExprOp::FloorDiv:
  case ExprOp::FloorMod:
    return divided(e);
  case ExprOp::Min:
  case ExprOp::Max:
    return extremum(e);
  default:
    return std::nullopt;
  }
}

/// Of multiples of the divisor, and of what is left a constant.
std::optional<LinearSums::Sum> LinearSums::divided(const Expr *e) {
  Sum sum = of(e->args[0]), divisor = of(e->args[1]);
  int64_t by = divisor.constant;
  if (!divisor.terms.empty() || by <= 0)
    return std::nullopt;
  if (llvm::any_of(sum.terms, [&](auto &term) { return term.second % by != 0; }))
    return std::nullopt;
  if (e->op == ExprOp::FloorMod)
    return Sum{floorMod(sum.constant, by), {}};
  sum.constant = floorDiv(sum.constant, by);
  for (auto &[term, factor] : sum.terms)
    factor /= by;
  return sum;
}

/// One side, where both differ by a constant.
std::optional<LinearSums::Sum> LinearSums::extremum(const Expr *e) {
  Sum left = of(e->args[0]), right = of(e->args[1]);
  std::optional<Sum> more = plus(left, right, -1);
  if (!more || !more->terms.empty())
    return std::nullopt;
  return (more->constant < 0) == (e->op == ExprOp::Min) ? left : right;
}

bool LinearSums::isSameLeaf(const Expr *a, const Expr *b) const {
  switch (a->op) {
  case ExprOp::ConstInt:
    return a->intValue == b->intValue;
  case ExprOp::ConstFloat:
    return a->floatValue == b->floatValue;
  case ExprOp::Var:
    return a->var == b->var;
  case ExprOp::Load:
    return a->buffer == b->buffer && versions.lookup(a) == versions.lookup(b);
  case ExprOp::Math:
    return a->fn == b->fn;
  case ExprOp::Intrinsic:
    return a->call == b->call;
  default:
    return true;
  }
}

bool LinearSums::isSameTerm(const Expr *a, const Expr *b) {
  if (a == b)
    return true;
  if (a->op != b->op || a->type != b->type || a->args.size() != b->args.size() || !isSameLeaf(a, b))
    return false;
  ++depth;
  bool isSame = ++steps <= mostSteps && depth <= mostDepth;
  for (size_t i = 0; isSame && i < a->args.size(); ++i) {
    std::optional<Sum> rest = plus(of(a->args[i]), of(b->args[i]), -1);
    isSame = rest && rest->terms.empty() && rest->constant == 0;
  }
  --depth;
  return isSame;
}

} // namespace tilec::script
