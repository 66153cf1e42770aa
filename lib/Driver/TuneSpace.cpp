//===- TuneSpace.cpp - what a search may try ------------------------------===//
//
// From `--tune NAME=V1,V2` to the combinations, and from a combination to the entry with further
// keywords. Values stay text of the script's language: nothing is evaluated here.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "TuneSpace.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace tilec {
namespace {

constexpr llvm::StringLiteral scheduleName = "schedule";

std::vector<std::string> splitValues(llvm::StringRef text) {
  std::vector<std::string> values{""};
  int depth = 0;
  char quote = 0;
  for (char c : text) {
    if (quote)
      quote = c == quote ? 0 : quote;
    else if (c == '\'' || c == '"')
      quote = c;
    else if (llvm::StringRef("([{").contains(c))
      ++depth;
    else if (llvm::StringRef(")]}").contains(c))
      --depth;
    else if (c == ',' && depth == 0) {
      values.emplace_back();
      continue;
    }
    values.back() += c;
  }
  return values;
}

/// Whether the call gives `name` as a keyword: the name, not inside a longer one, and one `=`.
bool givesKeyword(llvm::StringRef entry, llvm::StringRef name) {
  for (size_t at = entry.find(name); at != llvm::StringRef::npos; at = entry.find(name, at + 1)) {
    llvm::StringRef after = entry.substr(at + name.size()).ltrim();
    bool isWhole = at == 0 || !(llvm::isAlnum(entry[at - 1]) || entry[at - 1] == '_');
    if (isWhole && after.starts_with("=") && !after.starts_with("=="))
      return true;
  }
  return false;
}

} // namespace

bool isParameterName(llvm::StringRef text) {
  return !text.empty() && !llvm::isDigit(text[0]) &&
         llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

rt::Result<std::pair<std::string, std::vector<std::string>>>
parseTuneOption(const std::string &text) {
  auto [name, values] = llvm::StringRef(text).split('=');
  std::vector<std::string> list = splitValues(values);
  bool isGood = isParameterName(name.trim());
  for (std::string &value : list) {
    value = llvm::StringRef(value).trim().str();
    isGood &= !value.empty();
  }
  if (!isGood)
    return rt::Error{"--tune " + text + ": write NAME=VALUE,VALUE,... or configs"};
  return std::pair(name.trim().str(), std::move(list));
}

std::vector<TuneParameters>
combine(const std::vector<TuneParameters> &configs,
        const std::vector<std::pair<std::string, std::vector<std::string>>> &axes) {
  std::vector<TuneParameters> all = configs.empty() ? std::vector<TuneParameters>(1) : configs;
  for (const auto &[name, values] : axes) {
    std::vector<TuneParameters> next;
    for (const TuneParameters &base : all)
      for (const std::string &value : values) {
        TuneParameters candidate = base;
        auto it = llvm::find_if(candidate, [&](auto &p) { return p.first == name; });
        if (it == candidate.end())
          candidate.emplace_back(name, value);
        else
          it->second = value;
        if (!llvm::is_contained(next, candidate))
          next.push_back(std::move(candidate));
      }
    all = std::move(next);
  }
  return all;
}

rt::Result<std::string> withParameters(const std::string &entry, const TuneParameters &parameters) {
  std::string keywords;
  for (const auto &[name, value] : parameters) {
    if (name == scheduleName)
      continue;
    if (givesKeyword(entry, name))
      return rt::Error{"the entry gives `" + name + "` already: `" + entry + "`"};
    keywords += (keywords.empty() ? "" : ", ") + name + "=" + value;
  }
  if (keywords.empty())
    return entry;
  llvm::StringRef call = llvm::StringRef(entry).trim();
  if (!call.contains('('))
    return call.str() + "(" + keywords + ")";
  if (!call.consume_back(")"))
    return rt::Error{"the entry `" + entry + "` is no call"};
  llvm::StringRef before = call.rtrim().rtrim(',');
  return before.str() + (before.ends_with("(") ? "" : ", ") + keywords + ")";
}

std::string scheduleOf(const TuneParameters &parameters) {
  for (const auto &[name, value] : parameters)
    if (name == scheduleName)
      return llvm::StringRef(value).trim("'\"").str();
  return "";
}

std::string describe(const TuneParameters &parameters) {
  std::string text;
  for (const auto &[name, value] : parameters)
    text += (text.empty() ? "" : ", ") + name + "=" + value;
  return text.empty() ? "(as it is)" : text;
}

} // namespace tilec
