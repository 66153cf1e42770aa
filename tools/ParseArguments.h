//===- ParseArguments.h - command lines of the tools without diagnostics --===//
//
// Takes a tool's options and its command line, gives the exit status where the tool ends here. What
// is wrong is said as tilec says it: `TOOL: error: ...`.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include <CLI/CLI.hpp>

#include <cstdio>
#include <optional>

namespace tilec {

/// 0 behind --help and --version, 2 for a command line that is wrong; nothing when the tool goes
/// on.
inline std::optional<int> parseArguments(const char *tool, CLI::App &app, int argc, char **argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0)
      return app.exit(error);
    std::fprintf(stderr, "%s: error: %s; --help lists the options\n", tool, error.what());
    return 2;
  }
  return std::nullopt;
}

} // namespace tilec
