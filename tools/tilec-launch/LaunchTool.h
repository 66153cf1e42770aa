//===- LaunchTool.h - run a compiled kernel on a GPU host -----------------===//
//
// What tilec-launch does, apart from reading its command line.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Messages/Messages.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilec::launch {

/// The command line, as text.
struct Options {
  std::string binary;
  std::string manifest; ///< empty: `binary` + ".json"
  std::string device;   ///< `cuda`, `hip`; empty: by the manifest's target
  int deviceIndex = 0;
  std::string driver; ///< driver library instead of the usual one
  std::vector<std::string> args, dims, saves, expects, spreads;
  uint32_t seed = 0;
  std::vector<std::string> rivals; ///< of rt::openRival: time these libraries too
  std::string cublas;              ///< `FORM:A,B,C`: short for the rival cublas
  std::string rivalLibrary;        ///< library file of the rivals instead of the usual ones
  int rounds = 31;                 ///< at least so many
  bool bench = false, json = false;
  std::string flops; ///< expression over dims; empty: the manifest's
};

/// Runs, checks, times, and prints the report. Returns the exit status: 0 every check passed, 1 one
/// did not, 2 it could not run, which is said.
int run(const Options &options, const Messages &messages);

} // namespace tilec::launch
