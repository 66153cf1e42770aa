//===- SplitProduct.cpp - K among the blocks of a cluster ------------------===//
//
// A product with few tiles and a long K leaves most of the chip idle: 16 tiles of 128 x 128 keep
// 16 multiprocessors busy. Where the chip has clusters, one of them takes a tile together, each
// block a run of the rounds along K:
//
//   for k of this block { C += A B }         the author's loop, with fewer rounds
//   partial = C                              shared memory
//   cluster barrier
//   rows = sum over blocks of their partial  of 1 / blocks of the tile's rows, others' by DSMEM
//   cluster barrier
//   what followed, on these rows             by each block on its own
//
// Each block begins with its own partial sums and goes on with those of its neighbours, so that no
// two ask the same block at once: 8 that all began with the first took 2.4 us more for 128 x 128
// (docs/numbers/hopper-trials.md). The order is the same in every run, and so are results. What
// follows the loop may only pass rows on and change them one by one.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/Stores.h"
#include "Memory/SharedMemory.h"
#include "Roles/PlainProduct.h"
#include "Roles/Product.h"
#include "Roles/RingSlots.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Base/Math.h"
#include "tilec/IR/Tile/Uniformity.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_SPLITPRODUCTSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

constexpr int64_t fewestRounds = 4; ///< of a block: with fewer its ring is never full
/// Up to such a part of the chip's units, tiles leave it idle.
constexpr double fewTiles = 0.5;

/// A kernel that is one product, as its author wrote it.
struct SplitProduct {
  tile::KernelOp kernel;
  tile::ForOp loop;
  tile::GemmOp gemm;
  tile::AllocOp sum; ///< C, which holds zeros in front of the loop
  int64_t tiles = 1, rounds = 0;
  /// What follows the loop, with the buffers of which it touches row i in iteration i.
  SmallVector<Operation *> rest;
  llvm::SetVector<Value> byRow;
};

/// Whether C is zero in front of the loop, and nothing else stands there that counts.
bool startsAtZero(SplitProduct &product) {
  bool isZeroed = false;
  for (Operation &op : product.kernel.getBody().front()) {
    if (&op == product.loop)
      return isZeroed;
    auto fill = dyn_cast<tile::FillOp>(op);
    if (fill && fill.getDst() == product.sum.getResult()) {
      if (!isZero(fill.getValue()))
        return false;
      isZeroed = true;
      continue;
    }
    Accesses accesses = accessesOf(&op);
    if (llvm::is_contained(accesses.reads, product.sum.getResult()) ||
        llvm::is_contained(accesses.writes, product.sum.getResult()) ||
        llvm::any_of(accesses.writes,
                     [](Value root) { return cast<tile::BufferType>(root.getType()).isGlobal(); }))
      return false;
  }
  return false;
}

bool hasRows(Value buffer, int64_t rows) {
  auto type = cast<tile::BufferType>(buffer.getType());
  return buffer.getDefiningOp<tile::AllocOp>() && type.rank() > 0 && type.getShape()[0] == rows;
}

/// Takes a loop over elements that leaves a row of what it writes to the row's iteration.
bool takeLoop(tile::ElementLoop loop, SplitProduct &product) {
  std::optional<SmallVector<int64_t, 4>> extents = loop.constantExtents();
  if (!extents || loop.getPart() || loop.getLayoutAttr() || loop->getParentOp() != product.kernel)
    return false;
  const int64_t rows = product.gemm.m();
  bool isWhole = (*extents)[0] == rows, touches = false, isPlain = true;
  Value row = loop.ivs()[0];
  // What it writes comes from rows where it reads some: first which that is.
  loop->walk([&](tile::LoadOp load) { touches |= product.byRow.contains(load.getBuffer()); });
  loop->walk([&](Operation *op) {
    std::optional<ElementAccess> access = elementAccess(op);
    if (!access) {
      isPlain &= op == loop || isa<scf::IfOp, scf::YieldOp>(op) ||
                 (op->getNumRegions() == 0 && isMemoryEffectFree(op));
      return;
    }
    auto type = cast<tile::BufferType>(access->buffer.getType());
    bool isWrite = !isa<tile::LoadOp>(op);
    if (isWrite && !touches) {
      isPlain &= !type.isGlobal() && !product.byRow.contains(access->buffer); // every block would
      return;
    }
    if (isWrite && !type.isGlobal() && !product.byRow.contains(access->buffer)) {
      isPlain &= hasRows(access->buffer, rows) && isa<tile::StoreOp>(op);
      product.byRow.insert(access->buffer);
    }
    if (product.byRow.contains(access->buffer))
      isPlain &=
          isWhole && access->indices[0] == row &&
          llvm::none_of(access->indices.drop_front(), [&](Value v) { return dependsOn(v, row); });
    else if (!type.isGlobal() && !type.isShared())
      isPlain &= llvm::none_of(access->indices, [&](Value v) { return dependsOn(v, row); });
  });
  return isPlain && (!touches || isWhole);
}

