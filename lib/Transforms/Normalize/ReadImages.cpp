//===- ReadImages.cpp - what no producer brings of an image's matrix ------===//
//
// Takes copies of boxes of a tile.im2col that are left, gives loops over the image's elements.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Im2col.h"
#include "Normalize/SimplifyOffsets.h"

#include "tilec/Transforms/Passes.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_READIMAGESPASS
#include "tilec/Transforms/Passes.h.inc"

static void readImages(tile::KernelOp kernel) {
  auto loops = expandIm2cols(kernel, [](tile::CopyOp) { return false; });
  for (tile::ParallelOp loop : loops)
    if (tile::MoveOp::isBodyOf(loop))
      tile::turnInto<tile::MoveOp>(loop);
  if (!loops.empty())
    simplifyOffsets(kernel->getParentOfType<tile::ProgramOp>());
}

namespace {
struct ReadImagesPass : impl::ReadImagesPassBase<ReadImagesPass> {
  using ReadImagesPassBase::ReadImagesPassBase;

  void runOnOperation() override {
    for (tile::KernelOp kernel : getOperation().getBody().getOps<tile::KernelOp>())
      readImages(kernel);
  }
};
} // namespace

} // namespace tilec
