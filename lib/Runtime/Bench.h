//===- Bench.h - time runs on a device ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Runtime/Launch.h"

#include <functional>

namespace tilec::rt {

/// Queues one run; runs are counted from 0 so that they can rotate through buffers.
using Contender = std::function<Status(size_t run)>;

/// Times all contenders on `stream`, their samples in turns, so that a change of the clock or of
/// another user's load meets all of them alike.
Result<std::vector<Timing>> timeContenders(const Device &device, Stream &stream,
                                           const std::vector<Contender> &contenders,
                                           const BenchOptions &options);

} // namespace tilec::rt
