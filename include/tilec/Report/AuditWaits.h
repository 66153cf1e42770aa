//===- AuditWaits.h - is every loaded register waited for? ----------------===//
//
// Loads return later; an instruction that touches the register of a load in flight
// reads garbage, or is overwritten. This proves from the machine code alone that
// on every path a wait stands between. It says nothing about the contents of shared
// memory, which takes addresses: the simulator checks that.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Report/Disassembly.h"

namespace tilec::report {

struct WaitFinding {
  uint64_t address = 0; ///< of the instruction that touches the register too early
  std::string instruction;
  uint64_t loadAddress = 0;
  std::string load;
  RegisterRange reg; ///< one register
};

/// Every instruction that may touch a register with a load in flight; by address, one finding an
/// instruction.
std::vector<WaitFinding> auditWaits(const KernelCode &kernel);

std::string describe(llvm::ArrayRef<WaitFinding> findings);

} // namespace tilec::report
