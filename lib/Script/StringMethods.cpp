//===- StringMethods.cpp - methods of str ---------------------------------===//
//
// The table of them (Methods.h) and what is more than a line. Positions and lengths count code
// points, as in Python; upper and lower case are those of ASCII.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Methods.h"

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

/// Whether there is a letter, and all letters are of that case.
bool isAllOfCase(llvm::StringRef text, bool upper) {
  return llvm::any_of(text, isCased) &&
         llvm::all_of(text, [&](char c) { return !isCased(c) || isUpper(c) == upper; });
}

bool isBlank(char c) { return whitespace.contains(c); }
bool isOfIdentifier(char c) { return llvm::isAlnum(c) || c == '_'; }

} // namespace

llvm::ArrayRef<Evaluator::MethodCall::Row> Evaluator::MethodCall::ofStr() {
  using Call = MethodCall;
  constexpr size_t any = ~size_t(0);
  static const Row rows[] = {
      {"join", [](Call &c) { return c.join(); }, 1, 1},
      {"startswith", [](Call &c) { return c.affix(true); }, 1, 1},
      {"endswith", [](Call &c) { return c.affix(false); }, 1, 1},
      {"upper", [](Call &c) { return c.e.heap.str(c.text().upper()); }},
      {"lower", [](Call &c) { return c.e.heap.str(c.text().lower()); }},
      {"casefold", [](Call &c) { return c.e.heap.str(c.text().lower()); }},
      {"title", [](Call &c) { return c.e.heap.str(titled(c.text(), true)); }},
      {"capitalize", [](Call &c) { return c.e.heap.str(titled(c.text(), false)); }},
      {"swapcase", [](Call &c) { return c.e.heap.str(swapped(c.text())); }},
      {"isdigit", [](Call &c) { return Value::boolean(all(c.text(), llvm::isDigit)); }},
      {"isnumeric", [](Call &c) { return Value::boolean(all(c.text(), llvm::isDigit)); }},
      {"isdecimal", [](Call &c) { return Value::boolean(all(c.text(), llvm::isDigit)); }},
      {"isalpha", [](Call &c) { return Value::boolean(all(c.text(), llvm::isAlpha)); }},
      {"isalnum", [](Call &c) { return Value::boolean(all(c.text(), llvm::isAlnum)); }},
      {"isspace", [](Call &c) { return Value::boolean(all(c.text(), isBlank)); }},
      {"isidentifier",
       [](Call &c) {
         return Value::boolean(all(c.text(), isOfIdentifier) && !llvm::isDigit(c.text()[0]));
       }},
      {"isupper", [](Call &c) { return Value::boolean(isAllOfCase(c.text(), true)); }},
      {"islower", [](Call &c) { return Value::boolean(isAllOfCase(c.text(), false)); }},
      {"format", [](Call &c) { return c.e.strFormat(c.text(), c.args); }, 0, any, Keywords::Own},
      {"replace", [](Call &c) { return c.replace(); }, 2, 3},
      {"split", [](Call &c) { return c.split(false); }, 0, 2, Keywords::Own},
      {"rsplit", [](Call &c) { return c.split(true); }, 0, 2, Keywords::Own},
      {"splitlines", [](Call &c) { return c.splitLines(); }},
      {"partition", [](Call &c) { return c.partition(false); }, 1, 1},
      {"rpartition", [](Call &c) { return c.partition(true); }, 1, 1},
      {"strip", [](Call &c) { return c.strip(true, true); }, 0, 1},
      {"lstrip", [](Call &c) { return c.strip(true, false); }, 0, 1},
      {"rstrip", [](Call &c) { return c.strip(false, true); }, 0, 1},
      {"removeprefix", [](Call &c) { return c.removeAffix(true); }, 1, 1},
      {"removesuffix", [](Call &c) { return c.removeAffix(false); }, 1, 1},
      {"find", [](Call &c) { return c.find(false, false); }, 1, 3},
      {"rfind", [](Call &c) { return c.find(true, false); }, 1, 3},
      {"index", [](Call &c) { return c.find(false, true); }, 1, 3},
      {"rindex", [](Call &c) { return c.find(true, true); }, 1, 3},
      {"count", [](Call &c) { return c.countText(); }, 1, 3},
      {"zfill", [](Call &c) { return c.pad(Side::Right, "0", /*signFirst=*/true); }, 1, 1},
      {"ljust", [](Call &c) { return c.padWithArgument(Side::Left); }, 1, 2},
      {"rjust", [](Call &c) { return c.padWithArgument(Side::Right); }, 1, 2},
      {"center", [](Call &c) { return c.padWithArgument(Side::Middle); }, 1, 2},
  };
  return rows;
}

