//===- ParseString.cpp - string literals and f-strings --------------------===//
//
// Takes the tokens of literals that stand side by side, gives one string, or the parts of an
// f-string with their expressions parsed.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ParserImpl.h"

#include "llvm/Support/ConvertUTF.h"

namespace tilec::script {
using namespace ast;

namespace {

struct Literal {
  bool raw = false, format = false, bytes = false;
  llvm::StringRef body;
  uint32_t offset = 0; ///< of body in the file
};

Literal split(const Token &token) {
  Literal out;
  llvm::StringRef text = token.text;
  size_t quote = text.find_first_of("'\"");
  for (char c : text.take_front(quote)) {
    out.raw |= llvm::toLower(c) == 'r';
    out.format |= llvm::toLower(c) == 'f';
    out.bytes |= llvm::toLower(c) == 'b';
  }
  llvm::StringRef rest = text.drop_front(quote);
  size_t width =
      rest.size() >= 6 && rest[0] == rest[1] && rest[1] == rest[2] ? size_t(3) : size_t(1);
  out.body = rest.drop_front(width).drop_back(width);
  out.offset = token.span.begin + quote + width;
  return out;
}

void appendCodePoint(uint32_t code, std::string &out) {
  char buffer[4];
  char *end = buffer;
  if (llvm::ConvertCodePointToUTF8(code, end))
    out.append(buffer, end);
  else
    out += "\xEF\xBF\xBD"; // a lone surrogate has no UTF-8
}

int hexValue(llvm::StringRef digits) {
  unsigned value;
  return digits.empty() || digits.getAsInteger(16, value) ? -1 : static_cast<int>(value);
}

} // namespace

bool Parser::decode(llvm::StringRef body, uint32_t offset, bool raw, bool bytes, std::string &out) {
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i] == '\r' && i + 1 < body.size() && body[i + 1] == '\n')
      continue;
    if (body[i] != '\\' || raw || i + 1 >= body.size()) {
      out += body[i];
      continue;
    }
    size_t start = i;
    char c = body[++i];
    constexpr llvm::StringRef letters = "abfnrtv\\'\"", values = "\a\b\f\n\r\t\v\\'\"";
    if (size_t which = letters.find(c); which != llvm::StringRef::npos) {
      out += values[which];
    } else if (c == '\n') {
      // A joined line.
    } else if (c == '\r') {
      i += i + 1 < body.size() && body[i + 1] == '\n';
    } else if (c >= '0' && c <= '7') {
      size_t n = 1;
      while (n < 3 && i + n < body.size() && body[i + n] >= '0' && body[i + n] <= '7')
        ++n;
      unsigned value = 0;
      body.substr(i, n).getAsInteger(8, value);
      appendCodePoint(value, out);
      i += n - 1;
    } else if (c == 'x' || (!bytes && (c == 'u' || c == 'U'))) {
      size_t n = c == 'x' ? 2 : c == 'u' ? 4 : 8;
      llvm::StringRef digits = body.substr(i + 1, n);
      int value = digits.size() == n ? hexValue(digits) : -1;
      if (value < 0 || value > 0x10FFFF) {
        uint32_t from = offset + start;
        fail(DiagId::BadEscape, Span{module.file, from, from + 2}, body.substr(start, 2));
        return false;
      }
      appendCodePoint(value, out);
      i += n;
    } else if (c == 'N' && !bytes) {
      uint32_t from = offset + start;
      fail(DiagId::BadEscape, Span{module.file, from, from + 2}, "\\N");
      return false;
    } else {
      out += '\\';
      out += c;
    }
  }
  return true;
}

const Expr *Parser::nestedExpression(uint32_t begin, uint32_t end) {
  auto inner = lex(sources, module.file, begin, end, /*nested=*/true, diags);
  if (!inner) {
    failed = true;
    return nullptr;
  }
  Parser parser(sources, module, std::move(*inner), diags);
  parser.depth = depth;
  const Expr *value = parser.wholeExpression();
  failed |= parser.failed;
  return value;
}

