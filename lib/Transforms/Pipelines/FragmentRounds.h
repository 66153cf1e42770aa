//===- FragmentRounds.h - fragments are read a round ahead -----------------===//
//
// Takes a loop that brings tensors to fragments and nothing to shared memory, lets each round read
// what the next one uses, as soon as it has used its own.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Pipelines/Ahead.h"

#include "tilec/Target/Target.h"

#include "llvm/ADT/SetVector.h"

#include <vector>

namespace tilec {

class FragmentRounds {
public:
  /// Finds the moves of whole tiles from tensors to fragments. Changes nothing.
  FragmentRounds(tile::ForOp loop, const TargetInfo &chip);
  FragmentRounds(const FragmentRounds &) = delete;
  FragmentRounds &operator=(const FragmentRounds &) = delete;

  /// Whether all that lanes read of tensors in a round is that, the places are known a round
  /// before, a wait leaves other reads in flight, and registers have room.
  bool fits();
  void expand();

private:
  /// A fragment that is filled by a move, and the last op of the round that reads it. `waiting`:
  /// it has the tensor's elements, and the move, which converts them, is that op.
  struct Read {
    tile::MoveOp move;
    mlir::Operation *last = nullptr;
    bool converts = false;
    tile::AllocOp waiting;
  };

  std::optional<Read> readBy(tile::MoveOp move);
  /// Whether the op can be done in parts, of which each reads its elements of the fragments.
  bool hasParts(mlir::Operation *last);
  /// Whether registers hold what waits beside the fragments.
  bool haveRoom();
  bool readsTensor(mlir::Operation *op);
  bool isFirstAccess(tile::MoveOp move, mlir::Value fragment);
  void makeWaiting(Read &read);
  /// Reads that are done behind the op.
  llvm::SmallVector<Read *> readsBehind(mlir::Operation *last);
  llvm::SetVector<mlir::Operation *> lastOps();
  tile::ElementLoop readRound(Read &read, mlir::IRMapping mapping);
  void readFirst();
  void keepOrder();
  void convertWaiting(Read &read);
  void readBehind(mlir::Operation *last, const mlir::IRMapping &next);

  tile::ForOp loop;
  const TargetInfo &chip;
  mlir::OpBuilder builder;
  OtherRounds rounds;
  Accesses all;
  std::vector<Read> reads;
  bool isAll = true;
};

} // namespace tilec
