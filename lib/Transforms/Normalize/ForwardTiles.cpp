//===- ForwardTiles.cpp - shared tiles that only pass elements on ---------===//
//
// Looks for shared tiles that only bring elements of a tensor, converted, to one fragment of the
// same block: no asynchronous copy could fill them, and the fragment's own loads wait for no
// barrier.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/ForwardOperands.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_FORWARDTILESPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Whether every value of the one type is one of the other.
bool widens(Type from, Type to) {
  return from != to && to.isF32() && tile::scalarTypeOf(from).isF32();
}

/// The copy that fills the tile from a tensor and the one that reads it into registers, the only
/// uses of it, where no asynchronous copy could bring it: it is converted on the way.
std::optional<std::pair<tile::CopyOp, tile::CopyOp>> passage(tile::AllocOp tile) {
  SmallVector<Operation *> users = usersBehindViews(tile.getResult());
  if (!tile.getResult().getType().isShared() || users.size() != 2)
    return std::nullopt;
  tile::CopyOp in, out;
  for (Operation *user : users) {
    auto copy = dyn_cast<tile::CopyOp>(user);
    if (copy && rootOf(copy.getDst()) == tile.getResult() && isWholeRoot(copy.getDst()))
      in = copy;
    else if (copy && rootOf(copy.getSrc()) == tile.getResult() && isWholeRoot(copy.getSrc()))
      out = copy;
  }
  if (!in || !out || in->getBlock() != out->getBlock() || !in->isBeforeInBlock(out) ||
      !in.getSrc().getType().isGlobal() || !out.getDst().getType().isFragment() ||
      !widens(in.getSrc().getType().getElementType(), tile.getResult().getType().getElementType()))
    return std::nullopt;
  // The tensor is read later, and may be another one that a caller gave twice.
  auto isGlobal = [](Value root) { return cast<tile::BufferType>(root.getType()).isGlobal(); };
  for (Operation *op = in->getNextNode(); op != out; op = op->getNextNode())
    if (llvm::any_of(accessesOf(op).writes, isGlobal) ||
        isa<tile::SyncThreadsOp, tile::GridSyncOp>(op))
      return std::nullopt;
  return std::pair(in, out);
}

} // namespace

/// Takes copies that are ops, before tile-lower-copies.
static void forwardTiles(tile::ProgramOp program) {
  program.walk([](tile::AllocOp tile) {
    if (auto found = passage(tile)) {
      auto [in, out] = *found;
      out.getSrcMutable().assign(in.getSrc());
      in.erase();
    }
  });
}

namespace {
struct ForwardTilesPass : impl::ForwardTilesPassBase<ForwardTilesPass> {
  void runOnOperation() override { forwardTiles(getOperation()); }
};
} // namespace

} // namespace tilec
