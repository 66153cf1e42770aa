//===- SimTool.h - the tilec-sim program ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Sim/Timing.h"

#include <string>
#include <vector>

namespace tilec::sim {

/// What `--arg` and `--save` say; main.cpp fills it from the command line.
struct ToolOptions {
  std::string object;
  std::string kernel;
  std::string grid = "1", block = "64";
  std::vector<std::string> args;
  std::string rawKernarg; ///< `--kernarg`: lay the arguments out at these offsets
  std::vector<std::string> saves;
  bool list = false, coverage = false, json = false, quiet = false;
  std::string checks = "all", memoryMode = "eager", rangeCheck = "with-soffset";
  uint64_t maxMemoryBytes = 64ull << 30; ///< of the image and of all buffers
  LaunchOptions launch;
  bool timing = false, cold = false;
  std::string timingJson; ///< file for the JSON form
  TimingOptions timingOptions;
};

/// Runs the tool; returns the exit code: 0 fine, 1 the kernel did something wrong, 2 bad usage or
/// files.
int runTool(const ToolOptions &options);

} // namespace tilec::sim
