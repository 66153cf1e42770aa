//===- Workers.h - measure in child processes -----------------------------===//
//
// A kernel that hangs or faults takes its process, and on a GPU its context, along.
// So measurements run in a child that is forked before any driver is opened, one
// after another; when it dies or takes too long, the next one is measured in a new
// child.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "TuneSpace.h"

#include <functional>

namespace tilec {

/// What a child says about one candidate. Only status, message and us travel.
struct Measured {
  TuneOutcome outcome;
  bool endsWorker = false; ///< the device is not to be used any more: a fault has poisoned it
};

/// Runs `measure(i)` for i in `indices`, in order, in children of this process, and hands each
/// outcome to `done` in this one. A child that says nothing for `timeoutSeconds` is killed.
void measureInChildren(const std::vector<size_t> &indices, double timeoutSeconds,
                       const std::function<Measured(size_t)> &measure,
                       const std::function<void(size_t, TuneOutcome)> &done);

} // namespace tilec
