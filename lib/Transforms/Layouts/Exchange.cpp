//===- Exchange.cpp - what waves tell each other in reductions -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/Exchange.h"

#include "Layouts/GemmPlan.h"
#include "Layouts/LoopLayout.h"
#include "Layouts/ScanLayout.h"

#include "tilec/Base/Math.h"

using namespace mlir;

namespace tilec {

SmallVector<WaveDigit, 2> digitsAlong(const FragmentLayout &layout, int64_t dim) {
  SmallVector<WaveDigit, 2> digits;
  int64_t below = 1;
  for (const Factor &f : layout.waves()) {
    if (f.dim == dim)
      digits.push_back({below, f.count});
    below *= f.count;
  }
  return digits;
}

bool isUniformWithout(const FragmentLayout &layout, int64_t dim) {
  return llvm::all_of(layout.atom().inputs()[1].bases, [&](const Coords &base) {
    for (int64_t d = 0; d < int64_t(base.size()); ++d)
      if (d != dim && base[d] != 0)
        return false;
    return true;
  });
}

/// What `placesOf` will ask for; 0 where waves need not exchange anything.
static int64_t exchangeBytes(tile::ReduceOp reduce, const TargetInfo &target, int64_t numWaves) {
  const FragmentLayout *src = fragmentLayoutOf(reduce.getSrc());
  const FragmentLayout *dst = fragmentLayoutOf(reduce.getDst());
  if (!src || !dst || reduce.getStep() == tile::ReduceStep::Parts ||
      digitsAlong(*src, reduce.getDim()).empty())
    return 0;
  bool isOneALane = !target.predicatesLanes || !isUniformWithout(*src, reduce.getDim());
  Type element = cast<tile::BufferType>(reduce.getSrc().getType()).getElementType();
  int64_t bytes = std::max<int64_t>(1, bytesOf(tile::dtypeOf(element)));
  return dst->numRegs() * numWaves * (isOneALane ? target.waveLanes : 1) * bytes;
}

int64_t exchangeNeed(tile::KernelOp kernel, const TargetInfo &target) {
  int64_t shared = 0, own = 0, ownLeft = 0;
  int64_t waves = wavesOf(kernel, target);
  kernel.walk([&](tile::ScanOp scan) {
    shared = std::max(shared, scanExchangeBytes(scan, target, waves));
  });
  kernel.walk([&](tile::ReduceOp reduce) {
    int64_t bytes = alignTo(exchangeBytes(reduce, target, waves), 16);
    if (bytes > mostOwnScratch) {
      shared = std::max(shared, bytes);
      return;
    }
    if (bytes > ownLeft) {
      own += mostOwnScratch;
      ownLeft = mostOwnScratch;
    }
    ownLeft -= bytes;
  });
  return own + alignTo(shared, 1024);
}

} // namespace tilec
