//===- Im2col.cpp - images that are read as matrices -----------------------===//
//
// Copies of whole boxes (TMA's im2col) walk the places of the kernel in the image by themselves,
// and are told which of the kernel's elements is meant. So a row of a box in shared memory, a line
// of the swizzle, has channels of one element of the kernel: the channels are a multiple of it. All
// other copies become loops over elements, which are copied in pieces (Pipelines/Gather.cpp).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Im2col.h"

#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Transforms/PassTarget.h"
#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_EXPANDIM2COLPASS
#include "tilec/Transforms/Passes.h.inc"

tile::Im2colOp im2colOf(Value box) {
  auto view = box.getDefiningOp<tile::SubviewOp>();
  return view ? view.getSource().getDefiningOp<tile::Im2colOp>() : tile::Im2colOp();
}

namespace {

/// Whether the chip's copies can say which matrix of the image this is.
bool canSay(tile::Im2colOp matrix, const PatchCopies &copies) {
  int64_t reach = int64_t(matrix.getDilation()) * (int64_t(matrix.getKernel()) - 1);
  int64_t lower = -int64_t(matrix.getPad()), upper = int64_t(matrix.getPad()) - reach;
  auto isCorner = [&](int64_t corner) {
    return corner >= copies.lowestCorner && corner <= copies.highestCorner;
  };
  return isCorner(lower) && isCorner(upper) && reach <= copies.widestOffset &&
         int64_t(matrix.getStride()) <= copies.longestStride;
}

/// Whether each row of the tile, or of each panel of it, has channels of one element of the kernel.
bool hasWholeRows(tile::Im2colOp matrix, tile::BufferType tile, const TensorCopies &copies) {
  DType dtype = tile::dtypeOf(tile.getElementType());
  int64_t bytes = bytesOf(dtype);
  int64_t columns = std::min(tile.getShape()[1], copies.widestRowBytes / bytes);
  return bitsOf(dtype) >= 8 && matrix.channels() * bytes % copies.pitchBytes == 0 &&
         tile.getShape()[1] % columns == 0 && matrix.channels() % columns == 0;
}

/// Whether a product of the loop has the tile for its first operand, with K along its rows.
bool isOperand(Value tile, tile::ForOp loop) {
  return llvm::any_of(tile.getUsers(), [&](Operation *user) {
    auto gemm = dyn_cast<tile::GemmOp>(user);
    return gemm && loop->isAncestor(gemm) && gemm.getA() == tile && !gemm.getTransposeA();
  });
}

bool mayBeOnePiece(tile::CopyOp copy, const TargetInfo &target) {
  tile::Im2colOp matrix = im2colOf(copy.getSrc());
  auto loop = dyn_cast<tile::ForOp>(copy->getParentOp());
  tile::BufferType from = copy.getSrc().getType(), to = copy.getDst().getType();
  return target.patchCopies && loop && loop.getKind() == tile::LoopKind::Pipelined &&
         plainTensorOf(matrix.getSource()) && to.isShared() && to.getShape() == from.getShape() &&
         to.getElementType() == from.getElementType() &&
         copy.getDst().getDefiningOp<tile::AllocOp>() && canSay(matrix, *target.patchCopies) &&
         hasWholeRows(matrix, to, *target.tensorCopies) && isOperand(copy.getDst(), loop);
}

/// Whether the box has no columns behind the matrix.
bool isWithin(Value box) {
  auto view = box.getDefiningOp<tile::SubviewOp>();
  if (!view)
    return true;
  int64_t columns = view.getSource().getType().getShape()[1];
  std::optional<IndexRange> first = rangeOf(view.getOffsets()[1]);
  bool isDropped = llvm::is_contained(view.getDropped(), 1);
  int64_t own = isDropped ? 1 : view.getType().getShape().back();
  return first && first->low >= 0 && first->high <= columns - own;
}

/// A loop that reads the image element by element in place of a copy from its matrix.
tile::ParallelOp readImage(tile::CopyOp copy) {
  OpBuilder builder(copy);
  bool inMatrix = isWithin(copy.getSrc());
  tile::ParallelOp loop = expandCopy(builder, copy.getLoc(), copy.getSrc(), copy.getDst());
  copy.erase();
  loop.walk([&](tile::LoadOp load) {
    auto matrix = load.getBuffer().getDefiningOp<tile::Im2colOp>();
    if (!matrix)
      return;
    OpBuilder b(load);
    SmallVector<Value, 4> indices =
        matrix.imageIndices(b, load.getLoc(), load.getIndices()[0], load.getIndices()[1], inMatrix);
    load.getBufferMutable().assign(matrix.getSource());
    load.getIndicesMutable().assign(indices);
  });
  return loop;
}

struct ExpandIm2colPass : impl::ExpandIm2colPassBase<ExpandIm2colPass> {
  using ExpandIm2colPassBase::ExpandIm2colPassBase;

  void runOnOperation() override {
    const TargetInfo *chip = targetOfPass(getOperation(), target);
    if (!chip)
      return signalPassFailure();
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>()) {
      auto loops = expandIm2cols(kernel, [&](tile::CopyOp copy) {
        return !kernel.getLockstep() && mayBeOnePiece(copy, *chip);
      });
      if (!loops.empty())
        eraseDeadOps(kernel);
    }
  }
};

} // namespace

SmallVector<tile::ParallelOp> expandIm2cols(tile::KernelOp kernel,
                                            llvm::function_ref<bool(tile::CopyOp)> stays) {
  SmallVector<tile::CopyOp> copies;
  kernel.walk([&](tile::CopyOp copy) {
    if (im2colOf(copy.getSrc()) && !stays(copy))
      copies.push_back(copy);
  });
  return llvm::map_to_vector(copies, readImage);
}

} // namespace tilec
