//===- Persistent.cpp - one block a multiprocessor, many tiles a block ----===//
//
// The grid becomes as many blocks as run at once; each takes every so many-th tile of
// the former grid, in groups of rows so that tiles that run together share operands in
// L2. The producer goes on with the next tile's copies while the others store.
//
// The blocks of a cluster are neighbours along the grid, and so are their tiles: the
// cluster takes every so many-th group of tiles, each of its blocks the one of its rank.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/Persistent.h"

#include "tilec/Analysis/Index.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {
namespace {

/// Rows of tiles that run together when the author says nothing; 8 and 16 are what open kernels use
/// (docs/machine-code/hopper.md).
constexpr int64_t usualPanel = 8;

Value times(OpBuilder &b, Location loc, Value x, Value y) {
  auto a = tile::constantInt(x), c = tile::constantInt(y);
  if (a && c)
    return arith::ConstantIndexOp::create(b, loc, *a * *c);
  return arith::MulIOp::create(b, loc, x, y);
}

Value ceilQuotient(OpBuilder &b, Location loc, Value x, int64_t by) {
  if (auto known = tile::constantInt(x))
    return arith::ConstantIndexOp::create(b, loc, (*known + by - 1) / by);
  return arith::CeilDivSIOp::create(b, loc, x, arith::ConstantIndexOp::create(b, loc, by));
}

/// The former block coordinates of tile number `linear`.
SmallVector<Value, 3> coordinatesOf(OpBuilder &b, Location loc, Value linear, ValueRange grid,
                                    int64_t panel, bool byColumn) {
  auto div = [&](Value x, Value y) { return arith::DivUIOp::create(b, loc, x, y).getResult(); };
  auto rem = [&](Value x, Value y) { return arith::RemUIOp::create(b, loc, x, y).getResult(); };
  if (grid.size() == 1)
    return {linear};
  Value plane = times(b, loc, grid[0], grid[1]);
  SmallVector<Value, 3> ids(grid.size());
  if (grid.size() == 3) {
    ids[2] = div(linear, plane);
    linear = rem(linear, plane);
  }
  size_t fast = byColumn ? 1 : 0, slow = 1 - fast;
  Value size = arith::ConstantIndexOp::create(b, loc, panel);
  Value groupTiles = times(b, loc, grid[fast], size);
  Value first = arith::MulIOp::create(b, loc, div(linear, groupTiles), size);
  Value left = arith::SubIOp::create(b, loc, grid[slow], first);
  Value rows = arith::MinUIOp::create(b, loc, left, size);
  Value inGroup = rem(linear, groupTiles);
  ids[slow] = arith::AddIOp::create(b, loc, first, rem(inGroup, rows));
  ids[fast] = div(inGroup, rows);
  return ids;
}

/// The same with one dimension first and the others in order.
SmallVector<Value, 3> coordinatesFrom(OpBuilder &b, Location loc, Value linear, ValueRange grid,
                                      unsigned fastDim) {
  SmallVector<Value, 3> ids(grid.size());
  SmallVector<unsigned, 3> order = {fastDim};
  for (unsigned d = 0; d < grid.size(); ++d)
    if (d != fastDim)
      order.push_back(d);
  for (unsigned d : ArrayRef(order).drop_back()) {
    ids[d] = arith::RemUIOp::create(b, loc, linear, grid[d]);
    linear = arith::DivUIOp::create(b, loc, linear, grid[d]);
  }
  ids[order.back()] = linear;
  return ids;
}

/// What follows the product is left out where `inside` does not hold.
void guardRest(OpBuilder &b, tile::ForOp product, Value inside) {
  SmallVector<Operation *> rest;
  for (Operation *op = product->getNextNode(); op; op = op->getNextNode())
    rest.push_back(op);
  b.setInsertionPointAfter(product);
  auto branch = scf::IfOp::create(b, product.getLoc(), inside, /*withElseRegion=*/false);
  for (Operation *op : rest)
    op->moveBefore(branch.thenBlock()->getTerminator());
}

} // namespace

