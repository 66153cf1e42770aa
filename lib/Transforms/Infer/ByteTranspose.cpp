//===- ByteTranspose.cpp - tiles of bytes with rows and columns exchanged -===//
//
// Takes products of bytes whose operand lies across, gives them a transposed copy in shared
// memory. Loops of authors that do the same are found, too.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Infer/ByteTranspose.h"

#include "Layouts/LoopLayout.h"
#include "Layouts/WarpGroups.h"
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Index.h"

using namespace mlir;

namespace tilec {
namespace {

constexpr int64_t blockEdge = 4;

int64_t bitsOfElement(tile::BufferType type) {
  return bitsOf(tile::dtypeOf(type.getElementType()));
}

/// The operand with its rows and columns exchanged, in shared memory of its own.
Value transposed(tile::GemmOp gemm, Value operand) {
  OpBuilder top =
      OpBuilder::atBlockBegin(&gemm->getParentOfType<tile::KernelOp>().getBody().front());
  auto type = cast<tile::BufferType>(operand.getType());
  auto name = operand.getDefiningOp<tile::AllocOp>().getName();
  auto ownType = tile::BufferType::get({type.getShape()[1], type.getShape()[0]},
                                       type.getElementType(), tile::Scope::Shared);
  return tile::AllocOp::create(top, gemm.getLoc(), ownType, (name + "_transposed").str(),
                               Attribute());
}

void fill(tile::GemmOp gemm, Value from, Value to) {
  OpBuilder b(gemm);
  Location loc = gemm.getLoc();
  Type scalar = tile::scalarTypeOf(cast<tile::BufferType>(from.getType()).getElementType());
  auto loop = makeElementwise(b, loc, to, [&](OpBuilder &inner, ValueRange ivs) -> Value {
    return tile::LoadOp::create(inner, loc, scalar, from, ValueRange{ivs[1], ivs[0]}, FloatAttr());
  });
  tile::turnInto<tile::MoveOp>(loop);
}

bool canTranspose(Value operand) {
  auto type = cast<tile::BufferType>(operand.getType());
  return type.isShared() && type.rank() == 2 && operand.getDefiningOp<tile::AllocOp>() &&
         type.getShape()[0] % blockEdge == 0 && type.getShape()[1] % blockEdge == 0;
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

bool keepsWords(Value buffer) {
  const SharedLayout *layout =
      buffer.getDefiningOp<tile::AllocOp>() ? sharedLayoutOf(buffer) : nullptr;
  return layout && layout->pitchElems % blockEdge == 0 &&
         (layout->phases <= 1 || layout->vecElems % blockEdge == 0);
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

void markTranspositions(ArrayRef<tile::MoveOp> loops) {
  for (tile::MoveOp loop : loops)
    if (keepsWords(loop.load().getBuffer()) && keepsWords(loop.store().getBuffer()))
      tile::turnInto<tile::TransposeBytesOp>(loop);
}

bool transposeByteOperands(tile::GemmOp gemm, const TargetInfo &target, int64_t numWaves) {
  Value a = gemm.getA(), b = gemm.getB();
  bool turnsA = gemm.getTransposeA(), turnsB = !gemm.getTransposeB();
  if (bitsOfElement(gemm.getA().getType()) != 8 || bitsOfElement(gemm.getB().getType()) != 8 ||
      (!turnsA && !turnsB) || (turnsA && !canTranspose(a)) || (turnsB && !canTranspose(b)))
    return false;
  auto set = [&](Value newA, Value newB, bool flip) {
    gemm.getAMutable().assign(newA);
    gemm.getBMutable().assign(newB);
    gemm.setTransposeA(turnsA && !flip);
    gemm.setTransposeB(!turnsB || flip);
  };
  Value newA = turnsA ? transposed(gemm, a) : a, newB = turnsB ? transposed(gemm, b) : b;
  set(newA, newB, /*flip=*/true);
  if (isWarpGroupGemm(gemm, target, numWaves)) {
    if (turnsA)
      fill(gemm, a, newA);
    if (turnsB)
      fill(gemm, b, newB);
    return true;
  }
  set(a, b, /*flip=*/false);
  for (Value own : {newA, newB})
    if (own != a && own != b)
      own.getDefiningOp()->erase();
  return false;
}

} // namespace tilec