/// Takes a copy of all rows, to another buffer of the block or to a box of a tensor.
bool takeCopy(tile::CopyOp copy, SplitProduct &product) {
  Value from = copy.getSrc(), to = copy.getDst();
  if (!product.byRow.contains(from))
    return !copy.getDst().getType().isGlobal() && !product.byRow.contains(rootOf(to)) &&
           !product.byRow.contains(rootOf(from));
  auto box = to.getDefiningOp<tile::SubviewOp>();
  bool isBox = box && plainTensorOf(box.getSource()) &&
               copy.getDst().getType().getShape() == copy.getSrc().getType().getShape();
  if (isBox)
    return true;
  product.byRow.insert(to);
  return hasRows(to, product.gemm.m()) && cast<tile::BufferType>(to.getType()).isShared();
}

/// Whether what follows the loop can be done by rows.
bool takeRest(SplitProduct &product) {
  product.byRow.insert(product.sum.getResult());
  for (Operation *op = product.loop->getNextNode(); op; op = op->getNextNode()) {
    product.rest.push_back(op);
    if (auto loop = dyn_cast<tile::ElementLoop>(op)) {
      if (!takeLoop(loop, product))
        return false;
    } else if (auto copy = dyn_cast<tile::CopyOp>(op)) {
      if (!takeCopy(copy, product))
        return false;
    } else if (!isa<tile::AllocOp>(op) && !(isMemoryEffectFree(op) && op->getNumRegions() == 0)) {
      return false;
    }
  }
  // What is written by rows is there for no other block: no row of a tensor is read again.
  Accesses accesses;
  for (Operation *top : product.rest)
    top->walk([&](Operation *op) {
      if (op->getNumRegions() != 0)
        return;
      Accesses own = accessesOf(op);
      accesses.writes.append(own.writes);
      auto update = dyn_cast<tile::AtomicOp>(op);
      if (!update || !update.getOld().use_empty()) // else nobody sees what was there
        accesses.reads.append(own.reads);
    });
  if (llvm::any_of(accesses.reads, [&](Value root) {
        return cast<tile::BufferType>(root.getType()).isGlobal() &&
               isChangedBy(accesses.writes, root);
      }))
    return false;
  // All that touches a buffer of rows is what was taken.
  auto isTaken = [&](Operation *user) {
    Operation *top = product.kernel.getBody().front().findAncestorOpInBlock(*user);
    return llvm::is_contained(product.rest, top) &&
           (isa<tile::CopyOp>(user) || elementAccess(user).has_value());
  };
  return llvm::all_of(product.byRow, [&](Value buffer) {
    return llvm::all_of(buffer.getUsers(), [&](Operation *user) {
      bool isProduct = user == product.gemm || isa<tile::FillOp>(user);
      return isTaken(user) || (buffer == product.sum.getResult() && isProduct);
    });
  });
}

std::optional<SplitProduct> splitProductOf(tile::KernelOp kernel) {
  SplitProduct product;
  product.kernel = kernel;
  product.loop = onlyLoop(kernel);
  if (kernel.getLockstep() || kernel.getCluster() > 1 || tile::hasGridSync(kernel) ||
      !product.loop || !isFreeLoop(product.loop))
    return std::nullopt;
  product.gemm = onlyGemmOf(product.loop);
  product.sum = product.gemm ? product.gemm.getC().getDefiningOp<tile::AllocOp>() : nullptr;
  if (!product.sum || !product.sum.getResult().getType().isFragment())
    return std::nullopt;
  product.rounds = *tile::constantInt(product.loop.getUpper());
  std::optional<int64_t> blocks = kernel.blocksOfGrid();
  if (!blocks)
    return std::nullopt;
  product.tiles = *blocks;
  for (tile::AllocOp alloc : kernel.getBody().getOps<tile::AllocOp>())
    if (alloc.getLayout()) // the author's
      return std::nullopt;
  if (!startsAtZero(product) || !takeRest(product))
    return std::nullopt;
  return product;
}

