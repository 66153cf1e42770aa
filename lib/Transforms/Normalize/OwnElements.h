//===- OwnElements.h - shared tiles whose elements nobody exchanges -------===//
//
// Takes a program, makes fragments of shared tiles of serial loops whose iterations each keep to an
// element of their own.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// Copies are `tile.copy`, loops over elements `tile.parallel`; kernels that name their threads
/// stay.
void keepOwnElements(tile::ProgramOp program);

} // namespace tilec
