//===- OneFill.cpp - tiles that the producer fills beside the loops -------===//
//
// Looks for copies that bring a tile once, in front of the loops, for warp groups only.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Roles/OneFill.h"

#include "Roles/TmaBox.h"

#include "tilec/Analysis/Buffers.h"

using namespace mlir;

namespace tilec {
namespace {

/// Whether the op is a gemm of warp groups that reads the tile and does not write it.
bool isReader(Operation *op, Value tile) {
  auto gemm = dyn_cast<tile::GemmOp>(op);
  return gemm && gemm.getWarpGroup() && rootOf(gemm.getC()) != tile &&
         (gemm.getA() == tile || gemm.getB() == tile);
}

} // namespace

SmallVector<OneFill> findOneFills(tile::KernelOp kernel, ArrayRef<tile::ForOp> loops,
                                  ProducerSlice &slice, const TargetInfo &target) {
  SmallVector<OneFill> fills;
  llvm::SmallVector<Value, 4> written = accessesOf(kernel).writes;
  kernel.walk([&](tile::CopyOp copy) {
    Operation *parent = copy->getParentOp();
    // The producer comes to what is around pipelined loops.
    bool isAround = llvm::any_of(
        loops, [&](tile::ForOp loop) { return loop != parent && parent->isAncestor(loop); });
    auto tile = copy.getDst().getDefiningOp<tile::AllocOp>();
    if (!isAround || !tile || isChangedBy(written, rootOf(copy.getSrc())))
      return;
    llvm::Expected<TmaBox> box = planTmaBox(copy.getSrc(), copy.getDst(), target);
    if (!box)
      return llvm::consumeError(box.takeError()); // threads copy it
    if (box->tileBytes() % box->periodBytes != 0)
      return;
    OneFill fill{copy, tile, box->transfers, box->tileBytes()};
    fill.isRepeated = parent != kernel;
    bool isRead = false;
    for (Operation *user : tile->getUsers()) {
      if (user == copy)
        continue;
      Operation *statement = copy->getBlock()->findAncestorOpInBlock(*user);
      if (!statement || !isReader(user, tile) || !copy->isBeforeInBlock(statement))
        return;
      isRead = true;
    }
    if (!isRead)
      return;
    if (llvm::Error error = slice.add(copy, copy.getSrc()))
      return llvm::consumeError(std::move(error)); // threads copy it
    fills.push_back(fill);
  });
  return fills;
}

} // namespace tilec