/// Tiles of the operand that `copy` brings: blocks that differ otherwise bring the same.
int64_t tilesOf(tile::KernelOp kernel, tile::CopyOp copy) {
  int64_t tiles = 1;
  for (auto [dim, extent] : llvm::enumerate(kernel.getGrid()))
    if (dependsOn(copy.getSrc(), kernel.getBody().getArgument(dim)))
      tiles *= *tile::constantInt(extent);
  return tiles;
}

/// Whether some of the copied tensors come to the chip once for each tile: no two blocks share
/// them, which would drift apart when they are twice as many (128 x 4096 x 14336 in tiles of 64 x
/// 128: 57 us instead of 48).
bool hasOneRow(SplitProduct &product) {
  auto copies = product.loop.bodyBlock()->getOps<tile::CopyOp>();
  return llvm::any_of(
      copies, [&](tile::CopyOp copy) { return tilesOf(product.kernel, copy) == product.tiles; });
}

/// Whether a ring of two slots fits beside the partial sums and what a block of so many that share
/// a tile has else.
bool fits(SplitProduct &product, int64_t sumBytes, int64_t blocks, const TargetInfo &target) {
  SharedMemory memory(product.kernel, target, FilledBuffers::FromStart);
  memory.addBehind(product.loop, sumBytes);
  for (Value buffer : product.byRow)
    if (auto alloc = buffer.getDefiningOp<tile::AllocOp>(); alloc.getResult().getType().isShared())
      memory.setBytes(alloc, bytesOfBuffer(alloc) / blocks);
  SmallVector<RingSlot, 3> rings;
  for (Value operand : product.gemm->getOperands())
    if (auto alloc = operand.getDefiningOp<tile::AllocOp>();
        alloc && alloc.getResult().getType().isShared())
      rings.push_back({alloc, bytesOfBuffer(alloc)});
  return memory.hasRoomFor(rings, 2);
}

/// How many blocks share a tile: as many as the chip runs at once, as long as twice as many save
/// more than their sum costs. 1: none.
int64_t blocksOfTile(SplitProduct &product, const TargetInfo &target) {
  tile::BufferType type = product.sum.getResult().getType();
  int64_t sumBytes = storageBytes(tile::dtypeOf(type.getElementType()), type.numElems());
  if (product.tiles > fewTiles * target.units && !hasOneRow(product))
    return 1;
  const ClusterSums &sums = target.clusterSums;
  double cost = double(sums.clocks) + double(sumBytes) / double(sums.bytesPerClock);
  int64_t round = target.clocks.roundOfCopies + clocksOfRound(product.loop, target), best = 1;
  for (int64_t blocks = 2; blocks <= target.mostOfCluster; blocks *= 2) {
    int64_t own = ceilDiv(product.rounds, blocks);
    int64_t atOnce = blocks > 2 ? target.clusterUnits : target.units;
    bool hasWork = own >= fewestRounds && (blocks - 1) * own < product.rounds;
    // The sum of two costs most of what that of more does.
    double saved = double(ceilDiv(product.rounds, best) - own) * double(round);
    if (product.tiles * blocks > atOnce || product.gemm.m() % blocks != 0 || !hasWork ||
        saved <= cost * (best == 1 ? 1.5 : 0.25) || !fits(product, sumBytes, blocks, target))
      break;
    best = blocks;
  }
  return best;
}

class Splitting {
public:
  Splitting(SplitProduct &product, int64_t blocks, const TargetInfo &target)
      : product(product), kernel(product.kernel), target(target), blocks(blocks),
        rows(product.gemm.m() / blocks), b(product.kernel), loc(product.loop.getLoc()) {}

