//===- ByteTranspose.cpp - blocks of 4 x 4 bytes by one lane --------------===//
//
// A lane reads four words, each from another row, exchanges their bytes and writes four
// words. Lanes of a wave take 4 blocks along what is written contiguously and 8 along
// what is read contiguously, so that both sides touch few rows at a time.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ToWave/Ops.h"

#include "tilec/Base/Math.h"

using namespace mlir;

namespace tilec {

/// The byte address of an access with these loop variables.
static Value sharedAddress(Emitter &e, tile::ElementLoop loop, Value buffer, ValueRange indices,
                           ArrayRef<Value> ivs, Elements &outer) {
  Elements one;
  one.outer = &outer;
  for (auto [iv, value] : llvm::zip(loop.ivs(), ivs))
    one.map[iv] = {value};
  for (Operation &op : *loop.bodyBlock())
    if (isMemoryEffectFree(&op))
      (void)e.emitOp(op, one);
  SmallVector<Value, 4> at;
  for (Value index : indices)
    at.push_back(e.indexFor(index, 0, one));
  return e.sharedOffset(e.shared.find(buffer)->second, at);
}

LogicalResult emitByteTranspose(Emitter &e, tile::TransposeBytesOp loop, Elements &outer) {
  OpBuilder &b = e.b;
  Location &loc = e.loc;
  constexpr int64_t edge = 4;
  tile::LoadOp load = *loop.bodyBlock()->getOps<tile::LoadOp>().begin();
  tile::StoreOp store = *loop.bodyBlock()->getOps<tile::StoreOp>().begin();
  SmallVector<int64_t, 4> extents = *loop.constantExtents();
  int64_t rows = extents[0] / edge, cols = extents[1] / edge; // of blocks, as written
  int64_t perWaveCols = std::min<int64_t>(4, cols);
  while (cols % perWaveCols != 0)
    --perWaveCols;
  int64_t threads = e.numWaves * int64_t(e.target.waveLanes), blocks = rows * cols;
  Type word = e.vectorOf(edge, b.getI8Type());
  for (int64_t first = 0; first < blocks; first += threads) {
    Value number = e.addIndex(e.threadId, first);
    OpBuilder::InsertionGuard guard(b);
    if (first + threads > blocks) {
      Value inside =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, number, e.index(blocks));
      b.setInsertionPointToStart(scf::IfOp::create(b, loc, inside, false).thenBlock());
    }
    Value strip = e.divIndex(number, perWaveCols * rows),
          inStrip = e.remIndex(number, perWaveCols * rows);
    Value col = e.addIndex(e.mulIndex(strip, perWaveCols), e.remIndex(inStrip, perWaveCols));
    Value i = e.mulIndex(e.divIndex(inStrip, perWaveCols), edge), j = e.mulIndex(col, edge);
    SmallVector<SmallVector<Value, 8>, 4> read;
    for (int64_t n = 0; n < edge; ++n) {
      Value from =
          sharedAddress(e, loop, load.getBuffer(), load.getIndices(), {i, e.addIndex(j, n)}, outer);
      read.push_back(e.unpack(wave::SharedReadOp::create(b, loc, word, from, 0), edge));
    }
    for (int64_t n = 0; n < edge; ++n) {
      Value to = sharedAddress(e, loop, store.getBuffer(), store.getIndices(),
                               {e.addIndex(i, n), j}, outer);
      Value bytes = e.pack({read[0][n], read[1][n], read[2][n], read[3][n]});
      wave::SharedWriteOp::create(b, loc, bytes, to, Value(), 0);
    }
  }
  return success();
}

} // namespace tilec
