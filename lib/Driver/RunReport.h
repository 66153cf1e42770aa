//===- RunReport.h - what tilec-run says of a run -------------------------===//
//
// What one run of tilec-run has found out, and how it is printed.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Driver/Run.h"

namespace tilec {

/// The kernel's time by the simulator's model.
struct ModelTime {
  struct OfKernel {
    std::string name;
    double us = 0, clk = 0;
  };
  std::vector<OfKernel> launches; ///< in order
  double clockGhz = 0;

  double us() const;
};

/// Everything that one run found out, for the table and for JSON.
struct Outcome {
  std::string kernel, target, device, deviceName;
  double compileMs = 0, runSeconds = 0;
  std::vector<codegen::KernelFacts> facts;
  std::vector<TensorCheck> checks;
  std::optional<rt::Timing> timing;
  std::optional<ModelTime> model;
  std::string noModel; ///< why there is none, although `--time` asks
  std::optional<int64_t> flops;
  /// `--time`: milliseconds of each step of this process, in order.
  std::vector<codegen::StageTime> steps;
  std::vector<std::string> pages; ///< that `--profile` has written
  uint64_t simInstructions = 0;
  bool isChecked = false;

  bool passed() const;
};

void printTable(const Outcome &outcome);
void printJson(const Outcome &outcome);

} // namespace tilec
