//===- Gather.cpp - loops over elements done by cp.async -------------------===//
//
// The numbers of rows are read for several pieces before the first is copied, so that
// their latencies overlap; the copies themselves need no registers.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Pipelines/Gather.h"

#include "ToWave/Ops.h"

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

} // namespace

std::optional<LogicalResult> emitGather(Emitter &e, tile::GatherOp loop, Elements &outer) {
  std::optional<Gather> gather = gatherOf(loop, e.target);
  if (!gather || !e.tensors.contains(gather->load.getBuffer()) ||
      !e.shared.contains(gather->store.getBuffer()))
    return std::nullopt; // through registers: the pipeline's waits and barriers do for that too
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
