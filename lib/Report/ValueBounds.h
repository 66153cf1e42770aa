//===- ValueBounds.h - what a register cannot be less or more than --------===//
//
// Takes a vector instruction whose result is not known, and bounds of its operands. Gives bounds of
// the result in every lane, as of a byte that memory holds or of a field that is masked out: what
// such a number names lies in a stretch of shared memory.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Report/Disassembly.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace tilec::report {

/// An unsigned number of each lane is from `least` to `most`.
struct Bounds {
  uint32_t least = 0, most = ~uint32_t(0);
};

/// Nothing where the instruction may leave any number. `boundsOf` is asked for each input by its
/// text (`v4`, `0x80`). All lanes are on.
std::optional<Bounds>
boundsOfResult(const Instruction &instr,
               llvm::function_ref<std::optional<Bounds>(llvm::StringRef)> boundsOf);

} // namespace tilec::report
