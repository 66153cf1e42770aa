//===- Persistent.cpp - one block a multiprocessor, many tiles a block ----===//
//
// The grid becomes as many blocks as run at once; each takes every so many-th tile of
// the former grid, in groups of rows so that tiles that run together share operands in
// L2. The producer goes on with the next tile's copies while the others store.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Hopper/Persistent.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilec {
namespace {

/// Multiprocessors of the SXM parts of H100, H200: CUDA device property. Fewer or more only leave
/// some without work or with more of it.
constexpr int64_t multiprocessors = 132;
/// Rows of tiles that run together when the author says nothing; 8 and 16 are what open kernels use
/// (docs/hopper.md).
constexpr int64_t usualPanel = 8;

Value product(OpBuilder &b, Location loc, Value x, Value y) {
  auto a = tile::constantInt(x), c = tile::constantInt(y);
  if (a && c)
    return arith::ConstantIndexOp::create(b, loc, *a * *c);
  return arith::MulIOp::create(b, loc, x, y);
}

/// The former block coordinates of tile number `linear`.
SmallVector<Value, 3> coordinatesOf(OpBuilder &b, Location loc, Value linear, ValueRange grid,
                                    int64_t panel, bool byColumn) {
  auto div = [&](Value x, Value y) { return arith::DivUIOp::create(b, loc, x, y).getResult(); };
  auto rem = [&](Value x, Value y) { return arith::RemUIOp::create(b, loc, x, y).getResult(); };
  if (grid.size() == 1)
    return {linear};
  Value plane = product(b, loc, grid[0], grid[1]);
  SmallVector<Value, 3> ids(grid.size());
  if (grid.size() == 3) {
    ids[2] = div(linear, plane);
    linear = rem(linear, plane);
  }
  size_t fast = byColumn ? 1 : 0, slow = 1 - fast;
  Value size = arith::ConstantIndexOp::create(b, loc, panel);
  Value groupTiles = product(b, loc, grid[fast], size);
  Value first = arith::MulIOp::create(b, loc, div(linear, groupTiles), size);
  Value left = arith::SubIOp::create(b, loc, grid[slow], first);
  Value rows = arith::MinUIOp::create(b, loc, left, size);
  Value inGroup = rem(linear, groupTiles);
  ids[slow] = arith::AddIOp::create(b, loc, first, rem(inGroup, rows));
  ids[fast] = div(inGroup, rows);
  return ids;
}

} // namespace

bool makePersistent(tile::KernelOp kernel) {
  OpBuilder b(kernel);
  Location loc = kernel.getLoc();
  SmallVector<Value, 3> grid(kernel.getGrid());
  Value tiles = grid[0];
  for (Value extent : ArrayRef(grid).drop_front())
    tiles = product(b, loc, tiles, extent);
  std::optional<int64_t> known = tile::constantInt(tiles);
  if (known && *known <= multiprocessors)
    return false;
  Value most = arith::ConstantIndexOp::create(b, loc, multiprocessors);
  Value blocks = known ? most : arith::MinSIOp::create(b, loc, tiles, most).getResult();

  Block &body = kernel.getBody().front();
  SmallVector<Operation *> ops;
  for (Operation &op : body)
    ops.push_back(&op);
  b.setInsertionPointToStart(&body);
  auto loop = tile::ForOp::create(b, loc, body.getArgument(0), tiles, blocks);
  loop->setAttr("persistent", b.getUnitAttr());
  b.setInsertionPointToStart(loop.bodyBlock());
  int64_t panel = kernel.getRasterPanel() > 1 ? int64_t(kernel.getRasterPanel()) : usualPanel;
  SmallVector<Value, 3> ids =
      coordinatesOf(b, loc, loop.iv(), grid, panel, kernel.getRasterByColumn());
  for (auto [argument, id] : llvm::zip(body.getArguments(), ids))
    argument.replaceUsesWithIf(id, [&](OpOperand &use) { return use.getOwner() != loop; });
  for (Operation *op : ops)
    op->moveBefore(loop.bodyBlock(), loop.bodyBlock()->end());
  body.eraseArguments(1, body.getNumArguments() - 1);
  kernel.getGridMutable().assign(blocks);
  kernel.setRasterPanel(0);
  return true;
}

} // namespace tilec
