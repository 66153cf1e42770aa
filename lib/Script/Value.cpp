//===- Value.cpp - compile-time values: text and equality -----------------===//
//
// Takes compile-time values, gives their text as CPython writes it, and whether two are equal.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Value.h"

#include "tilec/Base/Math.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>
#include <cmath>

namespace tilec::script {

Integer Value::integer() const {
  return tag == ValueKind::Int && isBig ? as<BigObject>()->value : Integer(bits);
}

double Value::toDouble() const { return tag == ValueKind::Float ? number : integer().toDouble(); }

llvm::StringRef Value::str() const {
  return is(ValueKind::Str) ? as<StrObject>()->text : as<NamedObject>()->name;
}

std::vector<Value> &Value::items() const { return as<ListObject>()->items; }

int64_t RangeObject::count() const {
  // Neither difference can overflow: the bounds are script integers of at most 62 bits.
  if (step > 0)
    return stop > start ? ceilDiv(stop - start, step) : 0;
  return start > stop ? ceilDiv(start - stop, -step) : 0;
}

Value Heap::integer(const Integer &value) {
  if (value.fits64())
    return Value::small(value.value64());
  auto *big = make<BigObject>();
  big->value = value;
  Value v = Value::pointer(ValueKind::Int, static_cast<Object *>(big));
  v.isBig = true;
  return v;
}

Value Heap::str(std::string text) {
  auto *object = make<StrObject>();
  object->text = std::move(text);
  return Value::object(ValueKind::Str, object);
}

Value Heap::list(std::vector<Value> items, ValueKind kind) {
  auto *object = make<ListObject>();
  object->items = std::move(items);
  return Value::object(kind, object);
}

Value Heap::named(ValueKind kind, std::string name, Span span) {
  auto *object = make<NamedObject>();
  object->name = std::move(name);
  object->span = span;
  return Value::object(kind, object);
}

std::string typeName(const Value &value) {
  switch (value.kind()) {
  case ValueKind::Invalid:
    return "error";
  case ValueKind::None:
    return "None";
  case ValueKind::Ellipsis:
    return "ellipsis";
  case ValueKind::Bool:
    return "bool";
  case ValueKind::Int:
    return "int";
  case ValueKind::Float:
    return "float";
  case ValueKind::Str:
    return "str";
  case ValueKind::List:
    return "list";
  case ValueKind::Tuple:
    return "tuple";
  case ValueKind::Dict:
    return "dict";
  case ValueKind::Set:
    return "set";
  case ValueKind::Range:
    return "range";
  case ValueKind::Slice:
    return "slice";
  case ValueKind::Function:
  case ValueKind::Method:
  case ValueKind::Builtin:
  case ValueKind::Intrinsic:
  case ValueKind::MathFn:
  case ValueKind::Refused:
    return "function";
  case ValueKind::Type:
    return "type";
  case ValueKind::Class:
    return "class `" + value.as<ClassObject>()->name.str() + "`";
  case ValueKind::Instance:
    return "`" + value.as<InstanceObject>()->type->name.str() + "` object";
  case ValueKind::Module:
    return "module";
  case ValueKind::Opaque:
    return "unknown value `" + value.as<NamedObject>()->name + "`";
  case ValueKind::DType:
    return "dtype";
  case ValueKind::Expr:
    return "runtime " + std::string(nameOf(value.expr()->type));
  case ValueKind::Buffer:
    return "buffer";
  case ValueKind::Region:
    return "slice of a buffer";
  case ValueKind::TensorType:
    return "tensor annotation";
  case ValueKind::Layout:
    return "layout";
  case ValueKind::Emitter:
    return "intrinsic emitter";
  case ValueKind::Loop:
    return "loop";
  case ValueKind::Launch:
    return "T.Kernel";
  case ValueKind::Jit:
    return "jit function";
  case ValueKind::Kernel:
    return "kernel";
  case ValueKind::Pointer:
    return "pointer";
  case ValueKind::Lanes:
    return "vector of " + std::to_string(value.items().size()) + " lanes";
  case ValueKind::Unfilled:
    return "tensor parameter without annotation";
  }
  return "";
}

namespace {
size_t sequenceBytes(char lead) {
  auto c = static_cast<uint8_t>(lead);
  return c < 0xC0 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
}
} // namespace

std::vector<llvm::StringRef> codePoints(llvm::StringRef text) {
  std::vector<llvm::StringRef> out;
  for (size_t at = 0; at < text.size(); at += out.back().size())
    out.push_back(text.substr(at, sequenceBytes(text[at])));
  return out;
}

size_t textLength(llvm::StringRef text) {
  size_t count = 0;
  for (size_t at = 0; at < text.size(); at += sequenceBytes(text[at]))
    ++count;
  return count;
}

size_t byteOffset(llvm::StringRef text, size_t codePoint) {
  size_t at = 0;
  for (; codePoint && at < text.size(); --codePoint)
    at += sequenceBytes(text[at]);
  return std::min(at, text.size());
}

std::string formatDouble(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  llvm::StringRef text(buffer, end.ptr - buffer);
  auto [mantissa, exponentText] = text.split('e');
  int exponent = 0;
  exponentText.consume_front("+");
  exponentText.getAsInteger(10, exponent); // written by to_chars just now
  std::string sign = mantissa.consume_front("-") ? "-" : "";
  std::string digits = mantissa.str();
  llvm::erase(digits, '.');
  int count = static_cast<int>(digits.size());
  // Python switches to an exponent outside 1e-4 <= |x| < 1e16.
  if (exponent < -4 || exponent >= 16) {
    std::string out = sign + digits.substr(0, 1);
    if (count > 1)
      out += "." + digits.substr(1);
    std::string e = std::to_string(std::abs(exponent));
    return out + (exponent < 0 ? "e-" : "e+") + (e.size() < 2 ? "0" : "") + e;
  }
  if (exponent < 0)
    return sign + "0." + std::string(-exponent - 1, '0') + digits;
  if (count <= exponent + 1)
    return sign + digits + std::string(exponent + 1 - count, '0') + ".0";
  return sign + digits.substr(0, exponent + 1) + "." + digits.substr(exponent + 1);
}

namespace {

std::string quote(llvm::StringRef text) {
  bool useDouble = text.contains('\'') && !text.contains('"');
  char q = useDouble ? '"' : '\'';
  std::string out(1, q);
  for (char c : text) {
    if (c == q || c == '\\')
      (out += '\\') += c;
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c == '\r')
      out += "\\r";
    else if (static_cast<uint8_t>(c) < 0x20 || c == 0x7f)
      (out += "\\x") += llvm::toHex(llvm::StringRef(&c, 1), /*LowerCase=*/true);
    else
      out += c;
  }
  return out + q;
}

constexpr size_t maxReprBytes = 1 << 20;

std::string listText(const std::vector<Value> &items, unsigned depth) {
  std::string out;
  for (const Value &item : items) {
    if (out.size() > maxReprBytes)
      return out + ", ...";
    out += (out.empty() ? "" : ", ") + repr(item, depth + 1);
  }
  return out;
}

} // namespace

