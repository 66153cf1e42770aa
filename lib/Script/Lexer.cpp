//===- Lexer.cpp - Python source to tokens --------------------------------===//
//
// Takes the text of a file, gives tokens with Python's indents; the first error ends it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Script/Lexer.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace tilec::script {
namespace {

// Longest first: the first match wins.
constexpr const char *operators[] = {
    "**=", "//=", ">>=", "<<=", "...", "**", "//", ">>", "<<", "<=", ">=", "==",
    "!=",  "->",  "+=",  "-=",  "*=",  "/=", "%=", "&=", "|=", "^=", "@=", ":=",
    "+",   "-",   "*",   "/",   "%",   "@",  "&",  "|",  "^",  "~",  "<",  ">",
    "(",   ")",   "[",   "]",   "{",   "}",  ",",  ":",  ".",  ";",  "=",
};

// Brackets nest this deep at most; the parser recurses once a bracket.
constexpr size_t maxBrackets = 100;
constexpr size_t maxIndents = 100;

bool isNameStart(char c) { return llvm::isAlpha(c) || c == '_' || (c & 0x80); }
llvm::StringRef closerOf(char open) { return open == '(' ? ")" : open == '[' ? "]" : "}"; }
bool isNamePart(char c) { return isNameStart(c) || llvm::isDigit(c); }

class Lexer {
public:
  Lexer(llvm::StringRef text, uint32_t file, uint32_t begin, uint32_t end, bool nested,
        DiagnosticEngine &diags)
      : text(text.take_front(end)), file(file), at(begin), nested(nested), diags(diags) {}

  std::optional<std::vector<Token>> run() {
    if (!nested && text.starts_with("\xEF\xBB\xBF"))
      at = 3;
    indents.push_back(0);
    while (ok && at < text.size())
      nested || !brackets.empty() || !lineStart ? token() : indentation();
    if (!ok)
      return std::nullopt;
    finish();
    if (!ok)
      return std::nullopt;
    return std::move(tokens);
  }

private:
  char peek(size_t ahead = 0) const { return at + ahead < text.size() ? text[at + ahead] : '\0'; }
  Span span(uint32_t from, uint32_t to) const { return {file, from, to}; }
  void push(TokenKind kind, uint32_t from) {
    tokens.push_back({kind, span(from, at), text.slice(from, at)});
  }
  template <typename... Args> void fail(DiagId id, Span where, Args &&...args) {
    diags.report(id, where, std::forward<Args>(args)...);
    ok = false;
  }

  void finish() {
    if (!brackets.empty())
      return fail(DiagId::UnclosedBracket, span(brackets.back(), brackets.back() + 1),
                  text.substr(brackets.back(), 1), closerOf(text[brackets.back()]));
    if (!nested) {
      if (!tokens.empty() && tokens.back().kind != TokenKind::Newline)
        push(TokenKind::Newline, at);
      for (; indents.size() > 1; indents.pop_back())
        push(TokenKind::Dedent, at);
    }
    push(TokenKind::End, at);
  }

  /// At the first column of a line outside brackets.
  void indentation() {
    uint32_t start = at;
    int column = 0;
    bool sawTab = false, spaceAfterNothing = false;
    for (;; ++at) {
      if (peek() == ' ')
        ++column, spaceAfterNothing = true;
      else if (peek() == '\t')
        column = (column / 8 + 1) * 8, sawTab = true;
      else if (peek() == '\f')
        column = 0;
      else
        break;
    }
    if (at >= text.size() || peek() == '#' || peek() == '\n' || peek() == '\r') {
      skipBlank();
      return;
    }
    // Python compares tab and space indents by two tab sizes; mixing them is refused outright.
    if (sawTab && spaceAfterNothing)
      return fail(DiagId::MixedIndentation, span(start, at));
    lineStart = false;
    if (column > indents.back()) {
      if (indents.size() >= maxIndents)
        return fail(DiagId::NestedTooDeep, span(at, at + 1), maxIndents);
      indents.push_back(column);
      push(TokenKind::Indent, at);
      return;
    }
    while (column < indents.back()) {
      indents.pop_back();
      push(TokenKind::Dedent, at);
    }
    if (column != indents.back())
      fail(DiagId::BadDedent, span(start, at + 1));
  }

