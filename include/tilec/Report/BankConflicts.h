//===- BankConflicts.h - the LDS accesses of a loop and the banks ---------===//
//
// By the rule of tilec/Target/SharedBanks.h.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Report/Disassembly.h"
#include "tilec/Target/SharedBanks.h"

namespace tilec::report {

constexpr unsigned waveLanes = bankedLanes;

/// The LDS accesses of a loop: those whose lane addresses follow from the lane's number by integer
/// arithmetic with constants, and the conflicts of these.
struct LoopConflicts {
  unsigned accesses = 0; ///< ds_read*, ds_write*
  unsigned known = 0;    ///< of these, addresses known up to one offset for the whole wave
  unsigned conflicts = 0;
};

/// One entry for each loop of the kernel. Addresses are those of the first round, for the wave of
/// lanes 0 to 63 of a one-dimensional block; an offset that all lanes share changes nothing.
std::vector<LoopConflicts> loopConflicts(Arch arch, const KernelCode &kernel);

} // namespace tilec::report
