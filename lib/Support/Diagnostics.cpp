//===- Diagnostics.cpp - messages about the user's program ----------------===//
//
// Takes a row of the tables and arguments, gives a message with its place, notes and id, and
// prints it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Support/Diagnostics.h"

#include "llvm/Support/Unicode.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace tilec {
namespace {

/// Errors and warnings have an id behind them; so do remarks, but for those that only carry
/// another library's text.
bool printsId(const Diagnostic &d) {
  return d.severity != Severity::Note && d.id != DiagId::IrRemark && d.id != DiagId::IrMachineCode;
}

} // namespace

void DiagnosticEngine::add(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::Error)
    ++errors;
  list.push_back(std::move(diagnostic));
}

/// How many places of a terminal's line the text takes; bytes that are no UTF-8 take one each.
static size_t placesOf(llvm::StringRef text) {
  int columns = llvm::sys::unicode::columnWidthUTF8(text);
  return columns < 0 ? text.size() : static_cast<size_t>(columns);
}

void DiagnosticEngine::printOne(llvm::raw_ostream &os, const Diagnostic &d,
                                llvm::StringRef tool) const {
  bool hasPlace = d.span.isValid() && d.span.file < sources.fileCount();
  if (hasPlace) {
    const SourceFile &file = sources.file(d.span.file);
    LineColumn at = file.lineColumn(d.span.begin);
    os << file.name() << ':' << at.line << ':' << at.column << ": ";
  } else {
    os << tool << ": ";
  }
  auto [headline, rest] = llvm::StringRef(d.message).split('\n');
  os << nameOf(d.severity) << ": " << headline;
  if (printsId(d))
    os << " [" << nameOf(d.id) << ']';
  os << '\n';
  if (!rest.empty())
    os << rest << '\n';
  if (!hasPlace)
    return;
  const SourceFile &file = sources.file(d.span.file);
  LineColumn at = file.lineColumn(d.span.begin);
  llvm::StringRef line = file.line(at.line);
  if (line.trim().empty()) // of a file that could not be read
    return;
  os << line << '\n';
  // The caret line repeats tabs, so that it lines up whatever their width.
  for (llvm::StringRef rest = line.take_front(at.column - 1); !rest.empty();) {
    auto [text, behind] = rest.split('\t');
    os << std::string(placesOf(text), ' ') << (text.size() < rest.size() ? "\t" : "");
    rest = behind;
  }
  llvm::StringRef marked = line.drop_front(std::min<size_t>(at.column - 1, line.size()));
  marked = marked.take_front(d.span.end > d.span.begin ? d.span.end - d.span.begin : 1);
  os << '^' << std::string(std::max<size_t>(placesOf(marked), 1) - 1, '~') << '\n';
}

std::vector<llvm::ArrayRef<Diagnostic>> DiagnosticEngine::shown(bool withRemarks) const {
  std::vector<llvm::ArrayRef<Diagnostic>> messages;
  for (size_t begin = 0, end; begin < list.size(); begin = end) {
    end = begin + 1;
    while (end < list.size() && list[end].severity == Severity::Note)
      ++end;
    const Diagnostic &d = list[begin];
    if (d.severity != Severity::Remark || d.id == DiagId::IrMachineCode || withRemarks)
      messages.push_back(llvm::ArrayRef(list).slice(begin, end - begin));
  }
  return messages;
}

void DiagnosticEngine::print(llvm::raw_ostream &os, bool withRemarks, llvm::StringRef tool) const {
  for (llvm::ArrayRef<Diagnostic> message : shown(withRemarks))
    for (const Diagnostic &d : message)
      printOne(os, d, tool);
}

} // namespace tilec
