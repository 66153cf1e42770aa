//===- Methods.h - a call of a method of a compile-time value -------------===//
//
// A type's methods are the rows of a table: what stands there is an attribute, may be called with
// so many arguments, and runs so. SequenceMethods.cpp has those of list, tuple, dict and set,
// StringMethods.cpp those of str, Attributes.cpp those of the other types.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "EvaluatorScopes.h"

namespace tilec::script {

/// `self.name(args)`. Its functions are the rows' of the tables.
struct Evaluator::MethodCall {
  enum class Keywords { None, Own }; ///< Own: the function sees to them
  struct Row {
    llvm::StringLiteral name;
    Value (*call)(MethodCall &);
    size_t least = 0, most = 0; ///< positional arguments
    Keywords keywords = Keywords::None;
  };
  static llvm::ArrayRef<Row> rowsOf(ValueKind kind);
  static const Row *find(ValueKind kind, llvm::StringRef name);

  Evaluator &e;
  const Value &self;
  llvm::StringRef name;
  CallArgs &args;

  Value run(const Row &row);

private:
  static llvm::ArrayRef<Row> ofStr();
  static llvm::ArrayRef<Row> ofList();
  static llvm::ArrayRef<Row> ofTuple();
  static llvm::ArrayRef<Row> ofDict();
  static llvm::ArrayRef<Row> ofSet();
  /// The work of a look at all of `self`, in steps.
  uint64_t cost() const;

  // Text.
  llvm::StringRef text() const { return self.str(); }
  Value join();
  Value affix(bool atStart);
  Value replace();
  Value split(bool fromEnd);
  Value partition(bool fromEnd);
  /// The searched part of the text, [from, to) in code points; nothing after a failure.
  std::optional<std::pair<int64_t, int64_t>> searchedPart();
  Value find(bool fromEnd, bool mustBeThere);
  Value countText();
  enum class Side { Left, Middle, Right };
  /// The text on that side of so many columns; `fill` between a sign and the rest where
  /// `signFirst`.
  Value pad(Side side, llvm::StringRef fill, bool signFirst = false);
  Value padWithArgument(Side side);
  Value strip(bool front, bool back);
  Value removeAffix(bool atStart);
  Value splitLines();

  // Lists and tuples.
  Value append();
  Value extend();
  Value insert();
  Value popItem();
  /// The place of the argument among the items; their number, and a failure, when it is not there.
  size_t placeOfArgument();
  Value index();
  Value countItem();
  Value removeItem();
  Value sort();

  // Dicts.
  Value get();
  Value popKey();
  Value setDefault();
  Value updateDict();
  Value entries(Value (*of)(Heap &, const Value &key, const Value &value));

  // Sets.
  Value discard(bool mustBeThere);
  Value add();
  /// The argument as a set; no value after a failure.
  Value otherSet();
  Value combine(ast::BinaryOp op);
  Value compareSets(ast::CompareOp op);
};

} // namespace tilec::script
