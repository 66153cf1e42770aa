//===- Diagnostics.h - messages about the user's program ------------------===//
//
// Everything that can be wrong with a program is a row of Diagnostics.def and is
// reported here, with the place in the script. Consumers decide how to print.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/DiagId.h"
#include "tilec/Support/Source.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/FormatVariadic.h"

#include <functional>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace tilec {

struct Diagnostic {
  DiagId id;
  Severity severity;
  Span span; ///< may be invalid: a message about no place
  std::string message;
};

/// Collects the messages of one compilation. A note belongs to the message before it. Not
/// thread-safe: one engine a compilation.
class DiagnosticEngine {
public:
  explicit DiagnosticEngine(const SourceManager &sources) : sources(sources) {}

  template <typename... Args> void report(DiagId id, Span span, Args &&...args) {
    add({id, severityOf(id), span,
         llvm::formatv(false, formatOf(id), std::forward<Args>(args)...).str()});
  }
  void add(Diagnostic diagnostic);

  bool hasErrors() const { return errors != 0; }
  unsigned errorCount() const { return errors; }
  const std::vector<Diagnostic> &all() const { return list; }
  /// Forgets what there is for `other`, which has no errors.
  void replace(std::vector<Diagnostic> other) {
    list = std::move(other);
    errors = 0;
  }

  /// The messages to print, in order, each with its notes behind it. Remarks only when asked for,
  /// but for those about the machine code.
  std::vector<llvm::ArrayRef<Diagnostic>> shown(bool withRemarks) const;
  /// Prints what is shown: `file:line:col: error: text [Id]`, the line, a caret.
  /// `tool` stands in front of what has no place in a file.
  void print(llvm::raw_ostream &os, bool withRemarks = false, llvm::StringRef tool = "tilec") const;
  void printOne(llvm::raw_ostream &os, const Diagnostic &diagnostic,
                llvm::StringRef tool = "tilec") const;

  const SourceManager &sourceManager() const { return sources; }

private:
  const SourceManager &sources;
  std::vector<Diagnostic> list;
  unsigned errors = 0;
};

} // namespace tilec
