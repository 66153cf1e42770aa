//===- LaneAddresses.h - what the lanes of a wave address in LDS ----------===//
//
// Takes a kernel, gives the LDS address of each lane at each access, up to a part that all lanes
// share.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Report/BankConflicts.h"

namespace tilec::report {

/// For each instruction that is an LDS read or write the byte address of each lane, up to one
/// offset that all lanes share; absent where it is not known, for accesses of two places, and for
/// other instructions.
std::vector<std::optional<LaneValues>> sharedAddresses(const KernelCode &kernel);

} // namespace tilec::report