  /// A line without code: no tokens.
  void skipBlank() {
    while (at < text.size() && peek() != '\n')
      ++at;
    if (at < text.size())
      ++at;
  }

  void token() {
    char c = peek();
    if (c == ' ' || c == '\t' || c == '\f') {
      ++at;
    } else if (c == '#') {
      while (at < text.size() && peek() != '\n')
        ++at;
    } else if (c == '\n' || c == '\r') {
      newline();
    } else if (c == '\\') {
      continuation();
    } else if (isNameStart(c)) {
      nameOrString();
    } else if (llvm::isDigit(c) || (c == '.' && llvm::isDigit(peek(1)))) {
      number();
    } else if (c == '"' || c == '\'') {
      string(at, false);
    } else {
      op();
    }
  }

  void newline() {
    uint32_t from = at;
    if (peek() == '\r')
      ++at;
    if (peek() == '\n')
      ++at;
    if (nested || !brackets.empty())
      return;
    tokens.push_back({TokenKind::Newline, span(from, at), text.slice(from, at)});
    lineStart = true;
  }

  void continuation() {
    uint32_t from = at++;
    if (peek() == '\r')
      ++at;
    if (peek() != '\n')
      return fail(DiagId::UnexpectedCharacter, span(from, from + 1),
                  "`\\` before the end of a line");
    ++at;
  }

  void nameOrString() {
    uint32_t from = at;
    while (isNamePart(peek()))
      ++at;
    llvm::StringRef word = text.slice(from, at);
    if ((peek() == '"' || peek() == '\'') && word.size() <= 2) {
      std::string prefix = word.lower();
      if (llvm::is_contained({"r", "u", "b", "f", "br", "rb", "fr", "rf"}, prefix))
        return string(from, llvm::StringRef(prefix).contains('f'));
    }
    push(isKeyword(word) ? TokenKind::Keyword : TokenKind::Name, from);
  }

  void digits(bool (*isDigit)(char)) {
    while (isDigit(peek()) || (peek() == '_' && isDigit(peek(1))))
      ++at;
  }

  void number() {
    uint32_t from = at;
    auto decimal = [](char c) { return llvm::isDigit(c); };
    TokenKind kind = TokenKind::Int;
    char second = llvm::toLower(peek(1));
    if (peek() == '0' && (second == 'x' || second == 'o' || second == 'b')) {
      at += 2;
      uint32_t body = at;
      if (peek() == '_')
        ++at;
      digits(second == 'x'   ? +[](char c) { return llvm::isHexDigit(c); }
             : second == 'o' ? +[](char c) { return c >= '0' && c <= '7'; }
                             : +[](char c) { return c == '0' || c == '1'; });
      if (at == body)
        return fail(DiagId::BadNumber, span(from, at), text.slice(from, at));
    } else {
      digits(decimal);
      if (peek() == '.') {
        ++at;
        kind = TokenKind::Float;
        digits(decimal);
      }
      bool signedExponent = peek(1) == '+' || peek(1) == '-';
      if (llvm::toLower(peek()) == 'e' && llvm::isDigit(peek(signedExponent ? 2 : 1))) {
        at += signedExponent ? 2 : 1;
        kind = TokenKind::Float;
        digits(decimal);
      }
      if (llvm::toLower(peek()) == 'j') {
        ++at;
        kind = TokenKind::Imaginary;
      }
    }
    // `1if x else 2` is legal, but so rare that `12abc` deserves the better message.
    if (isNamePart(peek())) {
      while (isNamePart(peek()))
        ++at;
      return fail(DiagId::BadNumber, span(from, at), text.slice(from, at));
    }
    llvm::StringRef spelling = text.slice(from, at);
    if (kind == TokenKind::Int && spelling.size() > 1 && spelling[0] == '0' &&
        llvm::isDigit(spelling[1]) && spelling.find_first_not_of("0_") != spelling.npos)
      return fail(DiagId::BadNumber, span(from, at), spelling);
    push(kind, from);
  }

