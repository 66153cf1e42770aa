//===- ScheduleWishes.h - what authors ask for, target by target ----------===//
//
// Takes the names that authors gave a loop, leaves the first that the target has, and tells where
// a wish cannot be met.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"
#include "tilec/Target/Target.h"

namespace tilec {

/// The loop will not have the schedule that its author asked for, if there was one: says so, and
/// forgets the wish.
void refuseSchedule(tile::ForOp loop, const llvm::Twine &why);

/// The strategy that the author or the command line (`everyLoop`) asks for.
std::string wishOf(tile::ForOp loop, llvm::StringRef everyLoop);

/// The loop has not all of `wish`, which `wishOf` has said.
void refuseWish(tile::ForOp loop, llvm::StringRef wish, const llvm::Twine &why);

/// `--schedule=` that no loop of the kernel has got.
void refuseEverywhere(tile::KernelOp kernel, llvm::StringRef strategy, const llvm::Twine &why);

} // namespace tilec
