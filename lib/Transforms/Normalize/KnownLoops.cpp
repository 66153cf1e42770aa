//===- KnownLoops.cpp - serial loops whose rounds are known ---------------===//
//
// Bounds are read as they stand: an inner loop that ends at an outer one's variable is known once
// that one is unrolled.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Normalize/KnownLoops.h"

#include "tilec/Base/Math.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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

SmallVector<KnownLoop> knownLoops(tile::KernelOp kernel) {
  SmallVector<KnownLoop> loops;
  kernel.walk([&](tile::ForOp loop) {
    auto lower = tile::constantInt(loop.getLower()), upper = tile::constantInt(loop.getUpper());
    auto step = tile::constantInt(loop.getStep());
    if (loop->getParentOfType<tile::ParallelOp>() || !lower || !upper || !step || *step == 0)
      return;
    int64_t rounds = *step > 0 ? ceilDiv(*upper - *lower, *step) : ceilDiv(*lower - *upper, -*step);
    loops.push_back({loop, *lower, *step, std::max<int64_t>(rounds, 0)});
  });
  return loops;
}

bool countsOn(tile::ForOp loop) {
  std::optional<int64_t> upper = tile::constantInt(loop.getUpper());
  return tile::constantInt(loop.getLower()) == 0 && upper && *upper > 1 &&
         tile::constantInt(loop.getStep()) == 1 && loop.getKind() != tile::LoopKind::Pipelined;
}

} // namespace tilec
