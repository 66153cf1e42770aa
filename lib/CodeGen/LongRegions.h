//===- LongRegions.h - the last scheduler of AMD, in parts ----------------===//
//
// A machine pass: takes blocks of very many memory accesses, cuts them for the scheduler that runs
// on allocated registers.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/CodeGen/MachineFunctionPass.h"

namespace tilec::codegen {

/// Runs right before that scheduler. For each pair of neighbouring loads, it searches its graph for
/// a way from one to the other; where loads and stores may be the same place, the graph has all
/// pairs of them as edges: time by the third power of the accesses.
class LongRegions : public llvm::MachineFunctionPass {
public:
  static char ID;
  LongRegions() : MachineFunctionPass(ID) {}
  llvm::StringRef getPassName() const override { return "tilec: cut long regions"; }
  bool runOnMachineFunction(llvm::MachineFunction &function) override;
};

} // namespace tilec::codegen
