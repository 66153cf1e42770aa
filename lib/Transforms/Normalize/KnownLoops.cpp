//===- KnownLoops.cpp - serial loops whose rounds are known ---------------===//
//
// Bounds are read as they stand: an inner loop that ends at an outer one's variable is known once
// that one is unrolled.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/KnownLoops.h"

#include "tilec/Analysis/Buffers.h"
#include "tilec/Analysis/Index.h"
#include "tilec/Base/Math.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilec {

void KnownLoop::unroll() {
  OpBuilder b(loop);
  for (int64_t round = 0; round < rounds; ++round) {
    IRMapping mapping;
    mapping.map(loop.iv(), arith::ConstantIndexOp::create(b, loop.getLoc(), lower + round * step));
    for (Operation &op : *loop.bodyBlock()) {
      Operation *copy = b.clone(op, mapping);
      // Bounds of inner loops that the variable gives are constants now.
      SmallVector<Value> folded;
      bool folds = copy->getNumRegions() == 0 && isPure(copy) && succeeded(b.tryFold(copy, folded));
      if (!folds || folded.empty() || folded.front().getDefiningOp() == copy) // or in place
        continue;
      mapping.map(op.getResults(), folded);
      copy->erase();
    }
  }
  loop.erase();
}

int64_t roundsBetween(int64_t lower, int64_t upper, int64_t step) {
  int64_t rounds = step > 0 ? ceilDiv(upper - lower, step) : ceilDiv(lower - upper, -step);
  return std::max<int64_t>(rounds, 0);
}

SmallVector<KnownLoop> knownLoops(tile::KernelOp kernel) {
  SmallVector<KnownLoop> loops;
  kernel.walk([&](tile::ForOp loop) {
    auto lower = tile::constantInt(loop.getLower()), upper = tile::constantInt(loop.getUpper());
    auto step = tile::constantInt(loop.getStep());
    if (loop->getParentOfType<tile::ParallelOp>() || !lower || !upper || !step || *step == 0)
      return;
    loops.push_back({loop, *lower, *step, roundsBetween(*lower, *upper, *step)});
  });
  return loops;
}

bool countsOn(tile::ForOp loop) {
  std::optional<int64_t> upper = tile::constantInt(loop.getUpper());
  return tile::constantInt(loop.getLower()) == 0 && upper && *upper > 1 &&
         tile::constantInt(loop.getStep()) == 1 && loop.getKind() != tile::LoopKind::Pipelined;
}

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

bool areRoundsIndependent(tile::ForOp nest, Value iv, ArrayRef<Value> folded) {
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
    if (!written.contains(buffer.getAsOpaquePointer()) || llvm::is_contained(folded, buffer))
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

} // namespace tilec
