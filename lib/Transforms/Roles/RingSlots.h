//===- RingSlots.h - how many slots a producer's rings have ----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Roles/ProducerLoop.h"

#include "tilec/Target/Target.h"

namespace tilec {

/// Shared memory of a block, in bytes: what it has at most, and what is taken without further
/// slots.
struct SharedBudget {
  int64_t blockBytes = 0, usedBytes = 0;
  bool isPersistent = false; ///< one block a multiprocessor is launched
};

/// Gives the rings of `plans` further slots where copies would else not be under way for as long as
/// they take, and shared memory is left that no other resident block would get. `num_stages` of 2
/// and more is a wish for a ring; loops with `exactSlots` and overlapped ones keep it. Returns the
/// bytes added.
int64_t addSlots(tile::KernelOp kernel, llvm::MutableArrayRef<ProducerLoop> plans,
                 SharedBudget budget, const TargetInfo &target);

} // namespace tilec
