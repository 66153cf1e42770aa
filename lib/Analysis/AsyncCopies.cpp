//===- AsyncCopies.cpp - what travels while a round computes ---------------===//
//
// Takes a loop, looks at the loops over elements of its body and of branches there.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Analysis/AsyncCopies.h"

#include "tilec/Analysis/Buffers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {
namespace {

/// Loops over elements of the block and of its branches.
void collectMoves(Block &block, SmallVector<tile::ElementLoop> &moves) {
  for (Operation &op : block) {
    if (auto move = dyn_cast<tile::ElementLoop>(op))
      moves.push_back(move);
    else if (isa<scf::IfOp>(op))
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          collectMoves(inner, moves);
  }
}

} // namespace

bool readsNextRound(tile::ForOp loop) {
  SmallVector<tile::ElementLoop> moves;
  collectMoves(*loop.bodyBlock(), moves);
  llvm::SmallPtrSet<Value, 4> written;
  for (tile::ElementLoop move : moves) {
    Accesses accesses = accessesOf(move);
    if (anyShared(accesses.writes))
      written.insert(accesses.reads.begin(), accesses.reads.end());
    if (anyGlobal(accesses.reads) &&
        llvm::any_of(accesses.writes, [&](Value v) { return written.contains(v); }))
      return true;
  }
  return false;
}

} // namespace tilec
