//===- ExprBuilder.h - typed runtime expressions --------------------------===//
//
// Makes expressions of the traced kernel: constants fold, integer identities vanish,
// operand dtypes are joined by TileLang's rules. Never reports: callers check first.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "LinearSums.h"

#include "tilec/Script/TracedKernel.h"

namespace tilec::script {

class ExprBuilder {
public:
  explicit ExprBuilder(Program &program) : program(program) {}

  const Expr *constInt(int64_t value, DType type, Span span);
  /// A value of the dtype: rounded to it.
  const Expr *constFloat(double value, DType type, Span span);
  /// A Python number beside a value of the dtype: beside a narrow float it keeps its float32 value.
  const Expr *literal(double value, DType type, Span span);
  const Expr *constBool(bool value, Span span) { return constInt(value, DType::Bool, span); }
  const Expr *var(const Var *v, Span span);
  const Expr *load(const Buffer *buffer, llvm::ArrayRef<const Expr *> indices, Span span);
  /// What a store and `T.cast` do: rounds an expression of the same narrow dtype, too.
  const Expr *cast(const Expr *e, DType type, Span span);
  /// An operand beside one of `type`: like a cast, but nothing is rounded to a narrow float.
  const Expr *promote(const Expr *e, DType type, Span span);
  const Expr *reinterpret(const Expr *e, DType type, Span span);
  const Expr *unary(ExprOp op, const Expr *e, Span span);
  /// Operands are converted to `commonType` first.
  const Expr *binary(ExprOp op, const Expr *a, const Expr *b, Span span);
  /// IfThenElse or Select; the sides are converted to `commonType`.
  const Expr *choose(ExprOp op, const Expr *condition, const Expr *a, const Expr *b, Span span);
  /// Arguments are promoted to one floating type where the function wants one.
  const Expr *math(MathFn fn, llvm::ArrayRef<const Expr *> args, Span span);
  const Expr *toBool(const Expr *e, Span span);
  /// a / b, rounded up; of indices by a positive one (a + b - 1) // b.
  const Expr *ceilDiv(const Expr *a, const Expr *b, Span span);
  /// a - b, where what both have in common cancels: the extent of `a[x + n * k : x + n * (k + 1)]`
  /// is n. `sums` knows the names and the reads.
  const Expr *difference(const Expr *a, const Expr *b, Span span);
  const Expr *intrinsic(const Call *call, DType type, Span span);

  /// The dtype of an operation on both, as TVM's BinaryOpMatchTypes, with f16 x bf16 and different
  /// 8-bit floats joined in f32.
  static DType commonType(DType a, DType b);
  /// Whether the literal is a value of `type`, for literals that take the other operand's dtype.
  static bool fits(int64_t value, DType type);

  LinearSums sums;

private:
  Expr *make(ExprOp op, DType type, Span span, llvm::ArrayRef<const Expr *> args = {});
  const Expr *foldInt(ExprOp op, const Expr *a, const Expr *b, Span span);
  bool isIndex(const Expr *e, bool isPositive, unsigned &steps) const;
  const Expr *simplify(ExprOp op, const Expr *a, const Expr *b, Span span);

  Program &program;
};

bool isComparison(ExprOp op);
/// Levels of the tree above its leaves, at most `limit`.
unsigned depthOf(const Expr *e, unsigned limit);

} // namespace tilec::script
