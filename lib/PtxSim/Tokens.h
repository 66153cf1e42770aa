//===- Tokens.h - pieces of PTX text --------------------------------------===//
//
// Takes pieces of PTX text, gives what the parser works with.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tilec::ptx {

inline bool isNameChar(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '$' || c == '%' || c == '.';
}
/// The same text with the same lines.
std::string withoutComments(llvm::StringRef text);
/// The items of a list, at the commas outside of brackets.
llvm::SmallVector<llvm::StringRef> splitList(llvm::StringRef list);
/// Integers, and the bits of floats (`0f3F800000`).
std::optional<uint64_t> parseNumber(llvm::StringRef token);
/// `.align 16 .b8 name[128]` and the like.
struct Variable {
  llvm::StringRef name;
  uint32_t align = 1;
  uint64_t bytes = 0;
  uint64_t each = 0;      ///< bytes of an element
  bool isDynamic = false; ///< `name[]`
};
/// Nothing, when it has no size.
std::optional<Variable> parseVariable(llvm::StringRef declaration);
/// A statement in one line, shortened, for messages.
std::string squeezed(llvm::StringRef statement);

} // namespace tilec::ptx
