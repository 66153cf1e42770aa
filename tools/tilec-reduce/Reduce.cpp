//===- Reduce.cpp - make a script small while it keeps a property ---------===//
//
// Passes run in turn until none finds anything: large cuts first. Each works on the
// tokens of the current text and makes candidates by cutting or replacing byte ranges.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Reduce.h"

#include "tilec/Script/Lexer.h"
#include "tilec/Script/Parser.h"

#include "llvm/ADT/StringExtras.h"

#include <chrono>
#include <set>
#include <unordered_set>

namespace tilec {
namespace {

using script::Token;
using script::TokenKind;

struct Range {
  size_t begin = 0, end = 0;
};

/// A statement: its lines with those of its suite.
struct Node {
  Range lines;
  size_t headEnd = 0; ///< after the line of the head
  std::vector<Node> suite;
};

/// The tokens of one text, which must outlive this.
struct Lexed {
  SourceManager sources;
  DiagnosticEngine diags{sources};
  std::vector<Token> tokens;

  explicit Lexed(const std::string &text) {
    uint32_t file = sources.add("script.py", text);
    if (auto list = script::lex(sources, file, 0, static_cast<uint32_t>(text.size()),
                                /*nested=*/false, diags))
      tokens = std::move(*list);
  }
};

class Reducer {
public:
  Reducer(std::string text, const std::function<bool(const std::string &)> &has,
          const ReduceOptions &options)
      : text(std::move(text)), has(has), options(options) {}

  ReduceResult run();

private:
  bool attempt(std::string candidate);
  bool cut(Range range, llvm::StringRef replacement = "");
  bool isSpent() const;

  void dropComments();
  bool deleteStatements();
  bool flattenSuites();
  bool dropElements();
  bool dropOperands();
  bool replaceCalls();
  bool shrinkNumbers();
  bool shrinkRunLine();
  bool plainDTypes();

