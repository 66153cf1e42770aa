//===- ScanLayout.cpp - where a scan wants its elements -------------------===//
//
// Deals the elements of a tile to registers, lanes and waves along the scanned dimension first.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/ScanLayout.h"

#include "Layouts/LoopLayout.h"

#include "tilec/Base/Math.h"

using namespace mlir;

namespace tilec {

namespace {

/// What has been dealt out of a tile, per dimension.
class Deal {
public:
  Deal(llvm::ArrayRef<int64_t> shape, int64_t lanes, int64_t numWaves)
      : shape(shape), extent(shape.size(), 1), wavesAlong(shape.size(), 1), lanesLeft(lanes),
        wavesLeft(numWaves), inputs{{"register", {}}, {"lane", {}}} {}

  int64_t left(unsigned d) const { return ceilDiv(shape[d], extent[d]); }
  void addBit(unsigned input, unsigned d) {
    Coords base(shape.size(), 0);
    base[d] = extent[d];
    extent[d] *= 2;
    inputs[input].bases.push_back(base);
  }
  void dealLanes(unsigned d) {
    for (; lanesLeft > 1 && left(d) > 1; lanesLeft /= 2)
      addBit(1, d);
  }
  void dealWaves(unsigned d) {
    int64_t count = std::min(left(d), wavesLeft);
    while (wavesLeft % count != 0)
      --count;
    wavesLeft /= count;
    wavesAlong[d] = count;
    waves.push_back({int64_t(d), count});
  }
  /// `dim` is the fastest of the repetitions.
  FragmentLayout finish(unsigned dim) {
    for (; lanesLeft > 1; lanesLeft /= 2) // copies
      inputs[1].bases.push_back(Coords(shape.size(), 0));
    waves.push_back({-1, wavesLeft});
    llvm::SmallVector<Factor, 4> reps = {{int64_t(dim), ceilDiv(left(dim), wavesAlong[dim])}};
    for (unsigned d = shape.size(); d-- > 0;)
      if (d != dim)
        reps.push_back({int64_t(d), ceilDiv(left(d), wavesAlong[d])});
    return FragmentLayout(Coords(shape), LinearLayout(shape.size(), inputs), reps, waves);
  }

private:
  llvm::ArrayRef<int64_t> shape;
  Coords extent, wavesAlong;
  int64_t lanesLeft, wavesLeft;
  llvm::SmallVector<LayoutInput, 3> inputs;
  llvm::SmallVector<Factor, 4> waves;
};

} // namespace

FragmentLayout scanLayout(llvm::ArrayRef<int64_t> shape, int64_t dim, int64_t run, int64_t lanes,
                          int64_t numWaves) {
  unsigned last = shape.size() - 1;
  int64_t total = 1;
  for (int64_t size : shape)
    total *= size;
  while (run > 1 && (shape.back() % run != 0 || total < run * lanes * numWaves))
    run /= 2;
  Deal deal(shape, lanes, numWaves);
  for (int64_t r = 1; r < run; r *= 2)
    deal.addBit(0, last);
  deal.dealLanes(last);
  if (unsigned(dim) != last)
    deal.dealLanes(dim);
  for (unsigned d = last; d-- > 0;)
    if (d != unsigned(dim))
      deal.dealLanes(d);
  // Waves that scan lines of their own need not tell each other anything.
  for (unsigned d = shape.size(); d-- > 0;)
    if (d != unsigned(dim))
      deal.dealWaves(d);
  deal.dealWaves(dim);
  return deal.finish(dim);
}

FragmentLayout scanLayoutOf(tile::ScanOp scan, const TargetInfo &target, int64_t numWaves) {
  int64_t bytes =
      std::max(bytesOf(tile::dtypeOf(scan.getSrc())), bytesOf(tile::dtypeOf(scan.getDst())));
  return scanLayout(cast<tile::BufferType>(scan.getSrc().getType()).getShape(), scan.getDim(),
                    std::max<int64_t>(1, target.accessBytes / bytes), target.waveLanes, numWaves);
}

bool isScannable(const FragmentLayout &layout, int64_t dim) {
  // Steps along the dimension grow from one part to the next, and are steps along it alone.
  int64_t next = 1;
  for (const LayoutInput &in : layout.atom().inputs())
    for (const Coords &base : in.bases) {
      if (base[dim] == 0)
        continue;
      for (auto [d, step] : llvm::enumerate(base))
        if (int64_t(d) != dim && step != 0)
          return false;
      if (base[dim] != next)
        return false;
      next *= 2;
    }
  return true;
}

DType scanDType(DType from, DType to) {
  if (isFloat(from) || isFloat(to))
    return from == DType::F64 || to == DType::F64 ? DType::F64 : DType::F32;
  bool isWide = bitsOf(from) > 32 || bitsOf(to) > 32;
  return isUnsigned(from) ? isWide ? DType::U64 : DType::U32 : isWide ? DType::I64 : DType::I32;
}

int64_t scanExchangeBytes(tile::ScanOp scan, const TargetInfo &target, int64_t numWaves) {
  const FragmentLayout *layout = fragmentLayoutOf(scan.getSrc());
  if (!layout || layout->wavesPerDim()[scan.getDim()] == 1)
    return 0;
  int64_t lines = layout->withoutDim(scan.getDim()).numRegs();
  int64_t bytes = bytesOf(scanDType(tile::dtypeOf(scan.getSrc()), tile::dtypeOf(scan.getDst())));
  return lines * numWaves * target.waveLanes * bytes;
}

} // namespace tilec
