//===- DimExpr.h - integer expressions over a kernel's dims ---------------===//
//
// Grids, workspaces and shapes of a launch manifest depend on sizes that are only
// known at launch. The grammar is Python's: `+ - * // % & ^ |`, parentheses, names,
// decimal integers, and the calls `ceildiv(a, b)`, `min(a, b)`, `max(a, b)`.
// Division floors, as in the language.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Runtime/Result.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace tilec::rt {

/// Values of names: dims, strides and integer scalar parameters.
using DimValues = std::map<std::string, int64_t, std::less<>>;

/// An immutable expression; copies share their nodes. Building folds constants.
class DimExpr {
public:
  enum class Op { Constant, Name, Add, Sub, Mul, FloorDiv, Mod, CeilDiv, Min, Max, And, Xor, Or };
  struct Node {
    Op op;
    int64_t value = 0; ///< Constant
    std::string name;  ///< Name
    std::shared_ptr<const Node> lhs, rhs;
  };

  DimExpr() : DimExpr(int64_t(0)) {}
  DimExpr(int64_t value); // NOLINT(google-explicit-constructor): a size is an expression
  /// `name` is a Python identifier other than ceildiv, min, max.
  static DimExpr name(std::string name);
  /// Folds when both sides are constants and the result exists.
  static DimExpr binary(Op op, const DimExpr &lhs, const DimExpr &rhs);
  static Result<DimExpr> parse(std::string_view text);

  /// Fails on an unknown name, a division by zero, and when 64 bits are not enough.
  Result<int64_t> evaluate(const DimValues &values) const;
  /// The value when no name occurs (and it exists).
  std::optional<int64_t> constant() const;
  /// The name when the expression is one name and nothing else.
  std::optional<std::string> asName() const;
  void collectNames(std::set<std::string> &names) const;
  /// Text that `parse` reads back to an equal expression.
  std::string str() const;

  const Node &node() const { return *root; }
  /// A part of another expression.
  static DimExpr of(std::shared_ptr<const Node> node) { return DimExpr(std::move(node)); }
  // Friends, found only for a DimExpr: they must not hide the functions on integers of Base.
  friend DimExpr operator+(const DimExpr &a, const DimExpr &b) {
    return DimExpr::binary(DimExpr::Op::Add, a, b);
  }
  friend DimExpr operator-(const DimExpr &a, const DimExpr &b) {
    return DimExpr::binary(DimExpr::Op::Sub, a, b);
  }
  friend DimExpr operator*(const DimExpr &a, const DimExpr &b) {
    return DimExpr::binary(DimExpr::Op::Mul, a, b);
  }
  friend DimExpr floorDiv(const DimExpr &a, const DimExpr &b) {
    return DimExpr::binary(DimExpr::Op::FloorDiv, a, b);
  }
  friend DimExpr operator%(const DimExpr &a, const DimExpr &b) {
    return DimExpr::binary(DimExpr::Op::Mod, a, b);
  }
  friend DimExpr ceilDiv(const DimExpr &a, const DimExpr &b) {
    return DimExpr::binary(DimExpr::Op::CeilDiv, a, b);
  }
  friend DimExpr min(const DimExpr &a, const DimExpr &b) {
    return DimExpr::binary(DimExpr::Op::Min, a, b);
  }
  friend DimExpr max(const DimExpr &a, const DimExpr &b) {
    return DimExpr::binary(DimExpr::Op::Max, a, b);
  }
  friend DimExpr operator&(const DimExpr &a, const DimExpr &b) {
    return DimExpr::binary(DimExpr::Op::And, a, b);
  }
  friend DimExpr operator^(const DimExpr &a, const DimExpr &b) {
    return DimExpr::binary(DimExpr::Op::Xor, a, b);
  }
  friend DimExpr operator|(const DimExpr &a, const DimExpr &b) {
    return DimExpr::binary(DimExpr::Op::Or, a, b);
  }
  friend bool operator==(const DimExpr &a, const DimExpr &b) { return a.str() == b.str(); }

private:
  explicit DimExpr(std::shared_ptr<const Node> root) : root(std::move(root)) {}
  std::shared_ptr<const Node> root;
};

} // namespace tilec::rt