std::string repr(const Value &value, unsigned depth) {
  if (depth > 20)
    return "...";
  switch (value.kind()) {
  case ValueKind::None:
    return "None";
  case ValueKind::Ellipsis:
    return "Ellipsis";
  case ValueKind::Bool:
    return value.boolean() ? "True" : "False";
  case ValueKind::Int:
    return value.integer().toString();
  case ValueKind::Float:
    return formatDouble(value.real());
  case ValueKind::Str:
    return quote(value.str());
  case ValueKind::List:
    return "[" + listText(value.items(), depth) + "]";
  case ValueKind::Tuple:
    return "(" + listText(value.items(), depth) + (value.items().size() == 1 ? ",)" : ")");
  case ValueKind::Set:
    return value.items().empty() ? "set()" : "{" + listText(value.items(), depth) + "}";
  case ValueKind::Dict: {
    std::string out;
    for (auto &[key, item] : value.as<DictObject>()->entries) {
      if (out.size() > maxReprBytes)
        return "{" + out + ", ...}";
      out += (out.empty() ? "" : ", ") + repr(key, depth + 1) + ": " + repr(item, depth + 1);
    }
    return "{" + out + "}";
  }
  case ValueKind::Range: {
    auto *r = value.as<RangeObject>();
    std::string out = "range(" + std::to_string(r->start) + ", " + std::to_string(r->stop);
    return out + (r->step == 1 ? "" : ", " + std::to_string(r->step)) + ")";
  }
  case ValueKind::Slice: {
    auto *s = value.as<SliceObject>();
    return "slice(" + repr(s->lower, depth + 1) + ", " + repr(s->upper, depth + 1) + ", " +
           repr(s->step, depth + 1) + ")";
  }
  case ValueKind::DType:
    return value.isTfloat32() ? "tfloat32"
           : value.lanes()
               ? std::string(nameOf(value.dtype())) + "x" + std::to_string(value.lanes())
               : std::string(nameOf(value.dtype()));
  case ValueKind::Expr: {
    std::string out;
    llvm::raw_string_ostream os(out);
    dump(*value.expr(), os);
    return out;
  }
  case ValueKind::Buffer:
    return value.buffer()->name.str();
  case ValueKind::Type:
    return "<class '" + value.as<NamedObject>()->name + "'>";
  default:
    return "<" + typeName(value) + ">";
  }
}

