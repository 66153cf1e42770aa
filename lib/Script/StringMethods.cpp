//===- StringMethods.cpp - methods of str ---------------------------------===//
//
// Positions and lengths count code points, as in Python; upper and lower case are those of ASCII.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "EvaluatorScopes.h"

#include "llvm/ADT/StringExtras.h"

namespace tilec::script {
namespace {

constexpr llvm::StringRef whitespace = " \t\n\r\f\v";

bool isCased(char c) { return llvm::isAlpha(c); }
bool isUpper(char c) { return c >= 'A' && c <= 'Z'; }

bool all(llvm::StringRef text, bool (*test)(char)) {
  return !text.empty() && llvm::all_of(text, test);
}

std::string titled(llvm::StringRef text, bool everyWord) {
  std::string out = text.lower();
  for (size_t i = 0; i < out.size(); ++i)
    if (i == 0 || (everyWord && !llvm::isAlpha(out[i - 1])))
      out[i] = llvm::toUpper(out[i]);
  return out;
}

std::string swapped(llvm::StringRef text) {
  std::string out = text.str();
  for (char &c : out)
    c = isUpper(c) ? llvm::toLower(c) : llvm::toUpper(c);
  return out;
}

/// The answer of an `is...` method; nothing when `name` is none.
std::optional<bool> classify(llvm::StringRef name, llvm::StringRef text) {
  if (name == "isdigit" || name == "isnumeric" || name == "isdecimal")
    return all(text, llvm::isDigit);
  if (name == "isalpha")
    return all(text, llvm::isAlpha);
  if (name == "isalnum")
    return all(text, llvm::isAlnum);
  if (name == "isspace")
    return all(text, +[](char c) { return whitespace.contains(c); });
  if (name == "isidentifier")
    return all(
               text, +[](char c) { return llvm::isAlnum(c) || c == '_'; }) &&
           !llvm::isDigit(text[0]);
  if (name == "isupper" || name == "islower") {
    bool wanted = name == "isupper";
    return llvm::any_of(text, isCased) &&
           llvm::all_of(text, [&](char c) { return !isCased(c) || isUpper(c) == wanted; });
  }
  return std::nullopt;
}

/// Another spelling of the same text; nothing when `name` is no such method.
std::optional<std::string> recased(llvm::StringRef name, llvm::StringRef text) {
  if (name == "upper")
    return text.upper();
  if (name == "lower" || name == "casefold")
    return text.lower();
  if (name == "title" || name == "capitalize")
    return titled(text, name == "title");
  if (name == "swapcase")
    return swapped(text);
  return std::nullopt;
}

} // namespace

Value Evaluator::strMethod(const Value &self, llvm::StringRef name, CallArgs &args) {
  llvm::StringRef text = self.str();
  if (name == "format")
    return strFormat(text, args);
  if (!step(args.span, 1 + text.size() / 16))
    return Value();
  if (name == "split" || name == "rsplit")
    return strSplit(text, name == "rsplit", args);
  if (!knownKeywords(args, name, {}))
    return Value();
  if (name == "join")
    return strJoin(text, args);
  if (name == "startswith" || name == "endswith")
    return strAffix(text, name == "startswith", args);
  if (name == "replace")
    return strReplace(self, args);
  if (name == "partition" || name == "rpartition")
    return strPartition(text, name == "rpartition", args);
  if (name == "find" || name == "rfind" || name == "index" || name == "rindex" || name == "count")
    return strSearch(text, name, args);
  if (name == "zfill" || name == "ljust" || name == "rjust" || name == "center")
    return strPad(text, name, args);
  bool strips = name == "strip" || name == "lstrip" || name == "rstrip";
  bool cuts = name == "removeprefix" || name == "removesuffix";
  if (!arity(args, cuts ? 1 : 0, cuts || strips ? 1 : 0, name))
    return Value();
  if (strips || cuts) {
    bool isDefault = args.values.empty() || args.values[0].is(ValueKind::None);
    if (!isDefault && !wantStr(args, 0))
      return Value();
    llvm::StringRef chars = isDefault ? whitespace : args.values[0].str(), out = text;
    if (cuts)
      name == "removeprefix" ? out.consume_front(chars) : out.consume_back(chars);
    if (strips && name != "rstrip")
      out = out.ltrim(chars);
    if (strips && name != "lstrip")
      out = out.rtrim(chars);
    return heap.str(out.str());
  }
  if (name == "splitlines") {
    std::vector<Value> lines;
    while (!text.empty()) {
      auto [line, rest] = text.split('\n');
      lines.push_back(heap.str(line.str()));
      text = rest;
    }
    return heap.list(std::move(lines));
  }
  if (std::optional<bool> answer = classify(name, text))
    return Value::boolean(*answer);
  if (std::optional<std::string> out = recased(name, text))
    return heap.str(std::move(*out));
  return fail(DiagId::NoAttribute, args.calleeSpan, "str", name, "");
}

bool Evaluator::wantStr(const CallArgs &args, size_t i) {
  if (i < args.values.size() && args.values[i].is(ValueKind::Str))
    return true;
  fail(DiagId::WantedOther, i < args.spans.size() ? args.spans[i] : args.span, "a str",
       i < args.values.size() ? typeName(args.values[i]) : "nothing");
  return false;
}

Value Evaluator::strJoin(llvm::StringRef text, CallArgs &args) {
  llvm::SmallVector<Value> items;
  if (!arity(args, 1, 1, "join") || !iterate(args.values[0], args.spans[0], items))
    return Value();
  std::string out;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!items[i].is(ValueKind::Str))
      return fail(DiagId::WantedOther, args.spans[0], "strs", typeName(items[i]));
    if (i)
      out += text;
    out += items[i].str();
    if (out.size() > limits.textBytes)
      return fail(DiagId::StringTooLong, args.span, limits.textBytes);
  }
  return heap.str(std::move(out));
}

