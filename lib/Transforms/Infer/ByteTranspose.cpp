//===- ByteTranspose.cpp - tiles of bytes with rows and columns exchanged -===//
//
// Finds the loops that move bytes across, of authors and of tile-transpose-operands alike.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Infer/ByteTranspose.h"

#include "Layouts/LoopLayout.h"

#include "tilec/Analysis/Index.h"

using namespace mlir;

namespace tilec {
namespace {

int64_t bitsOfElement(tile::BufferType type) {
  return bitsOf(tile::dtypeOf(type.getElementType()));
}

/// In rows and columns of blocks, which start at multiples of their edge.
bool isBlocked(tile::ElementLoop loop, ValueRange indices, unsigned rowIv) {
  size_t rank = indices.size();
  if (rank < 2)
    return false;
  for (auto [d, index] : llvm::enumerate(indices)) {
    LinearForm form = linearize(index);
    for (auto [n, iv] : llvm::enumerate(loop.ivs()))
      if (form.coefficient(iv) != (d + 2 == rank ? n == rowIv : d + 1 == rank && n != rowIv))
        return false;
    LinearForm rest = form.without(loop.ivs());
    if (d + 2 >= rank && (!rest.terms.empty() || rest.constant % blockEdge != 0))
      return false;
  }
  return true;
}

bool isTransposition(tile::MoveOp move) {
  auto extents = move.constantExtents();
  auto [load, store] = tile::MoveOp::plainMove(move);
  if (!extents || extents->size() != 2 || !load)
    return false;
  tile::BufferType from = load.getBuffer().getType(), to = store.getBuffer().getType();
  bool areBytes = from.isShared() && to.isShared() && bitsOfElement(from) == 8 &&
                  from.getElementType() == to.getElementType();
  return areBytes && (*extents)[0] % blockEdge == 0 && (*extents)[1] % blockEdge == 0 &&
         from.getShape().back() % blockEdge == 0 && to.getShape().back() % blockEdge == 0 &&
         isBlocked(move, load.getIndices(), 1) && isBlocked(move, store.getIndices(), 0);
}

} // namespace

SmallVector<tile::MoveOp> byteTranspositions(tile::KernelOp kernel) {
  SmallVector<tile::MoveOp> loops;
  kernel.walk([&](tile::MoveOp move) {
    if (isTransposition(move))
      loops.push_back(move);
  });
  return loops;
}

} // namespace tilec
