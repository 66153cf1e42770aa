//===- Gather.cpp - loops over elements done by asynchronous copies --------===//
//
// By cp.async, the numbers of rows are read for several pieces before the first is copied, so that
// their latencies overlap; the copies themselves need no registers. Where lanes fill shared memory
// in a row, a lane asks which element its place holds, as in AsyncCopy.cpp, and what is the same in
// all rounds of the loop is read in front of it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Pipelines/Gather.h"

#include "ToWave/Ops.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Base/Math.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilec {
namespace {

/// Pieces of a lane whose places are computed before the first is copied: what a read of row
/// numbers takes is then paid once, and their addresses fit beside accumulators.
constexpr int64_t piecesTogether = 16;

void copyPiece(Emitter &e, const Gather &gather, Elements &elements) {
  OpBuilder &b = e.b;
  Location &loc = e.loc;
  OpBuilder::InsertionGuard guard(b);
  // A lane outside of the tile has the place of one inside, which it must not fill with zeros.
  if (Value lanes = e.andMasks(elements.primary, elements.maskOf(0)))
    b.setInsertionPointToStart(scf::IfOp::create(b, loc, lanes, false).thenBlock());
  tile::LoadOp load = gather.load;
  tile::StoreOp store = gather.store;
  const TensorPlace &tensor = e.tensors.find(load.getBuffer())->second;
  SmallVector<Value, 4> from, to;
  for (Value index : load.getIndices())
    from.push_back(e.indexFor(index, 0, elements));
  for (Value index : store.getIndices())
    to.push_back(e.indexFor(index, 0, elements));
  Value mask = e.boundsMask(tensor, load.getIndices(), from);
  if (gather.mask)
    mask = e.andMasks(mask, e.lookup(gather.mask, 0, elements));
  Value offset = e.globalOffset(tensor, from);
  Value place = e.sharedOffset(e.shared.find(store.getBuffer())->second, to);
  wave::CpAsyncOp::create(b, loc, tensor.base, offset, place, mask, 0, gather.pieceBytes);
}

/// Copies whose lanes fill shared memory in a row.
class RowsByLanes {
public:
  RowsByLanes(Emitter &emitter, tile::GatherOp loop, const Gather &gather, Elements &outer)
      : e(emitter), b(emitter.b), loc(emitter.loc), loop(loop), gather(gather), outer(outer),
        tensor(emitter.tensors.find(loadOf().getBuffer())->second),
        place(emitter.shared.find(storeOf().getBuffer())->second) {
    pieceElems = gather.pieceBytes / bytesOf(place.dtype);
    if (auto around = loop->getParentOfType<tile::ForOp>())
      written = accessesOf(around).writes;
  }

  LogicalResult run();

private:
  tile::LoadOp loadOf() const { return gather.load; }
  tile::StoreOp storeOf() const { return gather.store; }
  /// The piece's first element, its loop variables bound.
  Elements elementsAt(Value piece);
  /// What the places of the piece and its mask are computed from: the part that is the same in all
  /// rounds, or the other one.
  LogicalResult emitBody(Elements &elements, bool varying);
  Operation *loopAround();
  /// Where the piece lies in the tensor: the lane's part, and what is the same for all of them.
  std::pair<Value, Value> sourceOf(Elements &elements);

