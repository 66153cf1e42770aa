//===- SimTesting.h - assemble and run little kernels in a test -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Sim/Simulator.h"

#include <array>
#include <map>
#include <string>
#include <vector>

namespace tilec::sim::testing {

/// An object file made of assembler text; ends the test program when it does not assemble.
std::vector<uint8_t> assemble(const std::string &cpu, const std::string &text);

/// What a kernel's descriptor says.
struct KernelOptions {
  unsigned vgprs = 128;      ///< all registers
  unsigned accumOffset = 64; ///< of them before a0
  unsigned ldsBytes = 0;
  unsigned scratchBytes = 0;
  unsigned kernargBytes = 64;
  unsigned denorm32 = 3; ///< 3 keeps f32 denormals, 0 flushes them
  std::string extra;     ///< more `.amdhsa_` lines
};
/// A whole source file with one kernel `k`: kernarg pointer in s[0:1], work-group id x in s2, v0
/// the packed work-item id.
std::string kernelText(const std::string &cpu, const std::string &body,
                       const KernelOptions &options);

using Lanes = std::array<uint32_t, 64>;
Lanes all(uint32_t value);
Lanes allF(float value);
template <class F> Lanes lanes(F f) {
  Lanes result;
  for (uint32_t i = 0; i < 64; ++i)
    result[i] = static_cast<uint32_t>(f(i));
  return result;
}
float asFloat(uint32_t bits);

/// Runs `body` in one wave of 64 lanes. Before it v0 = 4 * lane and every register of `in` is
/// loaded; after it the registers of `out` are stored and returned. s[0:7] and v0 belong to the
/// frame; s[8:9] holds the address of a zeroed scratch buffer of 64 KiB.
struct Snippet {
  std::string cpu = "gfx950";
  std::map<std::string, Lanes> in;
  std::vector<std::string> out;
  std::string body;
  KernelOptions kernel;
  LaunchOptions launch;

  RunResult result;            ///< of the last run
  std::vector<uint8_t> buffer; ///< what s[8:9] pointed at, after the run
  std::map<std::string, Lanes> run();
  /// For bodies with one output.
  Lanes run1() { return run().begin()->second; }
};

/// Runs `body` with one lane-wise output v10 and inputs v1, v2, v3; fails the test on any finding.
Lanes evaluate(const std::string &body, const std::map<std::string, Lanes> &in,
               const std::string &cpu = "gfx950");

} // namespace tilec::sim::testing
