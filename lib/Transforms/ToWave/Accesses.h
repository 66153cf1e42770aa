//===- Accesses.h - loads and stores of elements --------------------------===//
//
// What accesses to memory (Accesses.cpp) and to registers (RegisterAccesses.cpp) share.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "ToWave/Ops.h"

namespace tilec {

LogicalResult loadFragment(Emitter &e, tile::LoadOp load, Elements &elements);
LogicalResult storeFragment(Emitter &e, tile::StoreOp store, Elements &elements);
LogicalResult loadLocal(Emitter &e, tile::LoadOp load, Elements &elements);
LogicalResult storeLocal(Emitter &e, tile::StoreOp store, Elements &elements);

/// Stops the kernel where an index is outside of its buffer, if bounds are checked and it may be.
void trapOutside(Emitter &e, Value buffer, mlir::ValueRange tileIndices, ArrayRef<Value> indices,
                 Value mask);

} // namespace tilec
