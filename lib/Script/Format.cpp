//===- Format.cpp - Python's format specifications ------------------------===//
//
// [[fill]align][sign][#][0][width][grouping][.precision][type]; Python library
// reference, "Format Specification Mini-Language".
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Value.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <cstdio>

namespace tilec::script {
namespace {

constexpr unsigned maxWidth = 10000;

struct Spec {
  std::string fill = " ";
  char align = 0, sign = '-', grouping = 0, type = 0;
  bool alternate = false, zero = false;
  unsigned width = 0;
  int precision = -1;
};

bool isAlign(char c) { return c == '<' || c == '>' || c == '^' || c == '='; }

size_t codePointBytes(char lead) {
  auto c = static_cast<uint8_t>(lead);
  return c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
}

std::optional<Spec> parseSpec(llvm::StringRef s) {
  Spec out;
  size_t fillBytes = s.empty() ? 0 : codePointBytes(s[0]);
  if (s.size() > fillBytes && isAlign(s[fillBytes])) {
    out.fill = s.take_front(fillBytes).str();
    out.align = s[fillBytes];
    s = s.drop_front(fillBytes + 1);
  } else if (!s.empty() && isAlign(s[0])) {
    out.align = s[0];
    s = s.drop_front();
  }
  if (!s.empty() && (s[0] == '+' || s[0] == '-' || s[0] == ' ')) {
    out.sign = s[0];
    s = s.drop_front();
  }
  out.alternate = s.consume_front("#");
  out.zero = s.consume_front("0");
  if (out.zero && !out.align) {
    out.align = '=';
    out.fill = "0";
  }
  unsigned long long number;
  if (!s.empty() && llvm::isDigit(s[0])) {
    if (s.consumeInteger(10, number) || number > maxWidth)
      return std::nullopt;
    out.width = number;
  }
  if (!s.empty() && (s[0] == ',' || s[0] == '_')) {
    out.grouping = s[0];
    s = s.drop_front();
  }
  if (s.consume_front(".")) {
    if (s.empty() || !llvm::isDigit(s[0]) || s.consumeInteger(10, number) || number > maxWidth)
      return std::nullopt;
    out.precision = static_cast<int>(number);
  }
  if (!s.empty()) {
    out.type = s[0];
    s = s.drop_front();
  }
  if (!s.empty())
    return std::nullopt;
  return out;
}

std::string group(std::string digits, char separator, unsigned every) {
  if (!separator)
    return digits;
  std::string out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i && (digits.size() - i) % every == 0)
      out += separator;
    out += digits[i];
  }
  return out;
}

size_t displayLength(llvm::StringRef text) {
  return llvm::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
}

std::string pad(const Spec &spec, std::string sign, std::string body, char defaultAlign) {
  size_t length = displayLength(sign) + displayLength(body);
  if (length >= spec.width)
    return sign + body;
  size_t missing = spec.width - length;
  auto fill = [&](size_t n) {
    std::string out;
    for (size_t i = 0; i < n; ++i)
      out += spec.fill;
    return out;
  };
  switch (spec.align ? spec.align : defaultAlign) {
  case '<':
    return sign + body + fill(missing);
  case '^':
    return fill(missing / 2) + sign + body + fill(missing - missing / 2);
  case '=':
    return sign + fill(missing) + body;
  default:
    return fill(missing) + sign + body;
  }
}

std::string signText(const Spec &spec, bool negative) {
  return negative ? "-" : spec.sign == '-' ? "" : std::string(1, spec.sign);
}

std::optional<std::string> formatFloat(const Spec &spec, double value) {
  bool negative = std::signbit(value) && !std::isnan(value);
  double magnitude = negative ? -value : value;
  std::string body;
  char type = spec.type;
  if (!std::isfinite(magnitude)) {
    body = std::isnan(magnitude) ? "nan" : "inf";
  } else if (!type && spec.precision < 0) {
    body = formatDouble(magnitude);
  } else {
    bool percent = type == '%';
    char conversion = percent ? 'f' : !type || type == 'n' ? 'g' : type;
    if (!llvm::StringRef("eEfFgG").contains(conversion))
      return std::nullopt;
    char format[] = {'%', '.', '*', conversion, 0};
    if (spec.alternate)
      return std::nullopt;
    int precision = spec.precision < 0 ? 6 : spec.precision;
    double shown = percent ? magnitude * 100 : magnitude;
    int length = std::snprintf(nullptr, 0, format, precision, shown);
    body.resize(length + 1);
    std::snprintf(body.data(), body.size(), format, precision, shown);
    body.resize(length);
    // Without a type Python keeps one digit behind the point.
    if (!type && body.find_first_of(".e") == std::string::npos)
      body += ".0";
    if (percent)
      body += '%';
  }
  size_t end = body.find_first_not_of("0123456789");
  if (end == std::string::npos)
    end = body.size();
  body = group(body.substr(0, end), spec.grouping, 3) + body.substr(end);
  return pad(spec, signText(spec, negative), body, '>');
}

std::optional<std::string> formatInt(const Spec &spec, const Integer &value) {
  if (llvm::StringRef("eEfFgG%").contains(spec.type) && spec.type)
    return formatFloat(spec, value.toDouble());
  if (spec.precision >= 0)
    return std::nullopt;
  Integer magnitude = value.isNegative() ? -value : value;
  std::string sign = signText(spec, value.isNegative()), body;
  unsigned every =
      spec.grouping == '_' && llvm::StringRef("bBoxX").contains(spec.type) && spec.type ? 4 : 3;
  switch (spec.type) {
  case 0:
  case 'd':
  case 'n':
    body = magnitude.toString();
    break;
  case 'b':
    body = magnitude.toString(2);
    break;
  case 'o':
    body = magnitude.toString(8);
    break;
  case 'x':
    body = magnitude.toString(16);
    break;
  case 'X':
    body = llvm::StringRef(magnitude.toString(16)).upper();
    break;
  case 'c':
    if (!magnitude.fits64() || magnitude.value64() > 127 || value.isNegative())
      return std::nullopt;
    body = std::string(1, static_cast<char>(magnitude.value64()));
    break;
  default:
    return std::nullopt;
  }
  if (spec.alternate && llvm::StringRef("boxX").contains(spec.type) && spec.type)
    sign += std::string("0") + spec.type;
  return pad(spec, sign, group(body, spec.grouping, every), '>');
}

} // namespace

std::optional<std::string> formatValue(const Value &value, llvm::StringRef text) {
  if (text.empty())
    return toStr(value);
  std::optional<Spec> spec = parseSpec(text);
  if (!spec)
    return std::nullopt;
  if (value.is(ValueKind::Float))
    return formatFloat(*spec, value.real());
  if (value.is(ValueKind::Int) || (value.is(ValueKind::Bool) && spec->type))
    return formatInt(*spec, value.integer());
  if (spec->type && spec->type != 's')
    return std::nullopt;
  if ((spec->align == '=' && !spec->zero) || spec->sign != '-' || spec->grouping || spec->alternate)
    return std::nullopt;
  std::string body = toStr(value);
  if (spec->precision >= 0) {
    size_t bytes = 0;
    for (int n = 0; n < spec->precision && bytes < body.size(); ++n)
      bytes += codePointBytes(body[bytes]);
    body.resize(std::min(bytes, body.size()));
  }
  if (spec->zero)
    spec->align = '<';
  return pad(*spec, "", body, '<');
}

} // namespace tilec::script
