//===- Tokens.cpp - pieces of PTX text ------------------------------------===//
//
// Takes the text of a module, gives statements without comments, lists, numbers and declarations.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Tokens.h"

#include "Program.h"

using namespace llvm;

namespace tilec::ptx {

std::string withoutComments(StringRef text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("//")) {
      i = std::min(text.find('\n', i), text.size());
      if (i < text.size())
        out += '\n';
    } else if (text.substr(i).starts_with("/*")) {
      size_t end = text.find("*/", i);
      for (; i < std::min(end, text.size()); ++i)
        if (text[i] == '\n')
          out += '\n';
      ++i;
    } else {
      out += text[i];
    }
  }
  return out;
}

SmallVector<StringRef> splitList(StringRef list) {
  SmallVector<StringRef> items;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size() && (list[i] == '{' || list[i] == '['))
      ++depth;
    if (i < list.size() && (list[i] == '}' || list[i] == ']'))
      --depth;
    if (i == list.size() || (list[i] == ',' && depth == 0)) {
      if (StringRef item = list.slice(start, i).trim(); !item.empty())
        items.push_back(item);
      start = i + 1;
    }
  }
  return items;
}

std::optional<uint64_t> parseNumber(StringRef token) {
  uint64_t value = 0;
  if (token.size() > 2 && token[0] == '0' && (token[1] == 'f' || token[1] == 'd')) {
    if (token.drop_front(2).getAsInteger(16, value))
      return std::nullopt;
    return value;
  }
  bool isNegative = token.consume_front("-");
  token.consume_back("U");
  if (token.getAsInteger(0, value))
    return std::nullopt;
  return isNegative ? 0 - value : value;
}

std::optional<Variable> parseVariable(StringRef declaration) {
  Variable variable;
  SmallVector<StringRef> words;
  SplitString(declaration, words);
  uint64_t each = 1, count = 1;
  bool isPointer = false, isAligned = false;
  for (size_t i = 0; i < words.size(); ++i) {
    StringRef word = words[i];
    if (word == ".ptr") {
      isPointer = true;
    } else if (word == ".align" && i + 1 < words.size()) {
      ++i;
      if (isPointer) // of what it points to
        continue;
      isAligned = true;
      if (words[i].getAsInteger(10, variable.align) || variable.align == 0)
        return std::nullopt;
    } else if (word.starts_with(".")) {
      each = std::max<uint64_t>(each, bytesOf(parseType(word.drop_front())));
    } else {
      auto [name, size] = word.split('[');
      variable.name = name;
      variable.isDynamic = size.starts_with("]");
      if (!size.empty() && !variable.isDynamic && size.split(']').first.getAsInteger(10, count))
        return std::nullopt;
    }
  }
  if (!isAligned)
    variable.align = uint32_t(each);
  variable.each = each;
  variable.bytes = variable.isDynamic ? 0 : each * count;
  return variable;
}

std::string squeezed(StringRef statement) {
  std::string out;
  for (char c : statement)
    if (!isSpace(c))
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  constexpr size_t most = 110;
  if (out.size() > most)
    out = out.substr(0, most - 3) + "...";
  return out;
}

} // namespace tilec::ptx
