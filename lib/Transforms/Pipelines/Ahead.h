//===- Ahead.h - what a round of a loop computes, for another round --------===//
//
// Takes a counted loop whose copies or reads run ahead, says what of a round is known before it,
// and computes it for a later one.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Analysis/Buffers.h"
#include "tilec/IR/Tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace tilec {

/// Whether `value` is the same in every iteration but for the induction variable, and computed from
/// nothing that the body stores; with `mayLoad`, elements of tensors that are not written there
/// either, and with `words` no parts of words.
bool isIndexOnly(mlir::Value value, tile::ForOp loop, const Accesses *mayLoad = nullptr,
                 bool words = false);

/// The shared tile that the copy fills, or a part of.
tile::AllocOp tileOf(tile::CopyOp copy);

/// Whether the copy brings a part of its tile.
bool isOfPart(tile::CopyOp copy);

/// Whether only `fill` writes the buffer and only its block reads it, and not before that. A copy
/// of a part does with the copies of the other ones, if each part has one.
bool isFilledBy(mlir::Operation *fill, tile::AllocOp ring);

/// The condition of the loop's body that the op stands under, if it is one: the `if` is of the body
/// itself. Null for what is of the body.
mlir::scf::IfOp branchOf(mlir::Operation *op, tile::ForOp loop);

/// The copies of an `if` of which either side brings a tile to the same buffer, and does nothing
/// else; nothing where it is no such `if`.
llvm::SmallVector<tile::CopyOp, 2> choicesOf(mlir::scf::IfOp branch);

/// The last op of a round that reads one of the buffers or a tensor; null: none does. What lanes
/// read of tensors in front of copies is there without a wait for those.
mlir::Operation *lastReaderOf(llvm::ArrayRef<tile::AllocOp> rings, tile::ForOp loop);

/// Whether places can be behind the tensor along its first dimension alone.
bool canLieOutside(tile::BufferType tensor);
/// A loop that does not run must not touch memory. Bounds are usually constants.
bool mayBeEmpty(tile::ForOp loop);

/// Rounds of a loop by their numbers, from 0 on. What it makes stands where the builder does.
class OtherRounds {
public:
  OtherRounds(tile::ForOp loop, mlir::OpBuilder &builder) : loop(loop), builder(builder) {}

  /// Computes how many there are: in front of the loop, before the others are asked for.
  void countRounds();
  mlir::Value count() const { return rounds; }
  /// The loop's variable in that round, or in the last one, if that comes before.
  mlir::Value variableIn(mlir::Value round);
  /// The number of the round that the body does.
  mlir::Value numberOfBody();
  /// Index arithmetic of the body that gives these values, for the round whose variable `mapping`
  /// has.
  void repeatArithmetic(llvm::SmallVector<mlir::Value> work, mlir::IRMapping &mapping);

private:
  mlir::Value constant(int64_t value);

  tile::ForOp loop;
  mlir::OpBuilder &builder;
  mlir::Value rounds;
};

} // namespace tilec