  Emitter &e;
  OpBuilder &b;
  Location loc;
  tile::GatherOp loop;
  const Gather &gather;
  Elements &outer;
  TensorPlace &tensor;
  const SharedPlace &place;
  int64_t pieceElems;
  SmallVector<Value, 4> written; ///< in the loop around
};

Elements RowsByLanes::elementsAt(Value piece) {
  SmallVector<int64_t, 4> extents = *loop.constantExtents();
  Elements elements;
  elements.loop = loop;
  elements.outer = &outer;
  elements.deltas.push_back(Coords(extents.size(), 0));
  int64_t inRow = extents.back() / pieceElems;
  SmallVector<Value, 4> point =
      pointInTile(e, loc, place.layout, extents, pieceElems, e.divIndex(piece, inRow),
                  e.mulIndex(e.remIndex(piece, inRow), pieceElems));
  for (auto [variable, value] : llvm::zip_equal(loop.ivs(), point)) {
    elements.map[variable] = {value};
    elements.coords.push_back({value, 0, 1});
  }
  return elements;
}

std::pair<Value, Value> RowsByLanes::sourceOf(Elements &elements) {
  ValueRange indices = loadOf().getIndices();
  SmallVector<Value, 4> from, lane, uniform;
  for (auto [d, index] : llvm::enumerate(indices)) {
    from.push_back(e.indexFor(index, 0, elements));
    std::optional<IndexRange> range = rangeOf(index);
    bool isInside = range && range->low >= 0 && range->high < tensor.staticShape[d];
    Value ofLane, ofAll;
    LinearForm form = linearize(index);
    bool splits = isInside && form.constant >= 0;
    for (auto [term, factor] : form.terms) {
      std::optional<IndexRange> ofTerm = rangeOf(term);
      splits &= factor > 0 && ofTerm && ofTerm->low >= 0;
      bool isOfLane = loop.getBody().isAncestor(term.getParentRegion());
      Value &sum = isOfLane ? ofLane : ofAll;
      sum = e.addIndex(sum, e.mulIndex(e.indexFor(term, 0, elements), factor));
    }
    if (splits)
      ofLane = e.addIndex(ofLane, form.constant);
    lane.push_back(!splits ? from.back() : ofLane ? ofLane : e.index(0));
    uniform.push_back(splits && ofAll ? ofAll : e.index(0));
  }
  Value mask = e.boundsMask(tensor, indices, from);
  if (gather.mask)
    mask = e.andMasks(mask, e.lookup(gather.mask, 0, elements));
  Value offset = e.globalOffset(tensor, lane);
  if (mask)
    offset = arith::SelectOp::create(b, loc, mask, offset, e.index(-outsideOfTensors));
  return {offset, e.globalOffset(tensor, uniform)};
}

LogicalResult RowsByLanes::emitBody(Elements &elements, bool varying) {
  for (Operation &op : *loop.bodyBlock()) {
    bool isOfPiece =
        &op == loadOf() || &op == storeOf() || &op == storeOf().getValue().getDefiningOp();
    bool isUnused = op.use_empty();
    if (!isOfPiece && !isUnused && variesByRound(op.getResult(0), loop, written) == varying &&
        failed(e.emitOp(op, elements)))
      return failure();
  }
  return success();
}

/// The loop around, unless a lane's number is of its rounds only (LaneScope).
Operation *RowsByLanes::loopAround() {
  Operation *around = b.getInsertionBlock()->getParentOp();
  while (around && !isa<scf::ForOp, scf::WhileOp>(around))
    around = around->getParentOp();
  Operation *lane = e.laneId.getDefiningOp();
  return around && lane && around->isAncestor(lane) ? nullptr : around;
}

LogicalResult RowsByLanes::run() {
  makeDescriptor(e, tensor);
  keepGroupsApart(e);
  int64_t chunks = 1, lanes = e.target.waveLanes;
  SmallVector<int64_t, 4> extents = *loop.constantExtents();
  for (int64_t extent : extents)
    chunks *= extent;
  chunks /= pieceElems * lanes; // fillsWaves
  int64_t certain = chunks / e.numWaves, rounds = ceilDiv(chunks, e.numWaves);
  // The slot's first element.
  SmallVector<Value, 4> first;
  for (auto [d, index] : llvm::enumerate(storeOf().getIndices())) {
    bool isSlot = d + extents.size() < storeOf().getIndices().size();
    first.push_back(isSlot ? e.indexFor(index, 0, outer) : e.index(0));
  }
  Value start = e.sharedOffset(place, first);
  Operation *around = loopAround();
  for (int64_t begin = 0; begin < rounds; begin += piecesTogether) {
    SmallVector<std::pair<Value, Elements>, 8> batch;
    for (int64_t round = begin; round < std::min(begin + piecesTogether, rounds); ++round) {
      OpBuilder::InsertPoint inLoop = b.saveInsertionPoint();
      if (around)
        b.setInsertionPoint(around);
      Value chunk = e.addIndex(e.waveId, round * e.numWaves), inside = chunk;
      if (round >= certain) // another one of the tile, so that nothing behind it is read
        inside = arith::MinUIOp::create(b, loc, chunk, e.index(chunks - 1));
      batch.emplace_back(chunk, elementsAt(e.addIndex(e.mulIndex(inside, lanes), e.laneId)));
      LogicalResult hoisted = emitBody(batch.back().second, /*varying=*/false);
      if (around)
        b.restoreInsertionPoint(inLoop);
      if (failed(hoisted) || failed(emitBody(batch.back().second, /*varying=*/true)))
        return failure();
    }
    for (auto &[chunk, elements] : batch) {
      auto [voffset, soffset] = sourceOf(elements);
      OpBuilder::InsertionGuard guard(b);
      if (chunks % e.numWaves != 0 && &elements == &batch.back().second &&
          begin + piecesTogether >= rounds) {
        Value isInside =
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, chunk, e.index(chunks));
        b.setInsertionPointToStart(scf::IfOp::create(b, loc, isInside, false).thenBlock());
      }
      Value target = e.addIndex(start, e.mulIndex(chunk, lanes * gather.pieceBytes));
      wave::LoadToSharedOp::create(b, loc, tensor.desc, voffset, soffset, target, 0,
                                   gather.pieceBytes);
    }
  }
  e.copies.inGroup += certain;
  return success();
}

} // namespace

std::optional<LogicalResult> emitGather(Emitter &e, tile::GatherOp loop, Elements &outer) {
  std::optional<Gather> gather = gatherOf(loop, e.target);
  if (!gather || !e.tensors.contains(gather->load.getBuffer()) ||
      !e.shared.contains(gather->store.getBuffer()))
    return std::nullopt; // through registers: the pipeline's waits and barriers do for that too
  if (e.target.asyncCopies.lanesInRow)
    return RowsByLanes(e, loop, *gather, outer).run();
  FragmentLayout layout = gatherLayout(loop, *gather, e.target, e.numWaves);
  auto isOfPiece = [&](Operation &op) {
    return &op == gather->load || &op == gather->store ||
           &op == gather->store.getValue().getDefiningOp();
  };
  for (int64_t first = 0; first < layout.numReps(); first += piecesTogether) {
    SmallVector<Elements, 8> batch;
    for (int64_t rep = first; rep < std::min(first + piecesTogether, layout.numReps()); ++rep) {
      batch.push_back(elementsOf(e, loop, layout, rep, nullptr, outer));
      for (Operation &op : *loop.bodyBlock())
        if (!isOfPiece(op) && failed(e.emitOp(op, batch.back())))
          return failure();
    }
    for (Elements &elements : batch)
      copyPiece(e, *gather, elements);
  }
  return success();
}

} // namespace tilec
