//===- Mutator.cpp - mutations that keep scripts looking like scripts -----===//
//
// libFuzzer's hooks: a text is cut into lines of tokens, and one to four of the changes below are
// made to tokens, expressions, statements or blocks. One time in sixteen the bytes are mutated
// blindly instead, for the lexer.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Grammar.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <set>

// Of libFuzzer's library; RunFiles.cpp does without.
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize)
    __attribute__((weak));

namespace tilec::fuzz {
namespace {

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }

/// One line of the text: its indentation and its tokens (names, numbers, whole strings, operators,
/// comments).
struct Line {
  unsigned indent = 0;
  std::vector<std::string> tokens;
  bool opensBlock() const { return !tokens.empty() && tokens.back() == ":"; }
};

size_t stringEnd(std::string_view text, size_t at) {
  char quote = text[at];
  bool isTriple = text.substr(at, 3) == std::string(3, quote);
  for (size_t i = at + (isTriple ? 3 : 1); i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == quote && (!isTriple || text.substr(i, 3) == std::string(3, quote)))
      return i + (isTriple ? 3 : 1);
  }
  return text.size();
}

size_t tokenEnd(std::string_view text, size_t at) {
  if (text[at] == '#')
    return text.size();
  if (text[at] == '\'' || text[at] == '"')
    return stringEnd(text, at);
  size_t end = at;
  if (isWord(text[at])) {
    while (end < text.size() && isWord(text[end]))
      ++end;
    bool isPrefix = end - at <= 2 && end < text.size() && (text[end] == '\'' || text[end] == '"');
    return isPrefix ? stringEnd(text, end) : end;
  }
  for (std::string_view op : {"**=", "//=", ">>=", "<<=", "**", "//", ">>", "<<",
                              "<=", ">=", "==", "!=", "->", "+=", "-=", "*=", "/=", ":="})
    if (text.substr(at, op.size()) == op)
      return at + op.size();
  return at + 1;
}

