//===- ParallelizeLoops.cpp - serial loops with independent iterations ----===//
//
// Takes serial loops outside of parallels, gives parallels where no iteration touches what another
// one writes.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/KnownLoops.h"
#include "Normalize/Normalize.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {

#define GEN_PASS_DEF_PARALLELIZELOOPSPASS
#include "tilec/Transforms/Passes.h.inc"

namespace {

/// The loop that is all there is in a body, beside index arithmetic.
tile::ForOp onlyLoopIn(Block &body) {
  tile::ForOp found;
  for (Operation &op : body) {
    if (auto loop = dyn_cast<tile::ForOp>(op)) {
      if (found)
        return {};
      found = loop;
    } else if (!isPure(&op)) {
      return {};
    }
  }
  return found;
}

/// Whether different values of `iv` touch different elements of everything that is written: some
/// dimension is iv plus something that does not vary in the nest, the same in every access.
bool isIndependent(tile::ForOp nest, Value iv) {
  struct Written {
    std::optional<LinearForm> form;
    int64_t dim = -1;
  };
  llvm::MapVector<Value, SmallVector<ValueRange, 4>> accesses;
  llvm::SmallPtrSet<void *, 4> written;
  bool legal = true;
  nest.walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      accesses[load.getBuffer()].push_back(load.getIndices());
    } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
      accesses[store.getBuffer()].push_back(store.getIndices());
      written.insert(store.getBuffer().getAsOpaquePointer());
    } else if (!isPure(op) && !isa<tile::ForOp, tile::ParallelOp, scf::IfOp, scf::YieldOp>(op)) {
      legal = false;
    }
  });
  if (!legal || written.empty())
    return false;
  for (auto &[buffer, list] : accesses) {
    // What is written, in another shape, or a tensor that may lie over this one.
    for (auto &other : accesses)
      if (other.first != buffer && written.contains(other.first.getAsOpaquePointer()) &&
          isChangedBy({rootOf(other.first)}, rootOf(buffer)))
        return false;
    if (!written.contains(buffer.getAsOpaquePointer()))
      continue;
    if (cast<tile::BufferType>(buffer.getType()).isLocal())
      return false;
    bool separates = false;
    for (size_t d = 0; d < list[0].size() && !separates; ++d) {
      separates = true;
      LinearForm first = linearize(list[0][d]);
      if (first.coefficient(iv) == 0) {
        separates = false;
        continue;
      }
      for (auto [term, factor] : first.terms)
        if (term != iv && nest.getBody().isAncestor(term.getParentRegion()))
          separates = false;
      for (ValueRange other : list) {
        LinearForm difference = linearize(other[d]);
        difference.add(first, -1);
        separates &= difference.terms.empty() && difference.constant == 0;
      }
    }
    if (!separates)
      return false;
  }
  return true;
}

} // namespace

static void parallelizeSerialLoops(tile::ProgramOp program) {
  SmallVector<tile::ForOp> nests;
  program.walk<WalkOrder::PreOrder>([&](tile::ForOp loop) {
    if (loop->getParentOfType<tile::ParallelOp>())
      return WalkResult::skip();
    if (loop->getParentOfType<tile::KernelOp>().getLockstep())
      return WalkResult::skip(); // a loop of each thread
    if (!countsOn(loop) || !isIndependent(loop, loop.iv()))
      return WalkResult::advance();
    nests.push_back(loop);
    return WalkResult::skip();
  });
  for (tile::ForOp outer : nests) {
    // As many loops of the perfect nest as are independent.
    SmallVector<tile::ForOp> loops = {outer};
    for (tile::ForOp next = onlyLoopIn(*outer.bodyBlock()); next;
         next = onlyLoopIn(*next.bodyBlock())) {
      if (!countsOn(next) || !isIndependent(outer, next.iv()))
        break;
      loops.push_back(next);
    }
    OpBuilder b(outer);
    Location loc = outer.getLoc();
    SmallVector<Value> extents;
    for (tile::ForOp loop : loops)
      extents.push_back(
          arith::ConstantIndexOp::create(b, loc, *tile::constantInt(loop.getUpper())));
    auto parallel = tile::ParallelOp::create(b, loc, extents);
    OpBuilder inner = OpBuilder::atBlockEnd(parallel.bodyBlock());
    IRMapping mapping;
    for (auto [n, loop] : llvm::enumerate(loops)) {
      mapping.map(loop.iv(), parallel.ivs()[n]);
      bool isLast = n + 1 == loops.size();
      for (Operation &op : *loop.bodyBlock())
        if (isLast || &op != loops[n + 1].getOperation())
          inner.clone(op, mapping);
    }
    outer.erase();
  }
}

namespace {
struct ParallelizeLoopsPass : impl::ParallelizeLoopsPassBase<ParallelizeLoopsPass> {
  void runOnOperation() override { parallelizeSerialLoops(getOperation()); }
};
} // namespace

} // namespace tilec