Value Evaluator::strAffix(llvm::StringRef text, bool atStart, CallArgs &args) {
  if (!arity(args, 1, 1, atStart ? "startswith" : "endswith"))
    return Value();
  llvm::SmallVector<Value> options;
  if (args.values[0].is(ValueKind::Tuple))
    options.append(args.values[0].items().begin(), args.values[0].items().end());
  else if (wantStr(args, 0))
    options.push_back(args.values[0]);
  else
    return Value();
  for (const Value &v : options) {
    if (!v.is(ValueKind::Str))
      return fail(DiagId::WantedOther, args.spans[0], "strs", typeName(v));
    if (!step(args.span))
      return Value();
    if (atStart ? text.starts_with(v.str()) : text.ends_with(v.str()))
      return Value::boolean(true);
  }
  return Value::boolean(false);
}

Value Evaluator::strReplace(const Value &self, CallArgs &args) {
  if (!arity(args, 2, 3, "replace") || !wantStr(args, 0) || !wantStr(args, 1))
    return Value();
  std::optional<int64_t> most = -1;
  if (args.values.size() > 2 && !(most = toInt(args.values[2], args.spans[2], "a count")))
    return Value();
  llvm::StringRef from = args.values[0].str(), to = args.values[1].str(), rest = self.str();
  std::string out;
  // An empty `from` is found before each code point and at the end.
  for (int64_t done = 0; done != *most; ++done) {
    size_t at = from.empty() ? 0 : rest.find(from);
    if (at == llvm::StringRef::npos)
      break;
    out += rest.take_front(at);
    out += to;
    rest = rest.drop_front(at + from.size());
    if (from.empty() && rest.empty())
      return heap.str(std::move(out));
    if (from.empty()) {
      size_t bytes = codePoints(rest.take_front(4)).front().size();
      out += rest.take_front(bytes);
      rest = rest.drop_front(bytes);
    }
    if (out.size() > limits.textBytes)
      return fail(DiagId::StringTooLong, args.span, limits.textBytes);
  }
  out += rest;
  return heap.str(std::move(out));
}

Value Evaluator::strSplit(llvm::StringRef text, bool fromEnd, CallArgs &args) {
  llvm::StringRef name = fromEnd ? "rsplit" : "split";
  if (!knownKeywords(args, name, {"sep", "maxsplit"}) || !arity(args, 0, 2, name))
    return Value();
  Value separator = args.values.empty() ? Value::none() : args.values[0];
  std::optional<int64_t> most = -1;
  if (args.values.size() > 1)
    most = toInt(args.values[1], args.spans[1], "maxsplit");
  for (const CallArgs::Keyword &k : args.keywords) {
    if (k.name == "sep")
      separator = k.value;
    else
      most = toInt(k.value, k.place(), "maxsplit");
  }
  if (!most)
    return Value();
  bool byBlanks = separator.is(ValueKind::None);
  if (!byBlanks && (!separator.is(ValueKind::Str) || separator.str().empty()))
    return fail(DiagId::WantedOther, args.span, "a separator",
                separator.is(ValueKind::Str) ? "an empty str" : typeName(separator));
  llvm::SmallVector<llvm::StringRef> parts;
  if (byBlanks)
    text = text.trim(whitespace);
  while (!(byBlanks && text.empty())) {
    llvm::StringRef found = byBlanks ? whitespace : separator.str();
    size_t at = static_cast<int64_t>(parts.size()) == *most ? llvm::StringRef::npos
                : byBlanks ? (fromEnd ? text.find_last_of(found) : text.find_first_of(found))
                           : (fromEnd ? text.rfind(found) : text.find(found));
    if (!step(args.span))
      return Value();
    if (at == llvm::StringRef::npos) {
      parts.push_back(text);
      break;
    }
    llvm::StringRef front = text.take_front(at);
    llvm::StringRef back = text.drop_front(at + (byBlanks ? 1 : found.size()));
    parts.push_back(fromEnd ? back : front);
    text = fromEnd ? front : back;
    if (byBlanks)
      text = text.trim(whitespace);
  }
  if (fromEnd)
    std::reverse(parts.begin(), parts.end());
  std::vector<Value> out;
  for (llvm::StringRef part : parts)
    out.push_back(heap.str(part.str()));
  return heap.list(std::move(out));
}

