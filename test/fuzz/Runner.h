//===- Runner.h - one program on every device -----------------------------===//
//
// Compiles a program for each device in this process, runs it there and
// compares what it wrote with the cpu reference by the agreement rule.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Program.h"

#include "tilec/Driver/Compile.h"

#include <optional>
#include <string>
#include <vector>

namespace tilec::fuzz {

struct Mutant;

struct Target {
  enum Kind { Cpu, Sim, Ptx, Cuda } kind = Cpu;
  Arch arch = Arch::Gfx950; ///< what is compiled for
  std::string name;         ///< `cpu`, `sim:gfx942`, `ptx`, `cuda`
};

/// `cpu`, `sim:gfx942`, `sim:gfx950`, `ptx`, `ptx:sm_80` or `cuda`, separated by commas.
rt::Result<std::vector<Target>> parseTargets(const std::string &list);

/// What went wrong first.
struct Failure {
  std::string kind; ///< `program`, `compile`, `cpu`, `run`, `mismatch`; of a
                    ///< process: `crash` (also an internal error), `timeout`
  std::string device;
  std::string message;

  /// Equal for failures that are probably the same: numbers and names in the
  /// message do not count.
  std::string signature() const;
};

struct RunOptions {
  std::vector<Target> targets;
  /// Seeds the order in which simulated waves take turns, and every fourth one
  /// has results appear at their wait only.
  uint64_t interleaveSeed = 0;
  const Mutant *mutant = nullptr; ///< a fault to plant (Mutants.h)
  bool verifyStages = true;
};

struct RunReport {
  std::optional<Failure> failure;
  bool isMutated = false; ///< the mutant found something to rewrite
  double maxRatio = 0;    ///< largest |d - r| / bound of the tensors compared
  double compileMs = 0, runMs = 0, checkMs = 0;
};

RunReport runProgram(const Program &program, const RunOptions &options);

} // namespace tilec::fuzz
