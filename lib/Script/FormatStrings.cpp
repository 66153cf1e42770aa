//===- FormatStrings.cpp - str.format and % -------------------------------===//
//
// Takes a format and arguments, gives the text, as str.format, f-strings and % of CPython do.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "EvaluatorScopes.h"

#include "llvm/ADT/StringExtras.h"

namespace tilec::script {

namespace {
/// The end of a replacement field that starts behind its brace; braces nest in format specs.
size_t fieldEnd(llvm::StringRef format, size_t at) {
  unsigned open = 1;
  for (; at < format.size(); ++at) {
    open += format[at] == '{';
    open -= format[at] == '}';
    if (open == 0)
      return at;
  }
  return llvm::StringRef::npos;
}
} // namespace

/// `name`, `0`, or nothing for the next one; then `.attribute` and `[item]`.
Value Evaluator::formatField(llvm::StringRef field, CallArgs &args, size_t &next) {
  llvm::StringRef head = field.take_until([](char c) { return c == '.' || c == '['; });
  llvm::StringRef rest = field.drop_front(head.size());
  Value value;
  unsigned index;
  if (head.empty() && next < args.values.size())
    value = args.values[next++];
  else if (!head.getAsInteger(10, index) && index < args.values.size())
    value = args.values[index];
  for (const CallArgs::Keyword &k : args.keywords)
    if (k.name == head)
      value = k.value;
  while (value.ok() && !rest.empty()) {
    if (rest.consume_front(".")) {
      llvm::StringRef name = rest.take_until([](char c) { return c == '.' || c == '['; });
      rest = rest.drop_front(name.size());
      value = attribute(value, name, args.span, args.calleeSpan);
      continue;
    }
    auto [key, behind] = rest.drop_front().split(']');
    rest = behind;
    Value item = key.getAsInteger(10, index) ? heap.str(key.str()) : Value::small(index);
    value = subscript(value, item, args.span, args.calleeSpan);
  }
  if (!value.ok())
    fail(DiagId::BadFormatString, args.calleeSpan);
  return value;
}

Value Evaluator::strFormat(llvm::StringRef format, CallArgs &args) {
  size_t next = 0;
  return strFormat(format, args, next, /*isSpec=*/false);
}

Value Evaluator::strFormat(llvm::StringRef format, CallArgs &args, size_t &next, bool isSpec) {
  std::string out;
  for (size_t i = 0; i < format.size(); ++i) {
    char c = format[i];
    if (!step(args.span))
      return Value();
    if ((c == '{' || c == '}') && i + 1 < format.size() && format[i + 1] == c) {
      out += c;
      ++i;
      continue;
    }
    if (c != '{') {
      if (c == '}')
        return fail(DiagId::BadFormatString, args.calleeSpan);
      out += c;
      continue;
    }
    size_t end = fieldEnd(format, i + 1);
    if (end == llvm::StringRef::npos)
      return fail(DiagId::BadFormatString, args.calleeSpan);
    auto [field, spec] = format.slice(i + 1, end).split(':');
    i = end;
    llvm::StringRef conversion;
    std::tie(field, conversion) = field.split('!');
    Value value = formatField(field, args, next);
    if (!value.ok())
      return Value();
    if (conversion == "r" || conversion == "a" || conversion == "s")
      value = text(conversion == "s" ? toStr(value) : repr(value), args.span);
    else if (!conversion.empty())
      return fail(DiagId::BadFormatString, args.calleeSpan);
    if (!value.ok())
      return Value();
    Value innerSpec = isSpec ? heap.str(spec.str()) : strFormat(spec, args, next, /*isSpec=*/true);
    if (!innerSpec.ok())
      return Value();
    std::optional<std::string> text = formatValue(value, innerSpec.str());
    if (!text)
      return fail(DiagId::BadFormatSpec, args.calleeSpan, innerSpec.str(), typeName(value));
    out += *text;
    if (out.size() > limits.textBytes)
      return fail(DiagId::StringTooLong, args.span, limits.textBytes);
  }
  return heap.str(std::move(out));
}

namespace {
/// One `%...` of a format: flags, width, precision as a format specification, and its letter.
struct Percent {
  std::string spec;
  char letter = 0;
  bool isLeft = false;
};

std::optional<Percent> parsePercent(llvm::StringRef &rest) {
  Percent out;
  std::string flags =
      rest.take_while([](char c) { return llvm::StringRef("-+ #0").contains(c); }).str();
  rest = rest.drop_front(flags.size());
  std::string width = rest.take_while(llvm::isDigit).str(), precision;
  rest = rest.drop_front(width.size());
  if (rest.consume_front(".")) {
    precision = rest.take_while(llvm::isDigit).str();
    rest = rest.drop_front(precision.size());
    precision = "." + (precision.empty() ? "0" : precision);
  }
  if (rest.empty())
    return std::nullopt;
  out.letter = rest[0];
  rest = rest.drop_front();
  auto has = [&](char flag) { return flags.find(flag) != std::string::npos; };
  bool isText = llvm::StringRef("sra").contains(out.letter);
  bool isInteger = llvm::StringRef("diuxXo").contains(out.letter);
  if (!isText && !isInteger && !llvm::StringRef("eEfFgGc").contains(out.letter))
    return std::nullopt;
  if (isInteger && !precision.empty())
    return std::nullopt;
  out.spec = has('-') ? "<" : isText ? ">" : "";
  if (!isText)
    out.spec += has('+') ? "+" : has(' ') ? " " : "";
  out.spec += has('#') && !isText ? "#" : "";
  out.spec += has('0') && !has('-') && !isText ? "0" : "";
  out.spec += width + precision;
  out.spec += isText                                                    ? 's'
              : isInteger && llvm::StringRef("iu").contains(out.letter) ? 'd'
                                                                        : out.letter;
  return out;
}
} // namespace

/// `"%d of %s" % (n, name)`.
Value Evaluator::percentFormat(const Value &format, const Value &values, Span span) {
  llvm::SmallVector<Value> items;
  if (values.is(ValueKind::Tuple))
    items.append(values.items().begin(), values.items().end());
  else
    items.push_back(values);
  std::string out;
  size_t next = 0;
  for (llvm::StringRef rest = format.str(); !rest.empty();) {
    auto [text, behind] = rest.split('%');
    out += text;
    if (text.size() == rest.size())
      break;
    rest = behind;
    if (rest.consume_front("%")) {
      out += '%';
      continue;
    }
    std::optional<Percent> percent = parsePercent(rest);
    if (!percent)
      return fail(DiagId::UnsupportedSyntax, span, "this `%` format");
    if (next == items.size())
      return fail(DiagId::UnpackCount, span, next + 1, items.size());
    Value value = items[next++];
    if (llvm::StringRef("sra").contains(percent->letter))
      value = this->text(percent->letter == 's' ? toStr(value) : repr(value), span);
    if (!value.ok())
      return Value();
    if (value.is(ValueKind::Float) && percent->spec.back() == 'd')
      if (std::optional<Integer> whole = Integer::fromDouble(value.real()))
        value = heap.integer(*whole);
    std::optional<std::string> shown = formatValue(value, percent->spec);
    if (!shown)
      return fail(DiagId::BadFormatSpec, span, percent->spec, typeName(value));
    out += *shown;
    if (out.size() > limits.textBytes || !step(span, 1 + shown->size() / 16))
      return fail(DiagId::StringTooLong, span, limits.textBytes);
  }
  if (next != items.size())
    return fail(DiagId::UnpackCount, span, next, items.size());
  return heap.str(std::move(out));
}

} // namespace tilec::script
