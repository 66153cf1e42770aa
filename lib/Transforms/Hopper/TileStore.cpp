//===- TileStore.cpp - accumulators to global memory through TMA ----------===//
//
// Per chunk: wait until the buffer has been read, stmatrix into it (swizzled, so
// without bank conflicts), fence, and one thread starts the transfer. Rows and columns
// outside the tensor are dropped by TMA.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Hopper/TileStore.h"

#include "Hopper/Wgmma.h"
#include "ToWave/Emitter.h"

#include "tilec/Base/Math.h"

using namespace mlir;

namespace tilec {
namespace {

constexpr int64_t bytesOfRow = 128;

/// The shape behind an accumulator's layout (Wgmma.cpp, planWarpGroupGemm).
bool readLayout(const FragmentLayout &layout, TileStore &store) {
  if (layout.rank() != 2 || layout.waves().empty() || layout.waves().size() > 3 ||
      layout.reps().size() != 1)
    return false;
  ArrayRef<Factor> waves = layout.waves();
  if (!(waves[0] == Factor{0, warpsPerGroup}))
    return false;
  store.slabs = layout.atomRegs() / 4;
  // Factors of 1 are left out.
  for (const Factor &factor : waves.drop_front()) {
    int64_t &groups = factor.dim == 0 ? store.groupsM : store.groupsN;
    bool isInOrder = factor.dim == 1 || (factor.dim == 0 && store.groupsN == 1);
    if (groups != 1 || !isInOrder)
      return false;
    groups = factor.count;
  }
  LayoutInput regs{"register", {{0, 1}, {8 * store.slabs, 0}}};
  for (int64_t s = 1; s < store.slabs; s *= 2)
    regs.bases.push_back({8 * s, 0});
  LayoutInput lanes{"lane", {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}};
  return layout.atom() == LinearLayout(2, {regs, lanes}) && store.rows() <= 256;
}

/// Whether `index` is `iv` plus something that no loop variable moves.
bool isMovedBy(Value index, BlockArgument iv, tile::ParallelOp loop) {
  LinearForm form = linearize(index);
  for (auto [term, factor] : form.terms) {
    auto argument = dyn_cast<BlockArgument>(term);
    bool isVariable = argument && argument.getOwner() == loop.bodyBlock();
    if (isVariable ? (term != iv || factor != 1)
                   : loop->isAncestor(term.getParentRegion()->getParentOp()))
      return false;
  }
  return form.coefficient(iv) == 1;
}

bool isFixed(Value index, tile::ParallelOp loop) {
  for (auto [term, factor] : linearize(index).terms)
    if (loop->isAncestor(term.getParentRegion()->getParentOp()))
      return false;
  return true;
}

} // namespace

std::optional<TileStore> matchTileStore(tile::ParallelOp loop) {
  TileStore match;
  auto extents = loop.constantExtents();
  if (!extents || extents->size() != 2)
    return std::nullopt;
  for (Operation &op : *loop.bodyBlock()) {
    if (auto load = dyn_cast<tile::LoadOp>(op); load && !match.load)
      match.load = load;
    else if (auto store = dyn_cast<tile::StoreOp>(op); store && !match.store)
      match.store = store;
    else if (!isMemoryEffectFree(&op))
      return std::nullopt;
  }
  if (!match.load || !match.store || match.store.getValue() != match.load.getResult() ||
      !llvm::equal(match.load.getIndices(), loop.ivs()))
    return std::nullopt;
  tile::BufferType from = match.load.getBuffer().getType(), to = match.store.getBuffer().getType();
  const FragmentLayout *layout =
      from.isFragment() ? fragmentLayoutOf(match.load.getBuffer()) : nullptr;
  auto tensor = match.store.getBuffer().getDefiningOp<tile::TensorOp>();
  if (!layout || !tensor || !tensor.getStrides().empty() || !from.getElementType().isF32() ||
      !(to.getElementType().isF16() || to.getElementType().isBF16()) ||
      ArrayRef<int64_t>(*extents) != from.getShape() || !readLayout(*layout, match))
    return std::nullopt;
  int64_t rank = to.rank(), rowElems = to.getShape().back();
  int64_t groupCols = from.getShape()[1] / match.groupsN;
  if (rank < 2 || rank > 5 || ShapedType::isDynamic(rowElems) || rowElems % 8 != 0 ||
      groupCols % chunkCols != 0 || from.getShape()[0] != match.rows() * match.groupsM)
    return std::nullopt;
  match.rowDim = -1;
  for (auto [d, index] : llvm::enumerate(match.store.getIndices())) {
    if (int64_t(d) == rank - 1) {
      if (!isMovedBy(index, loop.ivs()[1], loop))
        return std::nullopt;
    } else if (match.rowDim < 0 && isMovedBy(index, loop.ivs()[0], loop)) {
      match.rowDim = d;
    } else if (!isFixed(index, loop)) {
      return std::nullopt;
    }
  }
  if (match.rowDim < 0)
    return std::nullopt;
  match.chunks = groupCols / chunkCols;
  match.chunkBytes = match.rows() * bytesOfRow;
  match.extents.assign(rank, 1);
  match.extents[match.rowDim] = match.rows();
  match.extents[rank - 1] = chunkCols;
  return match;
}

LogicalResult Emitter::emitTileStore(tile::ParallelOp loop, Elements &outer) {
  TileStore match = *matchTileStore(loop);
  int64_t buffers = loop->getAttrOfType<IntegerAttr>(tileStoreBuffers).getInt();
  const FragmentPlace &c = fragments.find(match.load.getBuffer())->second;
  DType dtype = tile::dtypeOf(match.store.getBuffer().getType().getElementType());
  // Where the tile begins: the store's indices at the first iteration.
  Elements first;
  first.outer = &outer;
  for (BlockArgument iv : loop.ivs())
    first.map[iv] = {index(0)};
  for (Operation &op : *loop.bodyBlock())
    if (!isa<tile::LoadOp, tile::StoreOp>(op) && failed(emitOp(op, first)))
      return failure();
  SmallVector<Value, 5> origin;
  for (Value at : match.store.getIndices())
    origin.push_back(indexFor(at, 0, first));

  int64_t base = alignTo(sharedBytes, 1024);
  if (auto known = stagingBytes.find(match.store.getBuffer()); known != stagingBytes.end())
    base = known->second;
  else
    sharedBytes = base + buffers * match.chunkBytes * match.groupsM * match.groupsN *
                             int64_t(kernel.getTeams());
  stagingBytes[match.store.getBuffer()] = base;

  Value group = divIndex(waveId, warpsPerGroup), inGroup = remIndex(waveId, warpsPerGroup);
  Value groupM = remIndex(group, match.groupsM), groupN = divIndex(group, match.groupsM);
  Value leads = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                      remIndex(threadId, threadsPerGroup), index(0));
  int64_t groups = match.groupsM * match.groupsN, teams = kernel.getTeams();
  Value ofBlock = team ? addIndex(group, mulIndex(team, groups)) : group;
  Value buffer0 = addIndex(mulIndex(ofBlock, buffers * match.chunkBytes), base);
  // Lanes 8 m to 8 m + 7 give the rows of matrix m: rows + 8 for odd m, columns + 8 for m >= 2.
  Value inMatrix = remIndex(laneId, 8), matrix = divIndex(laneId, 8);
  Value lower = remIndex(matrix, 2), right = divIndex(matrix, 2);
  Value row = addIndex(
      addIndex(mulIndex(inGroup, 16 * match.slabs), mulIndex(lower, 8 * match.slabs)), inMatrix);
  Value rowPlace = addIndex(buffer0, mulIndex(row, bytesOfRow));
  // Barrier 0 is the block's, then come those of the teams.
  auto sync = [&] { syncAt(ofBlock, groups * teams, 1 + teams, threadsPerGroup); };
  for (int64_t chunk = 0; chunk < match.chunks; ++chunk) {
    int64_t bufferAt = chunk % buffers * match.chunkBytes;
    auto mayWrite = scf::IfOp::create(b, loc, leads, /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&mayWrite.getThenRegion().front());
      wave::BulkWaitOp::create(b, loc, buffers - 1, /*read=*/true);
    }
    sync();
    for (int64_t part = 0; part < chunkCols / 16; ++part) {
      Value column = arith::XOrIOp::create(b, loc, addIndex(right, 2 * part), inMatrix);
      Value to = addIndex(rowPlace, mulIndex(column, 16));
      int64_t slot = chunk * (chunkCols / 8) + 2 * part;
      Type vector = vectorOf(c.layout.atomRegs(), memoryType(c.dtype));
      Value left = wave::GetOp::create(b, loc, vector, c.regs, slot);
      Value rightHalf = wave::GetOp::create(b, loc, vector, c.regs, slot + 1);
      for (int64_t slab = 0; slab < match.slabs; ++slab) {
        Type four = vectorOf(4, memoryType(c.dtype));
        Value parts[] = {
            match.slabs == 1 ? left
                             : wave::ExtractOp::create(b, loc, four, left, 4 * slab).getResult(),
            match.slabs == 1
                ? rightHalf
                : wave::ExtractOp::create(b, loc, four, rightHalf, 4 * slab).getResult()};
        wave::StMatrixOp::create(b, loc, fromScalar(pack(parts), dtype), to,
                                 bufferAt + slab * 8 * bytesOfRow);
      }
    }
    wave::AsyncFenceOp::create(b, loc);
    sync();
    auto sends = scf::IfOp::create(b, loc, leads, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&sends.getThenRegion().front());
    SmallVector<Value> coords; // innermost first
    for (int64_t d = int64_t(origin.size()) - 1; d >= 0; --d) {
      Value at = origin[d];
      if (d == match.rowDim)
        at = addIndex(at, mulIndex(groupM, match.rows()));
      else if (d + 1 == int64_t(origin.size()))
        at = addIndex(addIndex(at, mulIndex(groupN, match.chunks * chunkCols)), chunk * chunkCols);
      coords.push_back(at);
    }
    wave::TmaStoreOp::create(b, loc, tensorMaps[loop], coords, addIndex(buffer0, bufferAt));
    wave::BulkCommitOp::create(b, loc);
  }
  return success();
}

} // namespace tilec
