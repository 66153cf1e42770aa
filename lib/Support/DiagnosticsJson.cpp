//===- DiagnosticsJson.cpp - messages for programs ------------------------===//
//
// Takes messages, writes each as a line of JSON (docs/reference/diagnostics.md has the fields).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Support/DiagnosticsJson.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace tilec {
namespace {

using llvm::json::fixUTF8;
using llvm::json::OStream;

/// Places count from 1, columns in bytes, `end_column` is behind the last byte; a message about no
/// place has none of them.
void writePlace(OStream &json, Span span, const SourceManager *sources) {
  if (!sources || !span.isValid() || span.file >= sources->fileCount())
    return;
  const SourceFile &file = sources->file(span.file);
  LineColumn begin = file.lineColumn(span.begin);
  LineColumn end = file.lineColumn(std::max(span.begin, span.end));
  json.attribute("file", fixUTF8(file.name()));
  json.attribute("line", begin.line);
  json.attribute("column", begin.column);
  json.attribute("end_line", end.line);
  json.attribute("end_column", end.column);
}

void writeMessage(OStream &json, llvm::ArrayRef<Diagnostic> message, const SourceManager *sources) {
  const Diagnostic &d = message.front();
  json.object([&] {
    json.attribute("id", nameOf(d.id));
    json.attribute("severity", nameOf(d.severity));
    json.attribute("text", fixUTF8(d.message));
    if (llvm::StringRef fix = fixOf(d.message); !fix.empty())
      json.attribute("fix", fixUTF8(fix));
    writePlace(json, d.span, sources);
    if (message.size() > 1)
      json.attributeArray("notes", [&] {
        for (const Diagnostic &note : message.drop_front())
          writeMessage(json, note, sources);
      });
  });
}

} // namespace

llvm::StringRef fixOf(llvm::StringRef message) {
  // Code in backticks and remarks in parentheses may hold semicolons, too.
  bool isCode = false;
  int depth = 0;
  size_t fix = llvm::StringRef::npos;
  for (size_t i = 0; i < message.size(); ++i) {
    isCode ^= message[i] == '`';
    if (!isCode)
      depth += (message[i] == '(') - (message[i] == ')');
    if (!isCode && depth <= 0 && message.substr(i).starts_with("; "))
      fix = i + 2;
  }
  return fix == llvm::StringRef::npos ? llvm::StringRef() : message.substr(fix);
}

void printJson(llvm::raw_ostream &os, const DiagnosticEngine &diagnostics, bool withRemarks) {
  for (llvm::ArrayRef<Diagnostic> message : diagnostics.shown(withRemarks)) {
    OStream json(os);
    writeMessage(json, message, &diagnostics.sourceManager());
    os << '\n';
  }
}

void printJson(llvm::raw_ostream &os, const Diagnostic &diagnostic) {
  OStream json(os);
  writeMessage(json, diagnostic, nullptr);
  os << '\n';
}

} // namespace tilec
