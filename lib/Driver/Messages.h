//===- Messages.h - how a tool says what is wrong -------------------------===//
//
// On standard error: text for people, or with `--diagnostics=json` one JSON object a
// line for programs. Every message has an id.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Support/Diagnostics.h"

#include "llvm/ADT/Twine.h"

#include <string>

namespace CLI {
class App;
}

namespace tilec {

class Messages {
public:
  /// `argv` tells how mistakes in `argv` itself are said.
  Messages(std::string tool, int argc, char **argv);

  void addOption(CLI::App &app);

  /// What a compilation has to say.
  void print(const DiagnosticEngine &diagnostics, bool withRemarks = false) const;
  /// A message about no place, with the row's severity.
  void say(DiagId id, const llvm::Twine &text) const;
  /// `say`, and the exit status that goes with it: 2 where the command line makes no sense.
  int failure(DiagId id, const llvm::Twine &text) const {
    say(id, text);
    return id == DiagId::CommandLine ? 2 : 1;
  }
  int usageError(const llvm::Twine &text) const { return failure(DiagId::CommandLine, text); }
  /// Parses; the exit status where that is the end: of --help, and after a mistake.
  std::optional<int> parse(CLI::App &app, int argc, char **argv) const;

  bool isJson() const { return form == "json"; }

private:
  std::string tool, form = "text";
};

} // namespace tilec
