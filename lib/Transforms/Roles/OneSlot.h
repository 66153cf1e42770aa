//===- OneSlot.h - producers for loops that ask for no ring ----------------===//
//
// Takes loops of two gemms with `num_stages=1`, gives those that a producer serves with one slot a
// tile, and the order in which it fills them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Roles/ProducerLoop.h"

#include "tilec/Target/Target.h"

#include "mlir/IR/IRMapping.h"

namespace tilec {

/// Whether the two gemms of a loop that can be overlapped wait for different tiles, so that one of
/// these is filled while the other is read.
bool fillsBesideGemms(const ProducerLoop &plan);

/// Whether the producer can fill the tiles of the first gemm one round ahead of those of the
/// second, which is the order in which an overlapped loop releases them.
bool canFillFirstAhead(ProducerLoop &plan);

/// Where the copy of the round `iv` copies from, computed anew at the builder's place. `values`
/// maps what stands outside of the loop.
mlir::Value sourceInRound(ProducerLoop &plan, tile::CopyOp copy, mlir::Value iv,
                          const mlir::IRMapping &values, mlir::OpBuilder &b);

} // namespace tilec
