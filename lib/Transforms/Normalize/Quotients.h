//===- Quotients.h - quotients and remainders of places -------------------===//
//
// Takes a kernel of threads, gives quotients and remainders of its places in a form in which
// neighbours share them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// (4 x + 1) / 64 becomes 4 x / 64, and (4 x + 1) % 64 becomes 4 x % 64 + 1: neighbours in a row
/// are seen to be that, and have one quotient.
void shareQuotients(tile::KernelOp kernel);

} // namespace tilec
