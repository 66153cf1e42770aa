//===- FastMath.h - how functions are computed, for a whole compile --------------------===//
//
// The names of the attributes on a module that say how functions of floats are to be computed
// (`--math`, pass configurations).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tilec {

/// On the module (`--math=libs`): functions of f32 are those of the device's library, and nothing
/// is relaxed.
inline constexpr llvm::StringLiteral libraryMathAttrName = "tile.library_math";

} // namespace tilec