std::string shown(const Value &value) {
  constexpr size_t maxShown = 80;
  std::string text = repr(value);
  if (text.size() > maxShown)
    text = text.substr(0, byteOffset(text, maxShown / 2)) + "...";
  return text;
}

std::string toStr(const Value &value) {
  return value.is(ValueKind::Str) ? value.str().str() : repr(value);
}

bool isTfloat32(const Value &dtype) {
  if (!dtype.is(ValueKind::Str))
    return dtype.isTfloat32();
  llvm::StringRef name = dtype.str();
  name.consume_front("T.");
  return name == "tfloat32";
}

bool equals(const Value &a, const Value &b, uint64_t &work, uint64_t maxWork, unsigned depth) {
  if (depth > 50 || ++work > maxWork)
    return false;
  if (a.isNumber() && b.isNumber()) {
    if (a.is(ValueKind::Float) && b.is(ValueKind::Float))
      return a.real() == b.real();
    if (a.is(ValueKind::Float) || b.is(ValueKind::Float)) {
      double real = a.is(ValueKind::Float) ? a.real() : b.real();
      const Value &whole = a.is(ValueKind::Float) ? b : a;
      return !std::isnan(real) && whole.integer().compare(real) == 0;
    }
    return a.integer() == b.integer();
  }
  // A dtype equals each of its names.
  if (a.is(ValueKind::DType) && b.is(ValueKind::Str))
    return a.lanes() ? toStr(a) == b.str()
                     : parseDType(b.str()) == a.dtype() && isTfloat32(b) == a.isTfloat32();
  if (a.is(ValueKind::Str) && b.is(ValueKind::DType))
    return equals(b, a, work, maxWork, depth);
  if (a.kind() != b.kind())
    return false;
  switch (a.kind()) {
  case ValueKind::None:
  case ValueKind::Ellipsis:
    return true;
  case ValueKind::Str:
  case ValueKind::Type:
  case ValueKind::Module:
  case ValueKind::Builtin:
    work += a.str().size() / 64;
    return a.str() == b.str();
  case ValueKind::Opaque: // the host has one number for each of its objects
    return a.identity() == b.identity() ||
           (isHosts(a) && a.as<NamedObject>()->host == b.as<NamedObject>()->host);
  case ValueKind::DType:
    return a.dtype() == b.dtype() && a.isTfloat32() == b.isTfloat32() && a.lanes() == b.lanes();
  case ValueKind::Intrinsic:
    return a.intrinsic() == b.intrinsic();
  case ValueKind::List:
  case ValueKind::Tuple: {
    if (a.identity() == b.identity())
      return true;
    if (a.items().size() != b.items().size())
      return false;
    for (size_t i = 0; i < a.items().size(); ++i)
      if (!equals(a.items()[i], b.items()[i], work, maxWork, depth + 1))
        return false;
    return true;
  }
  case ValueKind::Set:
  case ValueKind::Dict: {
    auto contains = [&](const Value &key) -> const Value * {
      static const Value yes = Value::boolean(true);
      if (b.is(ValueKind::Set)) {
        for (const Value &item : b.items())
          if (equals(item, key, work, maxWork, depth + 1))
            return &yes;
        return nullptr;
      }
      for (auto &[k, v] : b.as<DictObject>()->entries)
        if (equals(k, key, work, maxWork, depth + 1))
          return &v;
      return nullptr;
    };
    if (a.is(ValueKind::Set))
      return a.items().size() == b.items().size() &&
             llvm::all_of(a.items(), [&](const Value &v) { return contains(v) != nullptr; });
    auto &entries = a.as<DictObject>()->entries;
    return entries.size() == b.as<DictObject>()->entries.size() &&
           llvm::all_of(entries, [&](auto &e) {
             const Value *other = contains(e.first);
             return other && equals(e.second, *other, work, maxWork, depth + 1);
           });
  }
  case ValueKind::Instance: {
    auto *x = a.as<InstanceObject>(), *y = b.as<InstanceObject>();
    return x->type == y->type && llvm::all_of(x->fields->names, [&](auto &field) {
             auto other = y->fields->names.find(field.first());
             return other != y->fields->names.end() &&
                    equals(field.second.value, other->second.value, work, maxWork, depth + 1);
           });
  }
  case ValueKind::Range: {
    auto *x = a.as<RangeObject>(), *y = b.as<RangeObject>();
    return x->count() == y->count() &&
           (x->count() == 0 || (x->start == y->start && (x->count() == 1 || x->step == y->step)));
  }
  default:
    return a.identity() == b.identity();
  }
}

} // namespace tilec::script