bool Evaluator::wantStr(const CallArgs &args, size_t i) {
  if (i < args.values.size() && args.values[i].is(ValueKind::Str))
    return true;
  fail(DiagId::WantedOther, i < args.spans.size() ? args.spans[i] : args.span, "a str",
       i < args.values.size() ? typeName(args.values[i]) : "nothing");
  return false;
}

Value Evaluator::MethodCall::strip(bool front, bool back) {
  bool isDefault = args.values.empty() || args.values[0].is(ValueKind::None);
  if (!isDefault && !e.wantStr(args, 0))
    return Value();
  llvm::StringRef blanks = isDefault ? whitespace : args.values[0].str(), out = text();
  if (front)
    out = out.ltrim(blanks);
  if (back)
    out = out.rtrim(blanks);
  return e.heap.str(out.str());
}

Value Evaluator::MethodCall::removeAffix(bool atStart) {
  if (!e.wantStr(args, 0))
    return Value();
  llvm::StringRef out = text();
  atStart ? out.consume_front(args.values[0].str()) : out.consume_back(args.values[0].str());
  return e.heap.str(out.str());
}

Value Evaluator::MethodCall::splitLines() {
  std::vector<Value> lines;
  for (llvm::StringRef rest = text(); !rest.empty();) {
    auto [line, behind] = rest.split('\n');
    lines.push_back(e.heap.str(line.str()));
    rest = behind;
  }
  return e.heap.list(std::move(lines));
}

Value Evaluator::MethodCall::join() {
  llvm::SmallVector<Value> items;
  if (!e.iterate(args.values[0], args.spans[0], items))
    return Value();
  std::string out;
  for (size_t i = 0; i < items.size(); ++i) {
    if (!items[i].is(ValueKind::Str))
      return e.fail(DiagId::WantedOther, args.spans[0], "strs", typeName(items[i]));
    if (i)
      out += text();
    out += items[i].str();
    if (out.size() > e.limits.textBytes)
      return e.fail(DiagId::StringTooLong, args.span, e.limits.textBytes);
  }
  return e.heap.str(std::move(out));
}

Value Evaluator::MethodCall::affix(bool atStart) {
  llvm::SmallVector<Value> options;
  if (args.values[0].is(ValueKind::Tuple))
    options.append(args.values[0].items().begin(), args.values[0].items().end());
  else if (e.wantStr(args, 0))
    options.push_back(args.values[0]);
  else
    return Value();
  for (const Value &v : options) {
    if (!v.is(ValueKind::Str))
      return e.fail(DiagId::WantedOther, args.spans[0], "strs", typeName(v));
    if (!e.step(args.span))
      return Value();
    if (atStart ? text().starts_with(v.str()) : text().ends_with(v.str()))
      return Value::boolean(true);
  }
  return Value::boolean(false);
}

Value Evaluator::MethodCall::replace() {
  if (!e.wantStr(args, 0) || !e.wantStr(args, 1))
    return Value();
  std::optional<int64_t> most = -1;
  if (args.values.size() > 2 && !(most = e.toInt(args.values[2], args.spans[2], "a count")))
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
      return e.heap.str(std::move(out));
    if (from.empty()) {
      size_t bytes = codePoints(rest.take_front(4)).front().size();
      out += rest.take_front(bytes);
      rest = rest.drop_front(bytes);
    }
    if (out.size() > e.limits.textBytes)
      return e.fail(DiagId::StringTooLong, args.span, e.limits.textBytes);
  }
  out += rest;
  return e.heap.str(std::move(out));
}

