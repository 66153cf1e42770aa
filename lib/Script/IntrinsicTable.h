//===- IntrinsicTable.h - Intrinsics.def as data --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Script/TracedKernel.h"

namespace tilec::script {

enum class IntrinsicKind : uint8_t { Stmt, Value, Pure, Host, Hint, Library };

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
llvm::StringRef refusedIntrinsic(llvm::StringRef name);
IntrinsicKind kindOf(IntrinsicId id);
const Signature &signatureOf(IntrinsicId id);
/// Every name of `T.` but dtypes, for suggestions.
llvm::ArrayRef<llvm::StringRef> intrinsicNames();
/// The same, and what is refused.
llvm::ArrayRef<llvm::StringRef> knownNames();

} // namespace tilec::script
