//===- LoopOps.h - what all loops over elements share ----------------------===//
//
// How they are built, read and printed; TileOps.td's Tile_LoopOp calls it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec::tile {

void buildElementLoop(mlir::OpBuilder &builder, mlir::OperationState &state,
                      mlir::ValueRange extents);
mlir::ParseResult parseElementLoop(mlir::OpAsmParser &parser, mlir::OperationState &state);
void printElementLoop(ElementLoop loop, mlir::OpAsmPrinter &printer);

} // namespace tilec::tile
