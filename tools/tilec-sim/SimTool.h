//===- SimTool.h - the tilec-sim program ----------------------------------===//
//
// The options of tilec-sim, and the parts of the tool that runs by a manifest share.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Messages/Messages.h"
#include "tilec/Sim/Timing.h"

#include <string>
#include <vector>

namespace tilec::sim {

/// What `--arg` and `--save` say; main.cpp fills it from the command line.
struct ToolOptions {
  explicit ToolOptions(const Messages &messages) : messages(&messages) {}

  const Messages *messages;
  std::string object;
  std::string kernel;
  std::string grid, block; ///< neither: what the manifest says, else 1 and 64
  std::string manifest;    ///< default: OBJECT.json, where that is there
  std::vector<std::string> dims;
  uint32_t seed = 0;
  std::vector<std::string> args;
  std::string rawKernarg; ///< `--kernarg`: lay the arguments out at these offsets
  std::vector<std::string> saves;
  std::string isaCoverage; ///< `--isa-coverage`: a chip
  bool list = false, coverage = false, json = false, quiet = false;
  std::string checks = "all", memoryMode = "eager", rangeCheck = "with-soffset",
              fp8ScaleOrder = "refuse";
  uint64_t maxMemoryBytes = 64ull << 30; ///< of the image and of all buffers
  LaunchOptions launch;
  bool timing = false, cold = false;
  std::string timingJson;     ///< file for the JSON form
  std::string profile, trace; ///< files for the page and for trace events
  TimingOptions timingOptions;
};

/// Says what the simulator has found, one message a finding.
void sayFindings(const Messages &messages, const RunResult &result);
/// The verdict, and how much was run.
void printCounters(const std::string &kernel, const RunResult &result);
bool wantsTiming(const ToolOptions &options);
/// Prints a timing and writes the files that are asked for. Returns the exit code.
int writeTiming(const ToolOptions &options, const CodeObject &object, const TimingResult &result);

/// Runs the tool; returns the exit code: 0 fine, 1 the kernel did something wrong, 2 bad usage or
/// files.
int runTool(const ToolOptions &options);

} // namespace tilec::sim
