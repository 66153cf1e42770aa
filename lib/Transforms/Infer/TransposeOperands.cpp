//===- TransposeOperands.cpp - operands of bytes the other way round -----===//
//
// Takes products of bytes whose operand lies across, gives them a transposed copy in shared
// memory: warp groups read bytes with K contiguous only.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Infer/ByteTranspose.h"
#include "Layouts/WarpGroups.h"
#include "Normalize/Normalize.h"

#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_TRANSPOSEOPERANDSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

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

bool isOfBytes(Value operand) { return bitsOf(tile::dtypeOf(operand)) == 8; }

bool canTranspose(Value operand) {
  auto type = cast<tile::BufferType>(operand.getType());
  return type.isShared() && type.rank() == 2 && operand.getDefiningOp<tile::AllocOp>() &&
         type.getShape()[0] % blockEdge == 0 && type.getShape()[1] % blockEdge == 0;
}

/// Transposes the operands of bytes that have K as the slower dimension, if warp groups multiply
/// the gemm then.
void transposeOperands(tile::GemmOp gemm, const TargetInfo &target, int64_t numWaves) {
  Value a = gemm.getA(), b = gemm.getB();
  bool turnsA = gemm.getTransposeA(), turnsB = !gemm.getTransposeB();
  if (!isOfBytes(a) || !isOfBytes(b) || (!turnsA && !turnsB) || (turnsA && !canTranspose(a)) ||
      (turnsB && !canTranspose(b)))
    return;
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
    return;
  }
  set(a, b, /*flip=*/false);
  for (Value own : {newA, newB})
    if (own != a && own != b)
      own.getDefiningOp()->erase();
}

struct TransposeOperandsPass : impl::TransposeOperandsPassBase<TransposeOperandsPass> {
  using TransposeOperandsPassBase::TransposeOperandsPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>()) {
      const int64_t numWaves = wavesOf(kernel, *chip);
      kernel.walk([&](tile::GemmOp gemm) {
        if (!isWarpGroupGemm(gemm, *chip, numWaves))
          transposeOperands(gemm, *chip, numWaves);
      });
    }
  }
};

} // namespace

} // namespace tilec