void makePersistent(tile::KernelOp kernel, const TargetInfo &target, const Product &product,
                    const ProductPlan &plan, std::optional<unsigned> fastDim) {
  OpBuilder b(kernel);
  Location loc = kernel.getLoc();
  SmallVector<Value, 3> grid(kernel.getGrid());
  int64_t cluster = std::max(plan.clusterM, plan.clusterN);
  int dim = plan.clusterM > 1 ? product.dimM : product.dimN;
  Value extent = cluster > 1 ? grid[dim] : Value();
  Value blocksOfCluster = arith::ConstantIndexOp::create(b, loc, cluster);
  if (extent)
    grid[dim] = ceilQuotient(b, loc, extent, cluster);
  Value tiles = grid[0]; // of whole clusters
  for (Value size : ArrayRef(grid).drop_front())
    tiles = times(b, loc, tiles, size);
  std::optional<int64_t> known = tile::constantInt(tiles);
  int64_t most = target.units / cluster;
  if (known && *known <= most && cluster == 1 && plan.teams == 1)
    return;
  // Every team of a block has work, where there is enough.
  Value wanted = plan.teams > 1 ? ceilQuotient(b, loc, tiles, plan.teams) : tiles;
  Value limit = arith::ConstantIndexOp::create(b, loc, most), clusters = limit;
  if (std::optional<int64_t> count = tile::constantInt(wanted))
    clusters = arith::ConstantIndexOp::create(b, loc, std::min(*count, most));
  else
    clusters = arith::MinSIOp::create(b, loc, wanted, limit);
  Value blocks = times(b, loc, clusters, blocksOfCluster);

  Block &body = kernel.getBody().front();
  SmallVector<Operation *> ops;
  for (Operation &op : body)
    ops.push_back(&op);
  b.setInsertionPointToStart(&body);
  Value first = body.getArgument(0), rank;
  if (cluster > 1) {
    rank = tile::ClusterRankOp::create(b, loc, b.getIndexType());
    first = arith::DivUIOp::create(b, loc, first, blocksOfCluster);
  }
  auto loop = tile::ForOp::create(b, loc, first, tiles, clusters);
  loop.setPersistent(cluster);
  b.setInsertionPointToStart(loop.bodyBlock());
  bool byColumn = kernel.getRasterByColumn();
  int64_t panel = kernel.getRasterPanel() > 1 ? int64_t(kernel.getRasterPanel()) : usualPanel;
  if (cluster > 1 && dim == (byColumn ? 0 : 1))
    panel = std::max<int64_t>(1, panel / cluster);
  SmallVector<Value, 3> ids = fastDim ? coordinatesFrom(b, loc, loop.iv(), grid, *fastDim)
                                      : coordinatesOf(b, loc, loop.iv(), grid, panel, byColumn);
  Value inside;
  if (cluster > 1) {
    ids[dim] = arith::AddIOp::create(b, loc, times(b, loc, ids[dim], blocksOfCluster), rank);
    if (tile::constantInt(extent).value_or(1) % cluster != 0)
      inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, ids[dim], extent);
  }
  for (auto [d, id] : llvm::enumerate(ids))
    if (std::optional<int64_t> size = tile::constantInt(grid[d]); size && id.getDefiningOp())
      id = tile::BelowOp::create(b, loc, b.getIndexType(), id,
                                 int64_t(d) == dim && cluster > 1 ? *size * cluster : *size);
  llvm::SmallPtrSet<Operation *, 16> moved(ops.begin(), ops.end());
  for (auto [argument, id] : llvm::zip(body.getArguments(), ids))
    argument.replaceUsesWithIf(id, [&](OpOperand &use) {
      Operation *user = use.getOwner();
      return moved.contains(body.findAncestorOpInBlock(*user));
    });
  for (Operation *op : ops)
    op->moveBefore(loop.bodyBlock(), loop.bodyBlock()->end());
  if (inside)
    guardRest(b, product.loop.loop, inside);
  body.eraseArguments(1, body.getNumArguments() - 1);
  kernel.getGridMutable().assign(blocks);
  kernel.setRasterPanel(0);
  kernel.setCluster(cluster);
  kernel.setTeams(plan.teams);
}

Value rankInCluster(tile::KernelOp kernel) {
  for (auto rank : kernel.getBody().getOps<tile::ClusterRankOp>())
    return rank;
  return {};
}

} // namespace tilec
