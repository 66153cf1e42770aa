//===- Pool.h - programs in child processes -------------------------------===//
//
// A program that crashes or hangs the compiler is a finding like any other:
// every one runs in a forked child, which takes seeds until there are none.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Runner.h"

namespace tilec::fuzz {

struct Verdict {
  uint64_t seed = 0;
  std::optional<Failure> failure;
  double maxRatio = 0, ms = 0; ///< ms: of the whole program, all devices
};

struct PoolOptions {
  unsigned jobs = 1;
  unsigned timeoutSeconds = 60;                     ///< of one program
  std::function<Verdict(uint64_t seed)> work;       ///< in a child
  std::function<void(const Verdict &verdict)> done; ///< in the caller, in no order
};

/// Calls `work` for every seed. A child that dies is a verdict `crash` or
/// `timeout`.
void runPool(const std::vector<uint64_t> &seeds, const PoolOptions &options);

/// The same for one seed, in one child.
Verdict runIsolated(uint64_t seed, const PoolOptions &options);

} // namespace tilec::fuzz