Value Evaluator::strPartition(llvm::StringRef text, bool fromEnd, CallArgs &args) {
  if (!arity(args, 1, 1, fromEnd ? "rpartition" : "partition") || !wantStr(args, 0))
    return Value();
  llvm::StringRef separator = args.values[0].str();
  if (separator.empty())
    return fail(DiagId::WantedOther, args.spans[0], "a separator", "an empty str");
  size_t at = fromEnd ? text.rfind(separator) : text.find(separator);
  Value whole = heap.str(text.str()), empty = heap.str("");
  if (at == llvm::StringRef::npos)
    return fromEnd ? heap.tuple({empty, empty, whole}) : heap.tuple({whole, empty, empty});
  return heap.tuple({heap.str(text.take_front(at).str()), args.values[0],
                     heap.str(text.drop_front(at + separator.size()).str())});
}

Value Evaluator::strSearch(llvm::StringRef text, llvm::StringRef name, CallArgs &args) {
  if (!arity(args, 1, 3, name) || !wantStr(args, 0) || !step(args.span, text.size() / 16))
    return Value();
  llvm::StringRef wanted = args.values[0].str();
  // The searched part, [from, to) in code points.
  auto length = static_cast<int64_t>(textLength(text));
  SliceObject range;
  range.lower = args.values.size() > 1 ? args.values[1] : Value::none();
  range.upper = args.values.size() > 2 ? args.values[2] : Value::none();
  range.step = Value::none();
  int64_t from, to, stride;
  if (!sliceBounds(&range, length, args.span, from, to, stride))
    return Value();
  if (from > to)
    return name == "count" ? Value::small(0) : Value::small(-1);
  llvm::StringRef part = text.slice(byteOffset(text, from), byteOffset(text, to));
  if (name == "count")
    return Value::small(wanted.empty() ? to - from + 1 : static_cast<int64_t>(part.count(wanted)));
  size_t at = name.starts_with("r") ? part.rfind(wanted) : part.find(wanted);
  if (at != llvm::StringRef::npos)
    return Value::small(from + static_cast<int64_t>(textLength(part.take_front(at))));
  if (name.ends_with("index"))
    return fail(DiagId::NotInList, args.spans[0], shown(args.values[0]), "str");
  return Value::small(-1);
}

Value Evaluator::strPad(llvm::StringRef text, llvm::StringRef name, CallArgs &args) {
  bool isZero = name == "zfill";
  if (!arity(args, 1, isZero ? 1 : 2, name))
    return Value();
  std::optional<int64_t> width = toInt(args.values[0], args.spans[0], "a width");
  if (!width || (args.values.size() > 1 && !wantStr(args, 1)))
    return Value();
  llvm::StringRef fill = isZero ? "0" : args.values.size() > 1 ? args.values[1].str() : " ";
  if (textLength(fill) != 1)
    return fail(DiagId::WantedOther, args.spans[1], "one character", shown(args.values[1]));
  auto length = static_cast<int64_t>(textLength(text));
  if (*width <= length)
    return heap.str(text.str());
  if (*width > static_cast<int64_t>(limits.textBytes / 4))
    return fail(DiagId::StringTooLong, args.span, limits.textBytes);
  int64_t missing = *width - length;
  // CPython's center puts the odd one to the left when both are odd.
  int64_t left = name == "ljust"    ? 0
                 : name == "center" ? missing / 2 + (missing & *width & 1)
                                    : missing;
  auto repeat = [&](int64_t n) {
    std::string out;
    for (int64_t i = 0; i < n; ++i)
      out += fill;
    return out;
  };
  bool isSigned = isZero && (text.starts_with("-") || text.starts_with("+"));
  return heap.str(text.take_front(isSigned).str() + repeat(left) + text.drop_front(isSigned).str() +
                  repeat(missing - left));
}

} // namespace tilec::script