Value Evaluator::MethodCall::split(bool fromEnd) {
  if (!e.knownKeywords(args, name, {"sep", "maxsplit"}))
    return Value();
  llvm::StringRef text = self.str();
  Value separator = args.values.empty() ? Value::none() : args.values[0];
  std::optional<int64_t> most = -1;
  if (args.values.size() > 1)
    most = e.toInt(args.values[1], args.spans[1], "maxsplit");
  for (const CallArgs::Keyword &k : args.keywords) {
    if (k.name == "sep")
      separator = k.value;
    else
      most = e.toInt(k.value, k.place(), "maxsplit");
  }
  if (!most)
    return Value();
  bool byBlanks = separator.is(ValueKind::None);
  if (!byBlanks && (!separator.is(ValueKind::Str) || separator.str().empty()))
    return e.fail(DiagId::WantedOther, args.span, "a separator",
                  separator.is(ValueKind::Str) ? "an empty str" : typeName(separator));
  llvm::SmallVector<llvm::StringRef> parts;
  if (byBlanks)
    text = text.trim(whitespace);
  while (!(byBlanks && text.empty())) {
    llvm::StringRef found = byBlanks ? whitespace : separator.str();
    size_t at = static_cast<int64_t>(parts.size()) == *most ? llvm::StringRef::npos
                : byBlanks ? (fromEnd ? text.find_last_of(found) : text.find_first_of(found))
                           : (fromEnd ? text.rfind(found) : text.find(found));
    if (!e.step(args.span))
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
    out.push_back(e.heap.str(part.str()));
  return e.heap.list(std::move(out));
}

Value Evaluator::MethodCall::partition(bool fromEnd) {
  if (!e.wantStr(args, 0))
    return Value();
  llvm::StringRef text = self.str(), separator = args.values[0].str();
  if (separator.empty())
    return e.fail(DiagId::WantedOther, args.spans[0], "a separator", "an empty str");
  size_t at = fromEnd ? text.rfind(separator) : text.find(separator);
  Value whole = e.heap.str(text.str()), empty = e.heap.str("");
  if (at == llvm::StringRef::npos)
    return fromEnd ? e.heap.tuple({empty, empty, whole}) : e.heap.tuple({whole, empty, empty});
  return e.heap.tuple({e.heap.str(text.take_front(at).str()), args.values[0],
                       e.heap.str(text.drop_front(at + separator.size()).str())});
}

std::optional<std::pair<int64_t, int64_t>> Evaluator::MethodCall::searchedPart() {
  if (!e.wantStr(args, 0) || !e.step(args.span, text().size() / 16))
    return std::nullopt;
  auto length = static_cast<int64_t>(textLength(text()));
  SliceObject range;
  range.lower = args.values.size() > 1 ? args.values[1] : Value::none();
  range.upper = args.values.size() > 2 ? args.values[2] : Value::none();
  range.step = Value::none();
  int64_t from, to, stride;
  if (!e.sliceBounds(&range, length, args.span, from, to, stride))
    return std::nullopt;
  return std::pair(from, to);
}

Value Evaluator::MethodCall::find(bool fromEnd, bool mustBeThere) {
  std::optional<std::pair<int64_t, int64_t>> part = searchedPart();
  if (!part)
    return Value();
  auto [from, to] = *part;
  llvm::StringRef wanted = args.values[0].str();
  size_t at = llvm::StringRef::npos;
  llvm::StringRef searched;
  if (from <= to) {
    searched = text().slice(byteOffset(text(), from), byteOffset(text(), to));
    at = fromEnd ? searched.rfind(wanted) : searched.find(wanted);
  }
  if (at != llvm::StringRef::npos)
    return Value::small(from + static_cast<int64_t>(textLength(searched.take_front(at))));
  return mustBeThere ? e.fail(DiagId::NotInList, args.spans[0], shown(args.values[0]), "str")
                     : Value::small(-1);
}

Value Evaluator::MethodCall::countText() {
  std::optional<std::pair<int64_t, int64_t>> part = searchedPart();
  if (!part)
    return Value();
  auto [from, to] = *part;
  llvm::StringRef wanted = args.values[0].str();
  if (from > to)
    return Value::small(0);
  llvm::StringRef searched = text().slice(byteOffset(text(), from), byteOffset(text(), to));
  return Value::small(wanted.empty() ? to - from + 1
                                     : static_cast<int64_t>(searched.count(wanted)));
}

Value Evaluator::MethodCall::padWithArgument(Side side) {
  if (args.values.size() > 1 && !e.wantStr(args, 1))
    return Value();
  llvm::StringRef fill = args.values.size() > 1 ? args.values[1].str() : " ";
  if (textLength(fill) != 1)
    return e.fail(DiagId::WantedOther, args.spans[1], "one character", shown(args.values[1]));
  return pad(side, fill);
}

Value Evaluator::MethodCall::pad(Side side, llvm::StringRef fill, bool signFirst) {
  std::optional<int64_t> width = e.toInt(args.values[0], args.spans[0], "a width");
  if (!width)
    return Value();
  auto length = static_cast<int64_t>(textLength(text()));
  if (*width <= length)
    return e.heap.str(text().str());
  if (*width > static_cast<int64_t>(e.limits.textBytes / 4))
    return e.fail(DiagId::StringTooLong, args.span, e.limits.textBytes);
  int64_t missing = *width - length;
  // CPython's center puts the odd one to the left when both are odd.
  int64_t left = side == Side::Left     ? 0
                 : side == Side::Middle ? missing / 2 + (missing & *width & 1)
                                        : missing;
  auto repeat = [&](int64_t n) {
    std::string out;
    for (int64_t i = 0; i < n; ++i)
      out += fill;
    return out;
  };
  bool hasSign = signFirst && (text().starts_with("-") || text().starts_with("+"));
  return e.heap.str(text().take_front(hasSign).str() + repeat(left) +
                    text().drop_front(hasSign).str() + repeat(missing - left));
}

} // namespace tilec::script
