//===- Coverage.h - what the generated programs use -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <vector>

namespace tilec::fuzz {

/// Generates the programs of `seeds`, prints how many use each construct, and
/// says which are used by too few. False when there is one.
bool checkCoverage(const std::vector<uint64_t> &seeds);

} // namespace tilec::fuzz
