//===- FastMath.h - approximations for a whole compile --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tilec {

/// On a tile.program (`--math=fast`): functions, quotients and sums of products of f32 may be the
/// hardware's approximations, whatever becomes of them.
inline constexpr llvm::StringLiteral fastMathAttrName = "fast_math";

} // namespace tilec
