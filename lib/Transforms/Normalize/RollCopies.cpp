//===- RollCopies.cpp - parts of a tile that are copied one by one --------===//
//
//   copy(W[n, k], t[0:64, :])
//   copy(W[N + n, k], t[64:128, :])     becomes   for i: copy(W[n + i * N, k], t[i * 64:..., :])
//
// as a packed weight's gate and up rows are brought, of which tile-join-row-copies makes one
// operation that fills the tile.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_ROLLCOPIESPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// Copies of equal boxes of a tensor to the rows of a tile, in their order there.
struct Parts {
  SmallVector<tile::CopyOp, 4> copies;
  /// From one part to the next, in each dimension of the tensor.
  SmallVector<int64_t, 4> steps;

  tile::SubviewOp source(size_t n) { return copies[n].getSrc().getDefiningOp<tile::SubviewOp>(); }
  tile::SubviewOp rows(size_t n) { return copies[n].getDst().getDefiningOp<tile::SubviewOp>(); }
};

/// The first row of the tile that the copy fills, whole rows; nothing where it is no part of one.
std::optional<int64_t> firstRowOf(tile::CopyOp copy) {
  auto rows = copy.getDst().getDefiningOp<tile::SubviewOp>();
  auto source = copy.getSrc().getDefiningOp<tile::SubviewOp>();
  if (!rows || !source || !source.getSource().getType().isGlobal() ||
      !rows.getSource().getDefiningOp<tile::AllocOp>())
    return std::nullopt;
  tile::BufferType tile = rows.getSource().getType();
  if (!tile.isShared() || tile.rank() != 2 || rows.getType().rank() != 2 ||
      tile::constantInt(rows.getOffsets()[1]) != 0 ||
      rows.getType().getShape()[1] != tile.getShape()[1])
    return std::nullopt;
  return tile::constantInt(rows.getOffsets()[0]);
}

/// How far the part lies from the first one of the tensor, where that is known.
std::optional<SmallVector<int64_t, 4>> distance(tile::SubviewOp first, tile::SubviewOp part) {
  if (first.getSource() != part.getSource() || first.getType() != part.getType() ||
      first.getDropped() != part.getDropped())
    return std::nullopt;
  SmallVector<int64_t, 4> steps;
  for (auto [from, to] : llvm::zip_equal(first.getOffsets(), part.getOffsets())) {
    LinearForm difference = linearize(to);
    difference.add(linearize(from), -1);
    if (!llvm::all_of(difference.terms, [](auto term) { return term.second == 0; }))
      return std::nullopt;
    steps.push_back(difference.constant);
  }
  return steps;
}

/// Whether the copy is the next part.
bool takes(Parts &parts, tile::CopyOp copy) {
  size_t n = parts.copies.size();
  auto rows = copy.getDst().getDefiningOp<tile::SubviewOp>();
  if (firstRowOf(copy) != int64_t(n) * parts.rows(0).getType().getShape()[0] ||
      rows.getType() != parts.rows(0).getType())
    return false;
  auto steps = distance(parts.source(0), copy.getSrc().getDefiningOp<tile::SubviewOp>());
  if (!steps)
    return false;
  if (n == 1)
    parts.steps = *steps;
  return llvm::all_of(llvm::zip_equal(*steps, parts.steps), [&](auto pair) {
    return std::get<0>(pair) == int64_t(n) * std::get<1>(pair);
  });
}

/// The parts from this copy on that fill its tile; none where others do, or something else happens
/// between them.
Parts partsFrom(tile::CopyOp first) {
  Parts parts{{first}, {}};
  if (firstRowOf(first) != 0)
    return {};
  Value tile = parts.rows(0).getSource();
  for (Operation *op = first->getNextNode(); op; op = op->getNextNode()) {
    auto copy = dyn_cast<tile::CopyOp>(op);
    bool isOther = copy && copy.getSrc().getType().isGlobal() && rootOf(copy.getDst()) != tile;
    if (isOther || (isPure(op) && op->getNumRegions() == 0))
      continue;
    if (!copy || rootOf(copy.getDst()) != tile || !takes(parts, copy))
      return {};
    parts.copies.push_back(copy);
    int64_t rows = parts.rows(0).getType().getShape()[0];
    if (int64_t(parts.copies.size()) * rows == parts.rows(0).getSource().getType().getShape()[0])
      return parts;
  }
  return {};
}

void roll(Parts &parts) {
  OpBuilder b(parts.copies.back());
  Location loc = parts.copies.front().getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto loop =
      tile::ForOp::create(b, loc, constant(0), constant(int64_t(parts.copies.size())), constant(1));
  b.setInsertionPointToEnd(loop.bodyBlock());
  auto move = [&](tile::SubviewOp view, ArrayRef<int64_t> steps) {
    auto moved = cast<tile::SubviewOp>(b.clone(*view));
    for (auto [step, offset] : llvm::zip_equal(steps, moved.getOffsetsMutable())) {
      if (step == 0)
        continue;
      b.setInsertionPoint(moved);
      Value way = arith::MulIOp::create(b, loc, loop.iv(), constant(step));
      bool isFromStart = tile::constantInt(offset.get()) == 0;
      offset.set(isFromStart ? way : Value(arith::AddIOp::create(b, loc, offset.get(), way)));
    }
    b.setInsertionPointToEnd(loop.bodyBlock());
    return moved.getResult();
  };
  Value source = move(parts.source(0), parts.steps);
  Value rows = move(parts.rows(0), {parts.rows(0).getType().getShape()[0], 0});
  auto copy = cast<tile::CopyOp>(b.clone(*parts.copies.front()));
  copy.getSrcMutable().assign(source);
  copy.getDstMutable().assign(rows);
  for (tile::CopyOp part : parts.copies)
    part.erase();
}

struct RollCopiesPass : impl::RollCopiesPassBase<RollCopiesPass> {
  void runOnOperation() override {
    SmallVector<Parts> found;
    getOperation().walk([&](tile::CopyOp copy) {
      auto loop = dyn_cast<tile::ForOp>(copy->getParentOp());
      if (!loop || loop.getKind() != tile::LoopKind::Pipelined || loop.getStages() < 2 ||
          loop->getParentOfType<tile::KernelOp>().getLockstep())
        return;
      if (Parts parts = partsFrom(copy); !parts.copies.empty())
        found.push_back(std::move(parts));
    });
    for (Parts &parts : found)
      roll(parts);
  }
};

} // namespace

} // namespace tilec
