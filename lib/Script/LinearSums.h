//===- LinearSums.h - what is left of a difference of indices -------------===//
//
// The extent of a slice is the difference of its bounds. Each bound is taken as a sum of a
// constant and multiples of terms, through the names that were bound on the way, so that
// what both have in common cancels. Two terms that read a variable or memory are one only
// when nothing was written between the two reads.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Script/TracedKernel.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace tilec::script {

class LinearSums {
public:
  /// `a - b` when it is a constant.
  std::optional<int64_t> difference(const Expr *a, const Expr *b);

  /// A name is bound to a value.
  void define(const Var *name, const Expr *value) { definitions[name] = value; }
  const Expr *definitionOf(const Var *name) const { return definitions.lookup(name); }
  /// A read is built: it sees what has been written until now.
  void noteLoad(const Expr *load) { versions[load] = versionOf(load->buffer); }
  /// A statement is traced, which may write.
  void noteStatement(const Stmt *statement);
  /// The body of a loop or branch begins or ends: what is traced before and behind this point need
  /// not run once and in this order.
  void noteFrame() { lastFrame = ++clock; }

private:
  struct Sum {
    int64_t constant = 0;
    llvm::SmallVector<std::pair<const Expr *, int64_t>, 4> terms; ///< factors are not zero
  };

  uint64_t versionOf(const Buffer *buffer) const;
  Sum of(const Expr *e);
  /// Nothing: the expression is a term.
  std::optional<Sum> split(const Expr *e);
  std::optional<Sum> divided(const Expr *e);
  std::optional<Sum> extremum(const Expr *e);
  /// a + factor * b, unless it overflows or has too many terms.
  std::optional<Sum> plus(const Sum &a, const Sum &b, int64_t factor);
  bool isSameTerm(const Expr *a, const Expr *b);
  bool isSameLeaf(const Expr *a, const Expr *b) const;

  llvm::DenseMap<const Var *, const Expr *> definitions;
  llvm::DenseMap<const Expr *, uint64_t> versions; ///< of reads
  llvm::DenseMap<const Buffer *, uint64_t> variableWrites;
  uint64_t clock = 0, lastFrame = 0, lastWrite = 0;

  // Of the difference that is being taken.
  llvm::DenseMap<const Expr *, Sum> sums;
  unsigned steps = 0, depth = 0;
};

} // namespace tilec::script
