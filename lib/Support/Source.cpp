//===- Source.cpp - source text and places in it --------------------------===//
//
// Finds lines in the text of a file; Source.h has the types.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Support/Source.h"

#include <algorithm>

namespace tilec {

SourceFile::SourceFile(std::string name, std::string text)
    : fileName(std::move(name)), contents(std::move(text)) {
  lineStarts.push_back(0);
  for (uint32_t i = 0; i < contents.size(); ++i)
    if (contents[i] == '\n')
      lineStarts.push_back(i + 1);
}

LineColumn SourceFile::lineColumn(uint32_t offset) const {
  auto it = std::upper_bound(lineStarts.begin(), lineStarts.end(), offset);
  uint32_t line = static_cast<uint32_t>(it - lineStarts.begin());
  return {line, offset - lineStarts[line - 1] + 1};
}

llvm::StringRef SourceFile::line(uint32_t number) const {
  if (number == 0 || number > lineStarts.size())
    return {};
  llvm::StringRef rest = text().substr(lineStarts[number - 1]);
  return rest.take_until([](char c) { return c == '\n'; }).rtrim('\r');
}

uint32_t SourceFile::offsetOf(LineColumn place) const {
  if (place.line == 0 || place.line > lineStarts.size())
    return static_cast<uint32_t>(contents.size());
  uint64_t offset = uint64_t(lineStarts[place.line - 1]) + (place.column ? place.column - 1 : 0);
  return static_cast<uint32_t>(std::min<uint64_t>(offset, contents.size()));
}

uint32_t SourceManager::add(std::string name, std::string text) {
  files.emplace_back(std::move(name), std::move(text));
  return static_cast<uint32_t>(files.size() - 1);
}

llvm::StringRef SourceManager::textOf(Span span) const {
  if (!span.isValid() || span.file >= files.size())
    return {};
  return files[span.file].text().slice(span.begin, span.end);
}

} // namespace tilec
