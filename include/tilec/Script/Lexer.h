//===- Lexer.h - Python source to tokens ----------------------------------===//
//
// The lexical structure of Python 3.12: indentation, line joining, all literals.
// A string token keeps its raw text; the parser decodes it, because the holes of
// an f-string are expressions with their own spans.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Support/Diagnostics.h"

#include <optional>
#include <vector>

namespace tilec::script {

enum class TokenKind : uint8_t {
  End,
  Newline, ///< end of a logical line
  Indent,
  Dedent,
  Name,
  Keyword,
  Int,
  Float,
  Imaginary,
  String, ///< prefix and quotes included; f-strings too
  Op,     ///< operators and punctuation, longest match
};

struct Token {
  TokenKind kind = TokenKind::End;
  Span span;
  llvm::StringRef text;

  bool is(llvm::StringRef spelling) const {
    return (kind == TokenKind::Op || kind == TokenKind::Keyword) && text == spelling;
  }
};

/// The tokens of bytes [begin, end) of a file, with an End token last; nothing after an error,
/// which has been reported. `nested` reads one expression inside brackets: no line structure.
std::optional<std::vector<Token>> lex(const SourceManager &sources, uint32_t file, uint32_t begin,
                                      uint32_t end, bool nested, DiagnosticEngine &diags);

/// The names that Python reserves.
bool isKeyword(llvm::StringRef name);

} // namespace tilec::script
