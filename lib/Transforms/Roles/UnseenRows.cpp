//===- UnseenRows.cpp - rows that are only stored outside of tensors ------===//
//
// Follows what a loop writes to the stores behind it; UnseenRows.h says what is asked.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/UnseenRows.h"

#include "Roles/Corner.h"
#include "Roles/SymbolicRound.h"

#include "tilec/Analysis/Buffers.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {
namespace {

/// Follows what a loop writes to what is stored of it.
class Finder {
public:
  Finder(tile::ForOp loop, const GroupRows &rows) : loop(loop), rows(rows) {
    for (Value root : accessesOf(loop).writes)
      if (cast<tile::BufferType>(root.getType()).isFragment())
        tainted.insert(root);
  }

  Value run();

private:
  bool touches(ArrayRef<Value> roots) {
    return llvm::any_of(roots, [&](Value root) { return tainted.contains(root); });
  }
  bool follow(Operation &op);
  bool follow(tile::ElementLoop parallel);
  /// Adds that the store is outside.
  bool require(tile::StoreOp store, tile::ElementLoop parallel);

  tile::ForOp loop;
  GroupRows rows;
  llvm::SmallPtrSet<Value, 8> tainted;
  Value all;
};

bool Finder::require(tile::StoreOp store, tile::ElementLoop parallel) {
  auto tensor = store.getBuffer().getDefiningOp<tile::TensorOp>();
  if (!tensor)
    return false;
  auto type = cast<tile::BufferType>(store.getBuffer().getType());
  for (auto [d, index] : llvm::enumerate(store.getIndices())) {
    int64_t extent = type.getShape()[d];
    if (ShapedType::isDynamic(extent) || linearize(index).coefficient(parallel.ivs()[0]) <= 0)
      continue;
    Value first = Corner(parallel, rows).leastOf(index, loop);
    std::optional<IndexRange> range = first ? rangeOf(first) : std::nullopt;
    if (!first || (range && range->high < extent))
      return false;
    OpBuilder b(loop);
    Location loc = loop.getLoc();
    Value isOutside =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, first,
                              arith::ConstantIndexOp::create(b, loc, extent).getResult());
    all = all ? arith::AndIOp::create(b, loc, all, isOutside).getResult() : isOutside;
    return true;
  }
  return false;
}

bool Finder::follow(tile::ElementLoop parallel) {
  auto result = parallel.walk([&](Operation *op) {
    bool isFine = true;
    if (auto load = dyn_cast<tile::LoadOp>(op))
      isFine = !tainted.contains(rootOf(load.getBuffer())) ||
               isDirect(load.getBuffer(), load.getIndices(), parallel);
    else if (auto store = dyn_cast<tile::StoreOp>(op)) {
      isFine = isDirect(store.getBuffer(), store.getIndices(), parallel);
      if (isFine)
        tainted.insert(store.getBuffer());
      else
        isFine = require(store, parallel);
    } else
      isFine = op == parallel || isMemoryEffectFree(op) || isa<scf::IfOp>(op);
    return isFine ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

bool Finder::follow(Operation &op) {
  Accesses accesses = accessesOf(&op);
  if (!touches(accesses.reads) && !touches(accesses.writes))
    return true;
  if (isa<tile::FillOp>(op)) // of each element by itself, with nothing of the loop's
    return true;
  if (auto parallel = dyn_cast<tile::ElementLoop>(op))
    return groupRowsOf(&op) == rows && follow(parallel);
  auto reduce = dyn_cast<tile::ReduceOp>(op);
  if (!reduce || !isWithinRows(reduce) || groupRowsOf(&op) != rows)
    return false;
  tainted.insert(reduce.getDst());
  return true;
}

Value Finder::run() {
  Block *block = loop->getBlock();
  size_t known;
  do { // what is read first may be written later, where loops are around
    known = tainted.size();
    all = {};
    for (Operation *op = loop->getNextNode(); op; op = op->getNextNode())
      if (!follow(*op))
        return {};
  } while (tainted.size() != known);
  for (Value root : tainted)
    for (Operation *user : root.getUsers()) {
      Operation *statement = block->findAncestorOpInBlock(*user);
      if (!statement || (statement->isBeforeInBlock(loop) &&
                         llvm::is_contained(accessesOf(statement).reads, root)))
        return {};
    }
  return all;
}

} // namespace

Value findUnseenRows(tile::ForOp loop, const GroupRows &rows) { return Finder(loop, rows).run(); }

} // namespace tilec
