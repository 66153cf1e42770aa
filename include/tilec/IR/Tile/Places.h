//===- Places.h - which place a parameter has in the ABI ------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tilec::tile {

/// On tensors and scalars of a tile.program whose order is not the script's, because scalars stand
/// before the tensors whose extents they are: the number of the parameter in the script.
constexpr llvm::StringRef placeAttrName = "place";

} // namespace tilec::tile
