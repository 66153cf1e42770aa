//===- AmdgpuPasses.h - our passes inside LLVM's AMDGPU code generator ----===//
//
// Takes what a compile wants of LLVM's machine code passes, puts ours among them, and tells what
// they have done.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

namespace tilec::codegen {

/// What the passes shall do and have done in one compile.
struct MachinePassState {
  unsigned accumulatorsInPlace = 0;
  unsigned m0Hoisted = 0;
  unsigned vectorSpills = 0; ///< places in memory for registers of lanes
  /// Asked for: the machine verifier runs after our passes and after register allocation.
  bool verify = false;
};

/// Makes the passes run in the compiles of this thread while it lives.
class MachinePassScope {
public:
  explicit MachinePassScope(MachinePassState *state); ///< null: the passes stay out
  ~MachinePassScope();
  MachinePassScope(const MachinePassScope &) = delete;
  MachinePassScope &operator=(const MachinePassScope &) = delete;
};

/// Once per process, after the AMDGPU target is registered.
void registerMachinePasses();

} // namespace tilec::codegen
