//===- IntrinsicTable.h - Intrinsics.def as data --------------------------===//
//
// Takes the name or id of a function of `T.`, gives its row: kind, signature, what to write
// instead.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Script/TracedKernel.h"

namespace tilec::script {

enum class IntrinsicKind : uint8_t {
  Stmt,
  Value,
  Pure,
  Launch,
  Loop,
  Alloc,
  Scalar,
  Compat,
  Host,
  Hint,
  Library
};

struct Signature {
  struct Parameter {
    llvm::StringRef name;
    llvm::StringRef defaultText; ///< empty when there is none
    bool keywordOnly = false, variadic = false;
  };
  llvm::SmallVector<Parameter> parameters;
  llvm::SmallVector<llvm::StringRef> names;
};

std::optional<IntrinsicId> findIntrinsic(llvm::StringRef name);
std::optional<MathFn> findMathFn(llvm::StringRef name);
unsigned arityOf(MathFn fn);
/// What to write instead, or nothing when the name is not refused.
llvm::StringRef refusedIntrinsic(llvm::StringRef name, bool hasMbarriers);
IntrinsicKind kindOf(IntrinsicId id);
/// A keyword that every function takes.
constexpr llvm::StringLiteral annotationsKeyword = "annotations";
/// An argument that changes nothing (Ignored.def): its keyword, "" for the call, and why.
struct IgnoredHint {
  llvm::StringRef keyword, why;
};
llvm::SmallVector<IgnoredHint> ignoredHintsOf(IntrinsicId id);
/// Whether the function only means something where each thread runs the statement for itself.
bool isOfThreads(IntrinsicId id);
bool isAtomic(IntrinsicId id);
const Signature &signatureOf(IntrinsicId id);
/// Every name of `T.` but dtypes, for suggestions.
llvm::ArrayRef<llvm::StringRef> intrinsicNames();
/// The same, and what is refused.
llvm::ArrayRef<llvm::StringRef> knownNames();

} // namespace tilec::script
