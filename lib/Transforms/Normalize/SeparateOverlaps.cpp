//===- SeparateOverlaps.cpp - copies within one buffer --------------------===//
//
// Takes copies from one part of a buffer to another one, gives copies that read all before they
// write.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/IR/Tile/Uniformity.h"
#include "tilec/Transforms/Passes.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_SEPARATEOVERLAPSPASS
#include "tilec/Transforms/Passes.h.inc"

/// A copy from one part of a buffer to another one: all is read before anything is written. What a
/// thread copies on its own it holds alone.
static void readFirst(tile::CopyOp copy, tile::Scope scope) {
  OpBuilder builder(copy);
  auto dst = cast<tile::BufferType>(copy.getDst().getType());
  auto src = cast<tile::BufferType>(copy.getSrc().getType());
  auto type = tile::BufferType::get(src.getShape(), dst.getElementType(), scope);
  Value held = tile::AllocOp::create(builder, copy.getLoc(), type, "held", Attribute());
  tile::CopyOp::create(builder, copy.getLoc(), copy.getSrc(), held, StringAttr());
  copy.getSrcMutable().assign(held);
}

static void separateOverlaps(tile::ProgramOp program) {
  SmallVector<tile::CopyOp> copies;
  program.walk([&](tile::CopyOp copy) {
    if (rootOf(copy.getSrc()) == rootOf(copy.getDst()) &&
        !copy->getParentOfType<tile::ParallelOp>())
      copies.push_back(copy);
  });
  llvm::DenseMap<Operation *, std::unique_ptr<tile::Uniformity>> ofKernels;
  for (tile::CopyOp copy : copies) {
    auto kernel = copy->getParentOfType<tile::KernelOp>();
    std::unique_ptr<tile::Uniformity> &uniformity = ofKernels[kernel];
    if (!uniformity)
      uniformity = std::make_unique<tile::Uniformity>(kernel);
    readFirst(copy, uniformity->runsPerThread(copy) ? tile::Scope::Local : tile::Scope::Fragment);
  }
}

namespace {
struct SeparateOverlapsPass : impl::SeparateOverlapsPassBase<SeparateOverlapsPass> {
  using SeparateOverlapsPassBase::SeparateOverlapsPassBase;

  void runOnOperation() override {
    if (!lockstep || !lockstepKernels(getOperation()).empty())
      separateOverlaps(getOperation());
  }
};
} // namespace

} // namespace tilec
