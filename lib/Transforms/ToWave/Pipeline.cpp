//===- Pipeline.cpp - matrix loops as a wave.pipeline ---------------------===//
//
// One iteration on slot 0, every copy, read and matrix instruction named; the order
// comes later (`wave-schedule`).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ToWave/Pipeline.h"

#include "Pipelines/AsyncPieces.h"
#include "Pipelines/Pipeline.h"
#include "Pipelines/Schedulable.h"
#include "ToWave/Ops.h"

#include "tilec/Base/Math.h"
#include "tilec/Transforms/SchedulePlan.h"

using namespace mlir;

namespace tilec {

/// Chunks in the order of the repetition that needs them first; in this order, `waves` at a time
/// make a copy. Nothing when a wave's chunk is then no sum of its own part and its copy's.
static std::optional<CopyAssignment> assignInOrder(llvm::ArrayRef<int64_t> order, int64_t waves,
                                                   int64_t chunkBytes) {
  CopyAssignment result;
  result.chunkBytes = chunkBytes;
  result.copyOfChunk.resize(order.size());
  for (int64_t bit = 1; bit < waves; bit *= 2)
    result.waveBitChunk.push_back(order[bit] - order[0]);
  for (int64_t d = 0; d < int64_t(order.size()) / waves; ++d) {
    result.copyChunk.push_back(order[d * waves]);
    for (int64_t w = 0; w < waves; ++w) {
      int64_t chunk = order[d * waves];
      for (size_t bit = 0; bit < result.waveBitChunk.size(); ++bit)
        chunk += (w >> bit & 1) * result.waveBitChunk[bit];
      if (chunk != order[d * waves + w])
        return std::nullopt;
      result.copyOfChunk[chunk] = d;
    }
  }
  return result;
}

CopyAssignment assignCopies(int64_t chunks, int64_t waves, int64_t chunkBytes,
                            llvm::function_ref<int64_t(int64_t chunk)> repOfChunk) {
  std::vector<int64_t> linear(chunks), byRep;
  for (int64_t chunk = 0; chunk < chunks; ++chunk)
    linear[chunk] = chunk;
  byRep = linear;
  llvm::sort(byRep, [&](int64_t a, int64_t b) {
    return std::pair(repOfChunk(a), a) < std::pair(repOfChunk(b), b);
  });
  if (auto sorted = assignInOrder(byRep, waves, chunkBytes))
    return *sorted;
  // Always a sum: waves take turns.
  return *assignInOrder(linear, waves, chunkBytes);
}

namespace {

/// The repetition of an operand's atom that row `row` of its tile belongs to.
int64_t repOfRow(const FragmentLayout &layout, int64_t row) {
  return row / layout.atom().boxShape()[0] % layout.repsPerDim()[0];
}

} // namespace

LogicalResult emitPipeline(Emitter &e, tile::ForOp loop, Elements &elements) {
  OpBuilder &b = e.b;
  Location &loc = e.loc;
  tile::GemmOp gemm;
  SmallVector<tile::AsyncCopyOp, 2> copies;
  for (Operation &op : *loop.bodyBlock()) {
    if (auto product = dyn_cast<tile::GemmOp>(op))
      gemm = product;
    else if (auto copy = dyn_cast<tile::AsyncCopyOp>(op))
      copies.push_back(copy);
  }
  if (copies.size() != 2)
    return e.unsupported(*loop, "this pipelined loop");
  GemmPlan plan = e.planOf(gemm);
  Value lower = e.lookup(loop.getLower(), 0, elements),
        upper = e.lookup(loop.getUpper(), 0, elements);
  Value span = arith::SubIOp::create(b, loc, upper, lower);
  Value count = arith::CeilDivSIOp::create(b, loc, span, e.lookup(loop.getStep(), 0, elements));
  int64_t slots = *loop.getRotate();
  StringAttr wish = loop.getStrategyAttr();
  auto pipeline =
      wave::PipelineOp::create(b, loc, count, slots, wish ? wish.getValue() : "auto", StringAttr());
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&pipeline.getBody());
  elements.map[loop.iv()] = {lower};

  PipelineOperand operands[2];
  for (int n : {0, 1}) {
    Value buffer = n == 0 ? gemm.getA() : gemm.getB();
    bool kIsRow = n == 0 ? gemm.getTransposeA() : !gemm.getTransposeB();
    const FragmentLayout &layout = n == 0 ? plan.a : plan.b;
    tile::AsyncCopyOp copy = *llvm::find_if(
        copies, [&](tile::AsyncCopyOp c) { return rootOf(c.getDst()) == rootOf(buffer); });
    const SharedPlace &place = e.shared.find(rootOf(buffer))->second;
    int64_t elemBytes = bytesOf(place.dtype);
    int64_t pieceBytes = asyncPieceBytes(copy.getSrc(), copy.getDst(), e.target);
    PipelineOperand &operand = operands[n];
    operand.isA = n == 0;
    operand.slotBytes = place.layout.numElems() / slots * elemBytes;
    operand.advanceBytes = *advanceBytes(copy.getSrc(), loop);
    int64_t chunkBytes = pieceBytes * e.target.waveLanes;
    operand.copies =
        assignCopies(operand.slotBytes / chunkBytes, e.numWaves, chunkBytes, [&](int64_t chunk) {
          int64_t row = chunk * chunkBytes / (place.layout.pitchElems * elemBytes);
          return kIsRow ? 0 : repOfRow(layout, row);
        });
  }
  for (Operation &op : *loop.bodyBlock()) {
    loc = op.getLoc();
    if (auto copy = dyn_cast<tile::AsyncCopyOp>(op)) {
      bool isA = rootOf(copy.getDst()) == rootOf(gemm.getA());
      emitCopyTemplates(e, copy, operands[isA ? 0 : 1], elements);
    } else if (isa<tile::GemmOp>(op)) {
      if (failed(emitGemmTemplates(e, gemm, operands, elements)))
        return failure();
    } else if (isPure(&op) && op.getNumRegions() == 0 &&
               !isa<tile::SubviewOp, tile::ReshapeOp, tile::AssumeOp>(op)) {
      if (failed(emitArith(e, op, elements)))
        return failure();
    }
  }
  return success();
}

} // namespace tilec
