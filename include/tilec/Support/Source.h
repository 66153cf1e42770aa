//===- Source.h - source text and places in it ----------------------------===//
//
// Owns the text of files, and gives lines, columns and pieces of text for the spans that
// everything else carries.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace tilec {

/// Bytes [begin, end) of a file of a SourceManager. The default span is no place at all.
struct Span {
  uint32_t file = ~0u;
  uint32_t begin = 0, end = 0;

  bool isValid() const { return file != ~0u; }
  /// From the start of `this` to the end of `last`, which is in the same file.
  Span to(Span last) const { return {file, begin, last.end}; }
};

/// One-based, columns in bytes.
struct LineColumn {
  uint32_t line = 0, column = 0;
};

class SourceFile {
public:
  SourceFile(std::string name, std::string text);

  llvm::StringRef name() const { return fileName; }
  llvm::StringRef text() const { return contents; }
  LineColumn lineColumn(uint32_t offset) const;
  /// The text of a one-based line without its newline.
  llvm::StringRef line(uint32_t number) const;
  /// The offset of a one-based line and column; clamped to the file.
  uint32_t offsetOf(LineColumn place) const;

private:
  std::string fileName, contents;
  std::vector<uint32_t> lineStarts;
};

/// Owns the files of one compilation; references stay valid.
class SourceManager {
public:
  /// Returns the index that Spans of this file carry.
  uint32_t add(std::string name, std::string text);
  const SourceFile &file(uint32_t index) const { return files[index]; }
  size_t fileCount() const { return files.size(); }
  llvm::StringRef textOf(Span span) const;

private:
  std::deque<SourceFile> files;
};

} // namespace tilec
