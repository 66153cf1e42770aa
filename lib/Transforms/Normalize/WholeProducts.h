//===- WholeProducts.h - products whose author cuts K by hand -------------===//
//
// Takes a program, makes one product of a serial loop whose rounds multiply the steps of two shared
// tiles along K.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// Copies are `tile.copy`.
void joinWholeProducts(tile::ProgramOp program);

} // namespace tilec
