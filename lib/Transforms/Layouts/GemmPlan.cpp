//===- GemmPlan.cpp - which atoms a gemm uses, and where its operands live ===//
//
// Waves are spread so that the busiest one multiplies the fewest atoms, then so
// that a wave's share is as square as possible (it reads repsM + repsN operand
// atoms per K step). Waves that have no atom of their own compute copies.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/GemmPlan.h"

#include "Hopper/Wgmma.h"

#include "tilec/Base/Math.h"

#include <tuple>

namespace tilec {
namespace {

/// `swapped`: the atom's A is the gemm's B.
const MmaAtom *chooseAtom(tile::GemmOp gemm, const TargetInfo &target, bool swapped) {
  DType a = tile::dtypeOf(gemm.getA().getType().getElementType());
  DType b = tile::dtypeOf(gemm.getB().getType().getElementType());
  if (swapped)
    std::swap(a, b);
  DType c = tile::dtypeOf(gemm.getC().getType().getElementType());
  const MmaAtom *best = nullptr;
  for (const MmaAtom &atom : target.atoms()) {
    if (atom.a != a || atom.b != b || atom.c != c)
      continue;
    // The first row is the fastest; a smaller K is worth it when it wastes less of the K tile.
    auto waste = [&](const MmaAtom &x) { return alignTo(gemm.k(), x.k) - gemm.k(); };
    if (!best || waste(atom) < waste(*best))
      best = &atom;
  }
  return best;
}

struct WaveSplit {
  int64_t m, n;
};

WaveSplit splitWaves(int64_t atomsM, int64_t atomsN, int64_t waves, tile::WarpPolicy policy) {
  WaveSplit best{1, 1};
  auto bestCost = std::make_tuple(INT64_MAX, INT64_MAX, INT64_MAX);
  for (int64_t m = 1; m <= waves; ++m)
    for (int64_t n = 1; m * n <= waves; ++n) {
      if (waves % (m * n) != 0)
        continue;
      int64_t repsM = ceilDiv(atomsM, m), repsN = ceilDiv(atomsN, n);
      int64_t shape = policy == tile::WarpPolicy::FullRow   ? n
                      : policy == tile::WarpPolicy::FullCol ? m
                                                            : repsM + repsN;
      auto cost = std::make_tuple(repsM * repsN, shape, m * n);
      if (cost < bestCost) {
        bestCost = cost;
        best = {m, n};
      }
    }
  return best;
}

} // namespace

LinearLayout exchanged(const LinearLayout &layout) {
  llvm::SmallVector<LayoutInput, 3> inputs(layout.inputs());
  for (LayoutInput &in : inputs)
    for (Coords &base : in.bases)
      std::swap(base[0], base[1]);
  return LinearLayout(2, inputs);
}

FragmentLayout exchanged(const FragmentLayout &layout) {
  auto turned = [](llvm::ArrayRef<Factor> factors) {
    llvm::SmallVector<Factor, 4> result(factors);
    for (Factor &f : result)
      if (f.dim >= 0)
        f.dim = 1 - f.dim;
    return result;
  };
  return FragmentLayout({layout.shape()[1], layout.shape()[0]}, exchanged(layout.atom()),
                        turned(layout.reps()), turned(layout.waves()));
}

int64_t wavesOf(tile::KernelOp kernel, const TargetInfo &target) {
  return ceilDiv(kernel.getThreads(), target.waveLanes);
}

std::optional<GemmPlan> planGemm(tile::GemmOp gemm, const TargetInfo &target, int64_t numWaves) {
  if (gemm.getWarpGroup())
    return planWarpGroupGemm(gemm, target, numWaves);
  GemmPlan plan;
  plan.swapped = target.vendor == Vendor::Amd;
  plan.atom = chooseAtom(gemm, target, plan.swapped);
  if (!plan.atom)
    return std::nullopt;
  const MmaAtom &atom = *plan.atom;
  plan.atomM = plan.swapped ? atom.n : atom.m;
  plan.atomN = plan.swapped ? atom.m : atom.n;
  int64_t atomsM = ceilDiv(gemm.m(), plan.atomM), atomsN = ceilDiv(gemm.n(), plan.atomN);
  WaveSplit split = splitWaves(atomsM, atomsN, numWaves, gemm.getPolicy());
  plan.wavesM = split.m;
  plan.wavesN = split.n;
  plan.copies = numWaves / (split.m * split.n);
  plan.repsM = ceilDiv(atomsM, split.m);
  plan.repsN = ceilDiv(atomsN, split.n);
  plan.kSteps = ceilDiv(gemm.k(), atom.k);

  llvm::SmallVector<Factor, 4> waves = {{1, plan.wavesN}, {0, plan.wavesM}, {-1, plan.copies}};
  plan.c =
      FragmentLayout({gemm.m(), gemm.n()}, plan.swapped ? exchanged(atom.cLayout) : atom.cLayout,
                     {{1, plan.repsN}, {0, plan.repsM}}, waves);
  plan.a = FragmentLayout({gemm.m(), gemm.k()}, plan.swapped ? atom.bLayout : atom.aLayout,
                          {{1, plan.kSteps}, {0, plan.repsM}},
                          {{-1, plan.wavesN}, {0, plan.wavesM}, {-1, plan.copies}});
  plan.b = FragmentLayout({gemm.n(), gemm.k()}, plan.swapped ? atom.aLayout : atom.bLayout,
                          {{1, plan.kSteps}, {0, plan.repsN}},
                          {{0, plan.wavesN}, {-1, plan.wavesM}, {-1, plan.copies}});
  return plan;
}

} // namespace tilec