  void run() {
    growGrid();
    shareRounds();
    addPartials();
    for (Operation *op : product.rest)
      if (auto loop = dyn_cast<tile::ElementLoop>(op))
        narrow(loop);
      else if (auto copy = dyn_cast<tile::CopyOp>(op))
        narrow(copy);
    for (Value buffer : product.byRow)
      if (buffer != product.sum.getResult())
        narrow(buffer.getDefiningOp<tile::AllocOp>());
  }

private:
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  void growGrid();
  void shareRounds();
  void addPartials();
  void narrow(tile::ElementLoop loop);
  void narrow(tile::CopyOp copy);
  void narrow(tile::AllocOp alloc);

  SplitProduct &product;
  tile::KernelOp kernel;
  const TargetInfo &target;
  int64_t blocks, rows; ///< of a cluster; of a block
  OpBuilder b;
  Location loc;
  Value rank, firstRow;
  tile::AllocOp total; ///< the block's rows of the sum
};

/// Neighbours along the grid's first dimension share what was one block's.
void Splitting::growGrid() {
  int64_t extent = *tile::constantInt(kernel.getGrid()[0]);
  kernel.getGridMutable()[0].assign(index(extent * blocks));
  kernel.setRasterPanel(0);
  kernel.setCluster(blocks);
  Block &body = kernel.getBody().front();
  b.setInsertionPointToStart(&body);
  rank = tile::ClusterRankOp::create(b, loc, b.getIndexType());
  Value id = body.getArgument(0);
  auto tile = arith::DivUIOp::create(b, loc, id, index(blocks));
  auto below = tile::BelowOp::create(b, loc, b.getIndexType(), tile, extent);
  id.replaceAllUsesExcept(below, tile);
  firstRow = arith::MulIOp::create(b, loc, rank, index(rows));
}

void Splitting::shareRounds() {
  tile::ForOp loop = product.loop;
  int64_t own = ceilDiv(product.rounds, blocks);
  b.setInsertionPoint(loop);
  Value first = arith::MulIOp::create(b, loc, rank, index(own));
  if (own * blocks != product.rounds) {
    Value end = arith::AddIOp::create(b, loc, first, index(own));
    loop.getLowerMutable().assign(first);
    loop.getUpperMutable().assign(arith::MinSIOp::create(b, loc, end, index(product.rounds)));
    return;
  }
  // Every block has as many: the number of rounds stays a constant.
  loop.getUpperMutable().assign(index(own));
  b.setInsertionPointToStart(loop.bodyBlock());
  auto round = arith::AddIOp::create(b, loc, loop.iv(), first);
  loop.iv().replaceAllUsesExcept(round, round);
}

/// The block's rows of the sum of all blocks' accumulators.
void Splitting::addPartials() {
  tile::BufferType type = product.sum.getResult().getType();
  int64_t columns = type.getShape()[1], bits = bitsOf(tile::dtypeOf(type.getElementType()));
  Type scalar = tile::scalarTypeOf(type.getElementType());
  b.setInsertionPointAfter(product.loop);
  auto partial = tile::AllocOp::create(
      b, loc, tile::BufferType::get(type.getShape(), type.getElementType(), tile::Scope::Shared),
      "partial",
      tile::SharedLayoutAttr::get(b.getContext(), SharedLayout::swizzled(type.getShape(), bits)));
  auto move = tile::MoveOp::create(b, loc, ValueRange{index(product.gemm.m()), index(columns)});
  {
    OpBuilder inner = OpBuilder::atBlockEnd(move.bodyBlock());
    Value value =
        tile::LoadOp::create(inner, loc, scalar, product.sum.getResult(), move.ivs(), FloatAttr());
    tile::StoreOp::create(inner, loc, value, partial.getResult(), move.ivs());
  }
  tile::ClusterBarrierOp::create(b, loc, ValueRange());
  // A lane's piece is the widest read, so that neighbours' pieces follow one another.
  FragmentLayout pieces =
      blockedLayout({rows, columns}, target.waveLanes, kernel.getThreads() / target.waveLanes,
                    8 * target.accessBytes / bits);
  total = tile::AllocOp::create(
      b, loc, tile::BufferType::get({rows, columns}, type.getElementType(), tile::Scope::Fragment),
      product.sum.getName(), tile::FragmentLayoutAttr::get(b.getContext(), pieces));
  auto add = tile::ParallelOp::create(b, loc, ValueRange{index(rows), index(columns)});
  {
    OpBuilder inner = OpBuilder::atBlockEnd(add.bodyBlock());
    Value row = arith::AddIOp::create(inner, loc, add.ivs()[0], firstRow);
    Value sum;
    for (int64_t block = 0; block < blocks; ++block) {
      auto part = tile::LoadOp::create(inner, loc, scalar, partial.getResult(),
                                       ValueRange{row, add.ivs()[1]}, FloatAttr());
      if (block > 0)
        part.setBlock(block);
      Value value = part.getResult();
      sum = !sum                     ? value
            : isa<FloatType>(scalar) ? arith::AddFOp::create(inner, loc, sum, value).getResult()
                                     : arith::AddIOp::create(inner, loc, sum, value).getResult();
    }
    tile::StoreOp::create(inner, loc, sum, total.getResult(), add.ivs());
  }
  b.setInsertionPointToEnd(&kernel.getBody().front());
  tile::ClusterBarrierOp::create(b, loc, partial.getResult());
}

