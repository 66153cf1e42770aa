//===- Messages.h - how a tool says what is wrong -------------------------===//
//
// On standard error: text for people, or with `--diagnostics=json` one JSON object a
// line for programs. Every message has an id. Plain C++: tilec-launch has no LLVM.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/DiagId.h"

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace tilec {

class Messages {
public:
  /// `argv` tells how mistakes in `argv` itself are said. `failed` is the tool's exit status where
  /// it could not do what it was asked for.
  Messages(std::string tool, int argc, char **argv, int failed = 1);

  void addOption(CLI::App &app);

  /// A message about no place, with the row's severity. The id stands behind its first line.
  void say(DiagId id, const std::string &text) const;
  /// `say`, and the exit status that goes with it: 2 where the command line makes no sense.
  int failure(DiagId id, const std::string &text) const {
    say(id, text);
    return id == DiagId::CommandLine ? 2 : failed;
  }
  int usageError(const std::string &text) const { return failure(DiagId::CommandLine, text); }
  /// Parses; the exit status where that is the end: of --help, and after a mistake.
  std::optional<int> parse(CLI::App &app, int argc, char **argv) const;
  /// What `main` returns after C's stdout was written to: `code`, or `failed` where it could not be
  /// written, which is said.
  int finish(int code) const;
  /// The same for llvm::outs(), which would end the process with words of its own.
  template <typename Stream> int finish(Stream &out, int code) const {
    out.flush();
    if (!out.has_error())
      return code;
    std::string problem = out.error().message();
    out.clear_error();
    return failedOutput(code, problem);
  }

  bool isJson() const { return form == "json"; }
  const std::string &tool() const { return name; }

private:
  int failedOutput(int code, const std::string &problem) const;

  std::string name, form = "text";
  int failed;
};

} // namespace tilec
