//===- DiagnosticsJson.cpp - messages for programs ------------------------===//
//
// Takes the messages of a compilation, writes each as a line of JSON with its place and its notes.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Support/DiagnosticsJson.h"

#include "tilec/Base/MessageJson.h"

#include "llvm/Support/raw_ostream.h"

namespace tilec {
namespace {

/// A message about no place has none.
std::optional<PlaceOfMessage> placeOf(Span span, const SourceManager &sources) {
  if (!span.isValid() || span.file >= sources.fileCount())
    return std::nullopt;
  const SourceFile &file = sources.file(span.file);
  LineColumn begin = file.lineColumn(span.begin);
  LineColumn end = file.lineColumn(std::max(span.begin, span.end));
  return PlaceOfMessage{file.name(), begin.line, begin.column, end.line, end.column};
}

MessageFields fieldsOf(const Diagnostic &d, const SourceManager &sources) {
  return {d.id, d.severity, d.message, placeOf(d.span, sources), {}};
}

} // namespace

void printJson(llvm::raw_ostream &os, const DiagnosticEngine &diagnostics, bool withRemarks) {
  const SourceManager &sources = diagnostics.sourceManager();
  for (llvm::ArrayRef<Diagnostic> message : diagnostics.shown(withRemarks)) {
    MessageFields fields = fieldsOf(message.front(), sources);
    for (const Diagnostic &note : message.drop_front())
      fields.notes.push_back(fieldsOf(note, sources));
    os << jsonOf(fields) << '\n';
  }
}

} // namespace tilec