/// `{value!r:spec}`; `i` is just behind the opening brace.
bool Parser::hole(llvm::StringRef body, uint32_t offset, size_t &i, bool raw, JoinedPart &part,
                  llvm::SmallVectorImpl<JoinedPart> &out, unsigned nesting) {
  size_t start = i;
  int brackets = 0;
  auto bad = [&](size_t where) {
    uint32_t from = offset + where;
    fail(DiagId::BadFormatString, Span{module.file, from, from + 1});
    return false;
  };
  char quote = 0;
  for (; i < body.size(); ++i) {
    char c = body[i];
    if (quote) {
      if (c == '\\')
        ++i;
      else if (c == quote)
        quote = 0;
      continue;
    }
    if (c == '"' || c == '\'')
      quote = c;
    else if (c == '(' || c == '[' || c == '{')
      ++brackets;
    else if (brackets > 0 && (c == ')' || c == ']' || c == '}'))
      --brackets;
    else if (brackets == 0 &&
             (c == '}' || c == ':' || (c == '!' && i + 1 < body.size() && body[i + 1] != '=')))
      break;
  }
  if (i >= body.size())
    return bad(start - 1);
  size_t end = i;
  llvm::StringRef text = body.slice(start, end);
  // `{x=}` prints the expression's own text first.
  llvm::StringRef trimmed = text.rtrim();
  bool debug = trimmed.ends_with("=") && !trimmed.ends_with("==") && !trimmed.ends_with("!=") &&
               !trimmed.ends_with("<=") && !trimmed.ends_with(">=");
  if (debug) {
    out.push_back({text});
    end = start + trimmed.size() - 1;
  }
  if (body.slice(start, end).trim().empty())
    return bad(start - 1);
  part.value = nestedExpression(offset + start, offset + end);
  if (!part.value)
    return false;
  if (body[i] == '!') {
    if (i + 1 >= body.size() || !llvm::StringRef("rsa").contains(body[i + 1]))
      return bad(i);
    part.conversion = body[i + 1];
    i += 2;
  } else if (debug && body[i] == '}') {
    part.conversion = 'r';
  }
  if (i < body.size() && body[i] == ':') {
    size_t specStart = ++i;
    int open = 0;
    while (i < body.size() && (body[i] != '}' || open > 0)) {
      open += body[i] == '{' ? 1 : body[i] == '}' ? -1 : 0;
      ++i;
    }
    llvm::SmallVector<JoinedPart> spec;
    if (nesting > 1 ||
        !joined(body.slice(specStart, i), offset + specStart, raw, true, spec, nesting + 1))
      return failed ? false : bad(specStart);
    part.spec = copy(spec);
  }
  if (i >= body.size() || body[i] != '}')
    return bad(start - 1);
  ++i;
  return true;
}

bool Parser::joined(llvm::StringRef body, uint32_t offset, bool raw, bool inSpec,
                    llvm::SmallVectorImpl<JoinedPart> &out, unsigned nesting) {
  size_t i = 0, textStart = 0;
  std::string text;
  auto flush = [&](size_t end) {
    return decode(body.slice(textStart, end), offset + textStart, raw, false, text);
  };
  while (i < body.size()) {
    char c = body[i];
    if (c == '\\' && !raw) {
      i += 2;
      continue;
    }
    if (c != '{' && c != '}') {
      ++i;
      continue;
    }
    if (!flush(i))
      return false;
    if (i + 1 < body.size() && body[i + 1] == c && !inSpec) {
      text += c;
      i += 2;
      textStart = i;
      continue;
    }
    if (c == '}') {
      uint32_t from = offset + i;
      fail(DiagId::BadFormatString, Span{module.file, from, from + 1});
      return false;
    }
    if (!text.empty())
      out.push_back({llvm::StringRef(text).copy(module.arena)});
    text.clear();
    ++i;
    JoinedPart part;
    if (!hole(body, offset, i, raw, part, out, nesting))
      return false;
    out.push_back(part);
    textStart = i;
  }
  if (!flush(body.size()))
    return false;
  if (!text.empty())
    out.push_back({llvm::StringRef(text).copy(module.arena)});
  return true;
}

const Expr *Parser::strings() {
  Span start = here();
  llvm::SmallVector<JoinedPart> parts;
  std::string text;
  bool format = false;
  while (tok().kind == TokenKind::String) {
    Literal literal = split(tok());
    ++at;
    if (!literal.format) {
      if (!decode(literal.body, literal.offset, literal.raw, literal.bytes, text))
        return nullptr;
      continue;
    }
    format = true;
    if (!text.empty())
      parts.push_back({llvm::StringRef(text).copy(module.arena)});
    text.clear();
    if (!joined(literal.body, literal.offset, literal.raw, false, parts, 0))
      return nullptr;
  }
  if (!format)
    return make<StringExpr>(since(start), llvm::StringRef(text).copy(module.arena));
  if (!text.empty())
    parts.push_back({llvm::StringRef(text).copy(module.arena)});
  return make<JoinedExpr>(since(start), copy(parts));
}

} // namespace tilec::script