  std::string text;
  const std::function<bool(const std::string &)> &has;
  const ReduceOptions &options;
  std::unordered_set<std::string> seen;
  unsigned tries = 0;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

size_t lineStart(llvm::StringRef text, size_t at) {
  size_t newline = text.substr(0, at).rfind('\n');
  return newline == llvm::StringRef::npos ? 0 : newline + 1;
}
size_t lineEnd(llvm::StringRef text, size_t at) {
  size_t newline = text.find('\n', at);
  return newline == llvm::StringRef::npos ? text.size() : newline + 1;
}

/// Statements from token `at` on, up to the Dedent or End that closes them.
std::vector<Node> parseSuite(llvm::StringRef text, const std::vector<Token> &tokens, size_t &at) {
  std::vector<Node> out;
  while (at < tokens.size()) {
    const Token &t = tokens[at];
    if (t.kind == TokenKind::End || t.kind == TokenKind::Dedent)
      break;
    if (t.kind == TokenKind::Newline) {
      ++at;
      continue;
    }
    Node node;
    node.lines.begin = lineStart(text, t.span.begin);
    uint32_t last = t.span.begin;
    while (at < tokens.size() && tokens[at].kind != TokenKind::Newline &&
           tokens[at].kind != TokenKind::End)
      last = std::max(last, tokens[at++].span.end);
    node.headEnd = node.lines.end = lineEnd(text, last ? last - 1 : 0);
    while (at < tokens.size() && tokens[at].kind == TokenKind::Newline)
      ++at;
    if (at < tokens.size() && tokens[at].kind == TokenKind::Indent) {
      ++at;
      node.suite = parseSuite(text, tokens, at);
      if (at < tokens.size() && tokens[at].kind == TokenKind::Dedent)
        ++at;
      if (!node.suite.empty())
        node.lines.end = node.suite.back().lines.end;
    }
    out.push_back(std::move(node));
  }
  return out;
}

std::vector<Node> statementsOf(const std::string &text) {
  Lexed lexed(text);
  size_t at = 0;
  return parseSuite(text, lexed.tokens, at);
}

/// All lists of statements, outer ones first.
void collectLists(const std::vector<Node> &list, std::vector<const std::vector<Node> *> &out) {
  out.push_back(&list);
  for (const Node &node : list)
    if (!node.suite.empty())
      collectLists(node.suite, out);
}

bool isOpen(const Token &t) { return t.is("(") || t.is("[") || t.is("{"); }
bool isClose(const Token &t) { return t.is(")") || t.is("]") || t.is("}"); }

/// Token index of the bracket that closes the one at `open`.
size_t closing(const std::vector<Token> &tokens, size_t open) {
  int depth = 0;
  for (size_t i = open; i < tokens.size(); ++i) {
    depth += isOpen(tokens[i]) - isClose(tokens[i]);
    if (depth == 0)
      return i;
  }
  return tokens.size() - 1;
}

/// Elements between the brackets, each as a range of tokens [first, last].
std::vector<std::pair<size_t, size_t>> elementsOf(const std::vector<Token> &tokens, size_t open,
                                                  size_t close) {
  std::vector<std::pair<size_t, size_t>> out;
  size_t first = open + 1;
  int depth = 0;
  for (size_t i = open + 1; i <= close; ++i) {
    bool ends = i == close || (depth == 0 && tokens[i].is(","));
    if (ends && i > first)
      out.push_back({first, i - 1});
    if (ends)
      first = i + 1;
    depth += isOpen(tokens[i]) - isClose(tokens[i]);
  }
  return out;
}

bool isOperator(const Token &t) {
  for (const char *op : {"+",  "-", "*",  "/", "//", "%",  "&",  "|",   "^",  "<<", ">>",
                         "**", "<", "<=", ">", ">=", "==", "!=", "and", "or", "if", "else"})
    if (t.is(op))
      return true;
  return false;
}

bool endsOperand(const Token &t) {
  return isClose(t) || t.is(",") || t.is(":") || t.is("=") || t.kind == TokenKind::Newline ||
         t.kind == TokenKind::End || isOperator(t) ||
         (t.kind == TokenKind::Op && t.text.ends_with("="));
}
bool startsOperand(const Token &t) {
  return isOpen(t) || t.is(",") || t.is(":") || t.is("=") || t.is("return") ||
         t.kind == TokenKind::Newline || t.kind == TokenKind::Indent ||
         t.kind == TokenKind::Dedent || isOperator(t) ||
         (t.kind == TokenKind::Op && t.text.ends_with("="));
}

bool Reducer::isSpent() const {
  std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  return tries >= options.maxTries || spent.count() > options.maxSeconds;
}

bool Reducer::attempt(std::string candidate) {
  if (candidate == text || isSpent() || !seen.insert(candidate).second ||
      !parsesAsScript(candidate))
    return false;
  ++tries;
  if (!has(candidate))
    return false;
  text = std::move(candidate);
  if (options.progress)
    options.progress(text, tries);
  return true;
}

bool Reducer::cut(Range range, llvm::StringRef replacement) {
  return attempt(text.substr(0, range.begin) + replacement.str() + text.substr(range.end));
}

void Reducer::dropComments() {
  std::string out;
  for (llvm::StringRef rest = text; !rest.empty();) {
    auto [line, tail] = rest.split('\n');
    bool isComment = line.ltrim().starts_with("#") && !line.starts_with("# run:");
    if (!isComment && !line.trim().empty())
      out += line.str() + "\n";
    rest = tail;
  }
  attempt(out);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// Runs of statements of every list, long runs first.
bool Reducer::deleteStatements() {
  bool any = false;
  for (size_t which = 0;; ++which) {
    std::vector<Node> root = statementsOf(text);
    std::vector<const std::vector<Node> *> lists;
    collectLists(root, lists);
    if (which >= lists.size())
      return any;
    size_t count = lists[which]->size();
    for (size_t run = count; run >= 1; run = run / 2) {
      for (size_t at = 0; at < lists[which]->size();) {
        const std::vector<Node> &list = *lists[which];
        size_t last = std::min(at + run, list.size()) - 1;
        Range range{list[at].lines.begin, list[last].lines.end};
        // A suite cannot be empty.
        bool isAll = at == 0 && last + 1 == list.size() && which != 0;
        llvm::StringRef line = llvm::StringRef(text).substr(range.begin);
        std::string pass =
            isAll ? line.take_while([](char c) { return c == ' '; }).str() + "pass\n" : "";
        if (!cut(range, pass)) {
          at += run;
          continue;
        }
        any = true;
        root = statementsOf(text);
        lists.clear();
        collectLists(root, lists);
        if (which >= lists.size() || isAll)
          break;
      }
      if (which >= lists.size())
        break;
    }
  }
}

/// `if c:` and `for i in ...:` give way to their suites; the loop's variable becomes 0.
bool Reducer::flattenSuites() {
  bool any = false;
  for (size_t which = 0;;) {
    std::vector<Node> root = statementsOf(text);
    std::vector<const std::vector<Node> *> lists;
    collectLists(root, lists);
    std::vector<const Node *> nodes;
    for (const auto *list : lists)
      for (const Node &node : *list)
        if (!node.suite.empty())
          nodes.push_back(&node);
    if (which >= nodes.size())
      return any;
    const Node &node = *nodes[which];
    llvm::StringRef all = text;
    llvm::StringRef head = all.substr(node.lines.begin, node.headEnd - node.lines.begin);
    size_t indent = head.size() - head.ltrim(' ').size();
    size_t inner = all.substr(node.headEnd).size() - all.substr(node.headEnd).ltrim(' ').size();
    std::string body;
    llvm::StringRef names = head.ltrim(' ');
    if (names.consume_front("for ")) {
      llvm::SmallVector<llvm::StringRef> list;
      names.take_front(names.find(" in ")).split(list, ',');
      for (llvm::StringRef name : list)
        body += std::string(indent, ' ') + name.trim(" ()").str() + " = 0\n";
    }
    for (llvm::StringRef rest = all.slice(node.headEnd, node.lines.end); !rest.empty();) {
      auto [line, tail] = rest.split('\n');
      bool isDeep = line.starts_with(std::string(inner, ' '));
      body += (isDeep ? line.drop_front(inner - indent) : line).str() + "\n";
      rest = tail;
    }
    if (cut(node.lines, body))
      any = true;
    else
      ++which;
  }
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// Arguments, parameters, extents: any element of any brackets.
bool Reducer::dropElements() {
  bool any = false;
  for (size_t open = 0;; ++open) {
    Lexed lexed(text);
    const std::vector<Token> &tokens = lexed.tokens;
    if (open >= tokens.size())
      return any;
    if (!isOpen(tokens[open]))
      continue;
    size_t close = closing(tokens, open);
    std::vector<std::pair<size_t, size_t>> elements = elementsOf(tokens, open, close);
    for (size_t i = elements.size(); i-- > 0;) {
      // With the comma after it, or before it when it is the last one.
      auto [first, last] = elements[i];
      Range range{tokens[first].span.begin, tokens[last + 1].span.begin};
      if (tokens[last + 1].is(","))
        range.end = tokens[last + 2].span.begin;
      else if (i > 0)
        range.begin = tokens[elements[i - 1].second].span.end;
      if (cut(range)) {
        any = true;
        --open; // these brackets again
        break;
      }
    }
  }
}

/// `a + b` gives way to `a` or `b`.
bool Reducer::dropOperands() {
  bool any = false;
  for (size_t at = 1;; ++at) {
    Lexed lexed(text);
    const std::vector<Token> &tokens = lexed.tokens;
    if (at + 1 >= tokens.size())
      return any;
    if (!isOperator(tokens[at]))
      continue;
    size_t first = at, last = at;
    for (int depth = 0; first > 0; --first) {
      const Token &t = tokens[first - 1];
      if (depth == 0 && startsOperand(t))
        break;
      depth += isClose(t) - isOpen(t);
    }
    for (int depth = 0; last + 1 < tokens.size(); ++last) {
      const Token &t = tokens[last + 1];
      if (depth == 0 && endsOperand(t))
        break;
      depth += isOpen(t) - isClose(t);
    }
    if (cut({tokens[at - 1].span.end, tokens[last].span.end}) ||
        cut({tokens[first].span.begin, tokens[at + 1].span.begin}))
      any = true, --at;
  }
}

/// `f(a, b)` and `(a)` give way to one of their elements, or to 1.
bool Reducer::replaceCalls() {
  bool any = false;
  for (size_t open = 0;; ++open) {
    Lexed lexed(text);
    const std::vector<Token> &tokens = lexed.tokens;
    if (open >= tokens.size())
      return any;
    if (!tokens[open].is("("))
      continue;
    size_t close = closing(tokens, open), first = open;
    while (first > 0 && (tokens[first - 1].kind == TokenKind::Name || tokens[first - 1].is(".")))
      --first;
    Range whole{tokens[first].span.begin, tokens[close].span.end};
    std::vector<std::string> candidates;
    for (auto [a, b] : elementsOf(tokens, open, close))
      candidates.push_back(
          text.substr(tokens[a].span.begin, tokens[b].span.end - tokens[a].span.begin));
    candidates.push_back("1");
    for (const std::string &candidate : candidates)
      if (cut(whole, candidate)) {
        any = true;
        --open;
        break;
      }
  }
}

//===----------------------------------------------------------------------===//
// Numbers and dtypes
//===----------------------------------------------------------------------===//

/// Smaller values to try, the smallest first.
std::vector<int64_t> smallerThan(int64_t value) {
  std::set<int64_t> out;
  for (int64_t v :
       {int64_t(0), int64_t(1), int64_t(2), int64_t(8), int64_t(16), value / 2, value - 1})
    if (v >= 0 && v < value)
      out.insert(v);
  return {out.begin(), out.end()};
}

/// Every integer, first in all its places at once: extents occur often.
bool Reducer::shrinkNumbers() {
  bool any = false;
  auto places = [&](llvm::StringRef literal, Lexed &lexed) {
    std::vector<Range> out;
    for (const Token &t : lexed.tokens)
      if (t.kind == TokenKind::Int && (literal.empty() || t.text == literal))
        out.push_back({t.span.begin, t.span.end});
    return out;
  };
  auto replaced = [&](const std::vector<Range> &ranges, int64_t value) {
    std::string out = text;
    for (size_t i = ranges.size(); i-- > 0;)
      out.replace(ranges[i].begin, ranges[i].end - ranges[i].begin, std::to_string(value));
    return out;
  };
  std::set<std::string> literals;
  Lexed start(text);
  for (const Token &t : start.tokens)
    if (t.kind == TokenKind::Int)
      literals.insert(t.text.str());
  for (const std::string &literal : literals) {
    int64_t value;
    if (llvm::StringRef(literal).getAsInteger(10, value))
      continue;
    for (int64_t smaller : smallerThan(value)) {
      Lexed lexed(text);
      if (attempt(replaced(places(literal, lexed), smaller))) {
        any = true;
        break;
      }
    }
  }
  for (size_t i = 0;; ++i) {
    Lexed lexed(text);
    std::vector<Range> all = places("", lexed);
    if (i >= all.size())
      return any;
    int64_t value;
    if (llvm::StringRef(text).slice(all[i].begin, all[i].end).getAsInteger(10, value))
      continue;
    for (int64_t smaller : smallerThan(value))
      if (attempt(replaced({all[i]}, smaller))) {
        any = true;
        break;
      }
  }
}

/// Options of `# run:` that are not needed, and sizes in them.
bool Reducer::shrinkRunLine() {
  bool any = false;
  size_t begin = llvm::StringRef(text).find("# run:");
  if (begin == std::string::npos)
    return false;
  for (size_t at = begin; at < lineEnd(text, begin); ++at) {
    llvm::StringRef rest = llvm::StringRef(text).slice(at, lineEnd(text, begin) - 1);
    if (rest.starts_with(" --")) {
      size_t next = rest.find(" --", 1);
      any |= cut({at, at + std::min(next, rest.size())});
    }
    if (llvm::isDigit(text[at]) && text[at - 1] == '=') {
      llvm::StringRef digits =
          llvm::StringRef(text).substr(at).take_while([](char c) { return llvm::isDigit(c); });
      int64_t value;
      if (digits.getAsInteger(10, value))
        continue;
      size_t length = digits.size();
      for (int64_t smaller : smallerThan(value))
        if (cut({at, at + length}, std::to_string(smaller))) {
          any = true;
          break;
        }
    }
  }
  return any;
}

/// Quoted dtypes become float32 or int32, everywhere at once.
bool Reducer::plainDTypes() {
  bool any = false;
  std::set<std::string> names;
  Lexed lexed(text);
  for (const Token &t : lexed.tokens)
    if (t.kind == TokenKind::String && (t.text.contains("float") || t.text.contains("int")))
      names.insert(t.text.str());
  for (const std::string &name : names)
    for (const char *plain : {"\"float32\"", "\"int32\"", "\"float16\""}) {
      if (name == plain)
        break;
      std::string candidate = text;
      for (size_t at = 0; (at = candidate.find(name, at)) != std::string::npos;
           at += std::char_traits<char>::length(plain))
        candidate.replace(at, name.size(), plain);
      if (attempt(candidate)) {
        any = true;
        break;
      }
    }
  return any;
}

ReduceResult Reducer::run() {
  dropComments();
  bool isBetter = true;
  while (isBetter && !isSpent()) {
    isBetter = deleteStatements();
    isBetter |= flattenSuites();
    isBetter |= dropElements();
    isBetter |= replaceCalls();
    isBetter |= dropOperands();
    isBetter |= shrinkNumbers();
    isBetter |= shrinkRunLine();
    isBetter |= plainDTypes();
  }
  return {text, tries};
}

} // namespace

bool parsesAsScript(const std::string &text) {
  SourceManager sources;
  DiagnosticEngine diags(sources);
  uint32_t file = sources.add("script.py", text);
  return script::parseModule(sources, file, diags) != nullptr;
}

ReduceResult reduceScript(std::string text, const std::function<bool(const std::string &)> &has,
                          const ReduceOptions &options) {
  return Reducer(std::move(text), has, options).run();
}

} // namespace tilec