Line parseLine(std::string_view text) {
  Line line;
  size_t at = 0;
  while (at < text.size() && text[at] == ' ')
    ++at;
  line.indent = static_cast<unsigned>(at);
  while (at < text.size()) {
    if (text[at] == ' ') {
      ++at;
      continue;
    }
    size_t end = std::min(tokenEnd(text, at), text.size());
    line.tokens.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return line;
}

std::vector<Line> parseText(std::string_view text) {
  std::vector<Line> lines;
  while (!text.empty()) {
    size_t end = text.find('\n');
    lines.push_back(parseLine(text.substr(0, end)));
    text = end == std::string_view::npos ? "" : text.substr(end + 1);
  }
  return lines;
}

std::string print(const std::vector<Line> &lines) {
  std::string out;
  for (const Line &line : lines) {
    out.append(line.indent, ' ');
    for (size_t i = 0; i < line.tokens.size(); ++i) {
      const std::string &token = line.tokens[i];
      if (i && !token.empty() && !std::strchr(")],:", token[0]) &&
          !(token == "(" && isWord(line.tokens[i - 1].back())) && token != "[" &&
          !std::strchr("([", line.tokens[i - 1][0]))
        out += ' ';
      out += token;
    }
    out += '\n';
  }
  return out;
}

class Mutation {
public:
  Mutation(std::string_view text, uint64_t seed)
      : lines(parseText(text)), grammar(seed, namesOf(lines)) {
    if (lines.empty())
      lines.emplace_back();
  }

  std::string run(const std::vector<Line> *other = nullptr) {
    for (uint64_t n = 1 + grammar.below(4); n > 0; --n)
      once(other);
    return print(lines);
  }

private:
  std::vector<Line> lines;
  Grammar grammar;

  static std::vector<std::string> namesOf(const std::vector<Line> &lines) {
    std::set<std::string> found;
    for (const Line &line : lines)
      for (const std::string &token : line.tokens)
        if (std::isalpha(static_cast<unsigned char>(token[0])) &&
            token.find_first_of("'\".") == std::string::npos && found.size() < 64)
          found.insert(token);
    return {found.begin(), found.end()};
  }

  void once(const std::vector<Line> *other) {
    switch (grammar.below(other ? 14 : 12)) {
    case 0:
    case 1:
      return replaceToken();
    case 2:
    case 3:
    case 4:
      return replaceExpression();
    case 5:
    case 6:
      return insertStatement();
    case 7:
      return eraseBlock();
    case 8:
      return copyBlock(lines);
    case 9:
      return wrapBlock();
    case 10:
      return editArguments();
    case 11:
      return damage();
    default:
      return copyBlock(*other);
    }
  }

  size_t lineIndex() { return grammar.below(lines.size()); }
  Line *someLine() {
    for (int tries = 0; tries < 8; ++tries)
      if (Line &line = lines[lineIndex()]; !line.tokens.empty())
        return &line;
    return nullptr;
  }

  /// A token becomes another of its kind.
  void replaceToken() {
    Line *line = someLine();
    if (!line)
      return;
    std::string &token = line->tokens[grammar.below(line->tokens.size())];
    char first = token[0];
    if (std::isdigit(static_cast<unsigned char>(first)))
      token = grammar.number();
    else if (token.find_first_of("'\"") != std::string::npos)
      token = grammar.string();
    else if (isWord(first))
      token = grammar.name();
    else if (std::strchr("+-*/%<>=!&|^@", first))
      token = grammar.operatorText();
    else
      token = grammar.expression(0);
  }

  /// [from, to) of an operand that starts at a token: a bracketed group, or the token.
  static size_t operandEnd(const std::vector<std::string> &tokens, size_t at) {
    int open = 0;
    for (size_t i = at; i < tokens.size(); ++i) {
      open += tokens[i].find_first_of("([{") == 0 ? 1 : 0;
      open -= tokens[i].find_first_of(")]}") == 0 ? 1 : 0;
      bool calls = i + 1 < tokens.size() && (tokens[i + 1] == "(" || tokens[i + 1] == "[");
      if (open <= 0 && !calls)
        return i + 1;
    }
    return tokens.size();
  }

  void replaceExpression() {
    Line *line = someLine();
    if (!line)
      return;
    auto &tokens = line->tokens;
    size_t at = grammar.below(tokens.size());
    size_t end = operandEnd(tokens, at);
    Line made = parseLine(grammar.expression());
    tokens.erase(tokens.begin() + static_cast<long>(at), tokens.begin() + static_cast<long>(end));
    tokens.insert(tokens.begin() + static_cast<long>(at), made.tokens.begin(), made.tokens.end());
  }

  void insertStatement() {
    size_t at = lineIndex();
    unsigned indent = lines[at].indent;
    bool inside = lines[at].opensBlock();
    std::vector<Line> made =
        parseText(grammar.statement(std::min(inside ? indent + 4 : indent, 64u)));
    lines.insert(lines.begin() + static_cast<long>(at + 1), made.begin(), made.end());
  }

  /// The lines of the statement at `at` with its block.
  static size_t blockEnd(const std::vector<Line> &list, size_t at) {
    size_t end = at + 1;
    while (end < list.size() && list[end].indent > list[at].indent)
      ++end;
    return end;
  }

  void eraseBlock() {
    if (lines.size() < 2)
      return;
    size_t at = lineIndex(), end = blockEnd(lines, at);
    lines.erase(lines.begin() + static_cast<long>(at), lines.begin() + static_cast<long>(end));
    if (lines.empty())
      lines.emplace_back();
  }

  /// A statement of `from` (this text or another) with its block goes behind another line.
  void copyBlock(const std::vector<Line> &from) {
    if (from.empty())
      return;
    size_t at = grammar.below(from.size()), end = blockEnd(from, at), to = lineIndex();
    std::vector<Line> copy(from.begin() + static_cast<long>(at),
                           from.begin() + static_cast<long>(std::min(end, at + 40)));
    unsigned indent = lines[to].indent + (lines[to].opensBlock() ? 4 : 0), base = copy[0].indent;
    for (Line &line : copy)
      line.indent = std::min(line.indent - std::min(base, line.indent) + indent, 200u);
    lines.insert(lines.begin() + static_cast<long>(to + 1), copy.begin(), copy.end());
  }

  void wrapBlock() {
    size_t at = lineIndex(), end = blockEnd(lines, at);
    std::string text = "for i in " + std::string(grammar.oneIn(2) ? "range" : "T.Parallel") + "(" +
                       grammar.number() + "):";
    if (grammar.oneIn(2))
      text = "if " + grammar.expression(2) + ":";
    Line head = parseLine(text);
    head.indent = lines[at].indent;
    for (size_t i = at; i < end; ++i)
      lines[i].indent = std::min(lines[i].indent + 4, 200u);
    lines.insert(lines.begin() + static_cast<long>(at), head);
  }

  /// Adds, drops or repeats an argument of a call.
  void editArguments() {
    Line *line = someLine();
    if (!line)
      return;
    auto &tokens = line->tokens;
    size_t at = grammar.below(tokens.size());
    while (at < tokens.size() && tokens[at] != "," && tokens[at] != "(")
      ++at;
    if (at + 1 >= tokens.size())
      return;
    size_t end = operandEnd(tokens, at + 1);
    std::vector<std::string> argument(tokens.begin() + static_cast<long>(at + 1),
                                      tokens.begin() + static_cast<long>(end));
    if (grammar.oneIn(3)) {
      tokens.erase(tokens.begin() + static_cast<long>(at + 1),
                   tokens.begin() + static_cast<long>(end));
      return;
    }
    if (grammar.oneIn(2))
      argument = parseLine(grammar.expression()).tokens;
    argument.push_back(",");
    tokens.insert(tokens.begin() + static_cast<long>(at + 1), argument.begin(), argument.end());
  }

  /// Breaks the form: indentation, a missing token, a line twice.
  void damage() {
    size_t at = lineIndex();
    switch (grammar.below(4)) {
    case 0:
      lines[at].indent = static_cast<unsigned>(grammar.below(13));
      return;
    case 1:
      if (!lines[at].tokens.empty())
        lines[at].tokens.erase(lines[at].tokens.begin() +
                               static_cast<long>(grammar.below(lines[at].tokens.size())));
      return;
    case 2:
      lines.insert(lines.begin() + static_cast<long>(at), lines[at]);
      return;
    default:
      std::swap(lines[at], lines[lineIndex()]);
    }
  }
};

size_t store(const std::string &text, uint8_t *data, size_t maxSize) {
  size_t size = std::min(text.size(), maxSize);
  std::memcpy(data, text.data(), size);
  return size;
}

std::string_view viewOf(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

} // namespace
} // namespace tilec::fuzz

using namespace tilec::fuzz;

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  if (seed % 16 == 0 && LLVMFuzzerMutate)
    return LLVMFuzzerMutate(data, size, maxSize);
  return store(Mutation(viewOf(data, size), seed).run(), data, maxSize);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1,
                                            const uint8_t *data2, size_t size2, uint8_t *out,
                                            size_t maxOutSize, unsigned seed) {
  std::vector<Line> other = parseText(viewOf(data2, size2));
  return store(Mutation(viewOf(data1, size1), seed).run(&other), out, maxOutSize);
}
