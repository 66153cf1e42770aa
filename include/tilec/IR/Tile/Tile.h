//===- Tile.h - the tile dialect ------------------------------------------===//
//
// Includes what TableGen makes of TileOps.td and its kin, and has the questions about element
// types that all users of the dialect ask.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/DType.h"
#include "tilec/IR/Tile/Mma.h"
#include "tilec/IR/Tile/Served.h"
#include "tilec/Layout/FragmentLayout.h"
#include "tilec/Layout/SharedLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tilec {
// Layouts are attribute parameters, so they can be hashed.
llvm::hash_code hash_value(const LinearLayout &layout);
llvm::hash_code hash_value(const FragmentLayout &layout);
llvm::hash_code hash_value(const SharedLayout &layout);
} // namespace tilec

#include "tilec/IR/Tile/TileEnums.h.inc"

#include "tilec/IR/Tile/TileDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tilec/IR/Tile/TileAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tilec/IR/Tile/TileTypes.h.inc"

namespace tilec::tile {
/// Values that all are constant integers.
std::optional<llvm::SmallVector<int64_t, 4>> constantInts(mlir::ValueRange values);
class LoadOp;
class StoreOp;
} // namespace tilec::tile

#include "tilec/IR/Tile/TileInterfaces.h.inc"

#define GET_OP_CLASSES
#include "tilec/IR/Tile/TileOps.h.inc"

namespace tilec::tile {

mlir::Operation *turnInto(ElementLoop loop, llvm::StringRef name,
                          llvm::ArrayRef<mlir::NamedAttribute> own);

/// The element type of a buffer of `dtype`.
mlir::Type elementTypeOf(DType dtype, mlir::MLIRContext *context);
/// Whether buffers may have this element type.
bool isElementType(mlir::Type type);
/// The dtype of an element type; every element type that BufferType accepts has one.
DType dtypeOf(mlir::Type elementType);
/// Of a buffer's elements.
DType dtypeOf(mlir::Value buffer);
/// The type of a scalar that a load from such a buffer gives: f32 for narrow floats, signless
/// integers, i1, f32, f64; i8 for 4-bit integers.
mlir::Type scalarTypeOf(mlir::Type elementType);

/// Of `count` things, the numbers from first to second (without it) that belong to a `part` [i, n];
/// all where there is none.
std::pair<int64_t, int64_t> rangeOfPart(std::optional<llvm::ArrayRef<int64_t>> part, int64_t count);
/// The loop as another operation over the same elements with the same body, with `attributes` of
/// its own; `loop` is gone.
template <typename OpT>
OpT turnInto(ElementLoop loop, llvm::ArrayRef<mlir::NamedAttribute> own = {}) {
  return mlir::cast<OpT>(turnInto(loop, OpT::getOperationName(), own));
}
/// A value that is a constant integer.
std::optional<int64_t> constantInt(mlir::Value value);

/// The condition of the innermost branch around the statement that only some waves of the block
/// take, as one; null: the statement is the whole block's.
OnWavesOp wavesAround(mlir::Operation *statement);

/// Whether what is stored is an element of the same type as a load has brought it: its bits are
/// moved, as a copy does, and an infinity of fp8 stays one.
bool movesElement(StoreOp store);
/// Gives each loop of a program its id (`#tile.loop`), from 1 on, in the order of the program.
void numberLoops(ProgramOp program);
/// The id of the loop that a location is of; 0: it says none.
int64_t loopIdOf(mlir::Location location);
/// The same place in the script, of no loop.
mlir::Location withoutLoopId(mlir::Location location);

/// The number of the barrier that several waves of a branch of their own have, from 1 on; the
/// block's is 0. No two branches that run side by side have the same, as each of them has more than
/// one wave.
inline int64_t barrierOfWaves(int64_t firstWave) { return 1 + firstWave / 2; }
/// The threads that share out a statement of a kernel, or the kernel's.
int64_t threadsAt(mlir::Operation *statement);

} // namespace tilec::tile