void Splitting::narrow(tile::ElementLoop loop) {
  bool touches = false;
  loop->walk([&](Operation *op) {
    std::optional<ElementAccess> access = elementAccess(op);
    touches |= access && product.byRow.contains(access->buffer);
  });
  if (!touches)
    return;
  b.setInsertionPoint(loop);
  loop->setOperand(0, index(rows)); // extents come first
  b.setInsertionPointToStart(loop.bodyBlock());
  auto row = arith::AddIOp::create(b, loc, loop.ivs()[0], firstRow);
  Value first = loop.ivs()[0];
  first.replaceUsesWithIf(row, [&](OpOperand &use) {
    std::optional<ElementAccess> access = elementAccess(use.getOwner());
    return use.getOwner() != row && !(access && product.byRow.contains(access->buffer));
  });
  loop->walk([&](Operation *op) {
    if (elementAccess(op))
      op->replaceUsesOfWith(product.sum.getResult(), total.getResult());
  });
}

void Splitting::narrow(tile::CopyOp copy) {
  if (!product.byRow.contains(copy.getSrc()))
    return;
  copy->replaceUsesOfWith(product.sum.getResult(), total.getResult());
  auto box = copy.getDst().getDefiningOp<tile::SubviewOp>();
  if (!box)
    return;
  b.setInsertionPoint(copy);
  SmallVector<Value> offsets(box.getOffsets());
  ArrayRef<int64_t> dropped = box.getDropped();
  size_t dim = 0;
  while (llvm::is_contained(dropped, int64_t(dim)))
    ++dim;
  offsets[dim] = arith::AddIOp::create(b, loc, offsets[dim], firstRow);
  tile::BufferType type = box.getResult().getType();
  SmallVector<int64_t> shape(type.getShape());
  shape[0] = rows;
  copy.getDstMutable().assign(tile::SubviewOp::create(
      b, box.getLoc(), tile::BufferType::get(shape, type.getElementType(), type.getScope()),
      box.getSource(), offsets, dropped));
}

void Splitting::narrow(tile::AllocOp alloc) {
  tile::BufferType type = alloc.getResult().getType();
  SmallVector<int64_t> shape(type.getShape());
  shape[0] = rows;
  alloc.getResult().setType(tile::BufferType::get(shape, type.getElementType(), type.getScope()));
}

struct SplitProductsPass : impl::SplitProductsPassBase<SplitProductsPass> {
  using SplitProductsPassBase::SplitProductsPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    if (!chip->hasMbarriers() || chip->groups.empty() || (!strategy.empty() && strategy != "auto"))
      return;
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>()) {
      std::optional<SplitProduct> product = splitProductOf(kernel);
      int64_t blocks = product ? blocksOfTile(*product, *chip) : 1;
      if (blocks == 1)
        continue;
      product->loop.emitRemark() << blocks << " blocks share each of the " << product->tiles
                                 << " tiles, each a part of K";
      Splitting(*product, blocks, *chip).run();
    }
  }
};

} // namespace

} // namespace tilec