  /// Skips a string whose quote is at `at`; a nested one inside a hole of an f-string, too.
  bool skipString(bool isFormat, unsigned depth) {
    char quote = peek();
    bool triple = peek(1) == quote && peek(2) == quote;
    at += triple ? 3 : 1;
    int holes = 0;
    while (at < text.size()) {
      char c = peek();
      if (c == '\n' && !triple)
        return false;
      if (c == '\\') {
        at += 2;
        continue;
      }
      if (isFormat && holes == 0 &&
          ((c == '{' && peek(1) == '{') || (c == '}' && peek(1) == '}'))) {
        at += 2;
        continue;
      }
      if (isFormat && c == '{')
        ++holes;
      else if (isFormat && c == '}' && holes > 0)
        --holes;
      if (holes > 0 && (c == '"' || c == '\'') && !closesHere(quote, triple)) {
        if (depth > 4 || !skipString(false, depth + 1))
          return false;
        continue;
      }
      if (c == quote && (!triple || (peek(1) == quote && peek(2) == quote))) {
        at += triple ? 3 : 1;
        return true;
      }
      ++at;
    }
    return false;
  }
  /// Inside a hole, a triple quote still ends the outer triple-quoted string.
  bool closesHere(char quote, bool triple) const {
    return triple && peek() == quote && peek(1) == quote && peek(2) == quote;
  }

  void string(uint32_t from, bool isFormat) {
    uint32_t quoteAt = at;
    if (!skipString(isFormat, 0)) {
      at = std::min<size_t>(at, text.size());
      return fail(DiagId::UnterminatedString, span(from, quoteAt + 1));
    }
    if (at > text.size())
      return fail(DiagId::UnterminatedString, span(from, quoteAt + 1));
    push(TokenKind::String, from);
  }

  void op() {
    uint32_t from = at;
    llvm::StringRef rest = text.substr(at);
    for (llvm::StringRef spelling : operators) {
      if (!rest.starts_with(spelling))
        continue;
      at += spelling.size();
      if (!bracket(spelling, from))
        return;
      push(TokenKind::Op, from);
      return;
    }
    char c = peek();
    if (nested && c == '!') { // a conversion in an f-string; its parser cuts it off before
      ++at;
      push(TokenKind::Op, from);
      return;
    }
    std::string shown =
        llvm::isPrint(c) ? std::string("`") + c + "`" : "with code " + std::to_string(uint8_t(c));
    fail(DiagId::UnexpectedCharacter, span(from, from + 1), shown);
  }

  bool bracket(llvm::StringRef spelling, uint32_t from) {
    static constexpr llvm::StringRef opening = "([{", closing = ")]}";
    if (spelling.size() != 1)
      return true;
    if (opening.contains(spelling)) {
      brackets.push_back(from);
      if (brackets.size() > maxBrackets)
        fail(DiagId::NestedTooDeep, span(from, from + 1), maxBrackets);
      return ok;
    }
    size_t which = closing.find(spelling);
    if (which == llvm::StringRef::npos)
      return true;
    if (brackets.empty()) {
      fail(DiagId::UnmatchedBracket, span(from, from + 1), spelling);
      return false;
    }
    char open = text[brackets.pop_back_val()];
    if (open != opening[which]) {
      fail(DiagId::UnmatchedBracket, span(from, from + 1), spelling);
      return false;
    }
    return true;
  }

  llvm::StringRef text;
  uint32_t file, at;
  bool nested;
  DiagnosticEngine &diags;
  bool ok = true, lineStart = true;
  llvm::SmallVector<int> indents;
  llvm::SmallVector<uint32_t> brackets;
  std::vector<Token> tokens;
};

} // namespace

bool isKeyword(llvm::StringRef name) {
  static const llvm::StringSet<> words = {
      "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
      "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
      "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
      "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
  return words.contains(name);
}

std::optional<std::vector<Token>> lex(const SourceManager &sources, uint32_t file, uint32_t begin,
                                      uint32_t end, bool nested, DiagnosticEngine &diags) {
  return Lexer(sources.file(file).text(), file, begin, end, nested, diags).run();
}

} // namespace tilec::script
