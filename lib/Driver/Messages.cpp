//===- Messages.cpp - how a tool says what is wrong -----------------------===//
//
// Takes diagnostics and what a tool has to say itself, prints them as text or as JSON lines, and
// reads the option that decides.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Messages.h"

#include "tilec/Support/DiagnosticsJson.h"

#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

namespace tilec {

Messages::Messages(std::string tool, int argc, char **argv) : tool(std::move(tool)) {
  llvm::StringRef option = "--diagnostics";
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef word = argv[i];
    bool isNext = word == option && i + 1 < argc && llvm::StringRef(argv[i + 1]) == "json";
    if (isNext || (word.consume_front(option) && word == "=json"))
      form = "json";
  }
}

void Messages::addOption(CLI::App &app) {
  app.add_option(
         "--diagnostics", form,
         "text, or json: a JSON object a line for each message (docs/reference/diagnostics.md)")
      ->check(CLI::IsMember({"text", "json"}));
}

void Messages::print(const DiagnosticEngine &diagnostics, bool withRemarks) const {
  if (isJson())
    printJson(llvm::errs(), diagnostics, withRemarks);
  else
    diagnostics.print(llvm::errs(), withRemarks, tool);
}

void Messages::say(DiagId id, const llvm::Twine &text) const {
  Diagnostic message{id, severityOf(id), Span(), text.str()};
  if (isJson()) {
    printJson(llvm::errs(), message);
    return;
  }
  auto [headline, rest] = llvm::StringRef(message.message).rtrim().split('\n');
  llvm::errs() << tool << ": " << nameOf(message.severity) << ": " << headline << " [" << nameOf(id)
               << "]\n";
  if (!rest.empty())
    llvm::errs() << rest << '\n';
}

std::optional<int> Messages::parse(CLI::App &app, int argc, char **argv) const {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) // --help, --version
      return app.exit(error);
    return usageError(llvm::Twine(error.what()) + "; --help lists the options");
  }
  return std::nullopt;
}

} // namespace tilec
