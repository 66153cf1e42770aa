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

/// Whether nothing behind the move uses what it brings in the same round; other parts of a loop use
/// other elements.
bool isOfNextRound(tile::MoveOp move, Value fragment) {
  auto part = tile::ElementLoop(move).getPart();
  for (Operation *op = move->getNextNode(); op; op = op->getNextNode()) {
    auto loop = dyn_cast<tile::ElementLoop>(op);
    bool isOtherPart = part && loop && loop.getPart() && (*loop.getPart())[0] > (*part)[0];
    if (!isOtherPart && llvm::is_contained(accessesOf(op).reads, fragment))
      return false;
  }
  return true;
}

/// Whether a move brings a tensor to a fragment that ops in front of it have read: the next
/// round's.
bool readsFragmentsAhead(tile::ForOp loop) {
  llvm::SmallPtrSet<Value, 4> read, written;
  for (Operation &op : *loop.bodyBlock()) {
    Accesses accesses = accessesOf(&op);
    auto move = dyn_cast<tile::MoveOp>(op);
    Value to = move ? rootOf(move.store().getBuffer()) : Value();
    if (move && anyGlobal(accesses.reads) && read.contains(to) && isOfNextRound(move, to))
      return true;
    for (Value root : accesses.reads)
      if (cast<tile::BufferType>(root.getType()).isFragment() && !written.contains(root))
        read.insert(root);
    written.insert(accesses.writes.begin(), accesses.writes.end());
  }
  return false;
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
  return readsFragmentsAhead(loop);
}

bool hasOneRound(tile::ForOp loop) {
  std::optional<int64_t> lower = tile::constantInt(loop.getLower()),
                         upper = tile::constantInt(loop.getUpper()),
                         step = tile::constantInt(loop.getStep());
  return lower && upper && step && *step > 0 && *lower + *step >= *upper;
}

} // namespace tilec
