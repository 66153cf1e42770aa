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

#include "TuneRecord.h"

#include <functional>

namespace tilec {

/// What a child says about one candidate. Only status, message, us and ratio travel.
struct Measured {
  TuneOutcome outcome;
  bool endsWorker = false; ///< the device is not to be used any more: a fault has poisoned it
};

/// From now on the first interrupt (SIGINT, SIGTERM) makes `isInterrupted` true instead of ending
/// the process; the second one ends it.
void holdInterrupts();
bool isInterrupted();

/// Runs `work` on so many threads of this process. False: an interrupt has come, and not all of
/// them have ended within half a second. They go on by themselves until the process ends: nothing
/// that they use may be destroyed.
bool runUntilInterrupted(unsigned threads, std::function<void()> work);
bool hasThreadsLeft();
/// Gives the code, with which the process ends. Where threads go on, it ends at once.
int endProcess(int code);

/// Runs `measure(i)` for i in `indices`, in order, in children of this process, and hands each
/// outcome to `done` in this one. A child that says nothing for `timeoutSeconds` is killed. What an
/// interrupt leaves unmeasured has no outcome.
void measureInChildren(const std::vector<size_t> &indices, double timeoutSeconds,
                       const std::function<Measured(size_t)> &measure,
                       const std::function<void(size_t, TuneOutcome)> &done);

/// The same with a child for each, `atOnce` of them at a time, for clocks that do not mind: each
/// child knows what `done` was told before it was started. In any order.
void measureAtOnce(const std::vector<size_t> &indices, unsigned atOnce, double timeoutSeconds,
                   const std::function<Measured(size_t)> &measure,
                   const std::function<void(size_t, TuneOutcome)> &done);

} // namespace tilec
