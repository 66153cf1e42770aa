//===- GemmLayouts.cpp - layouts of a product's operands and result -------===//
//
// Takes a plan whose atoms, waves and rows together are known, gives the layouts of A, B and C;
// which order of K an operand that has its layout asks for; where reads that transpose fetch.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/GemmPlan.h"
#include "Layouts/KOrder.h"

#include "tilec/Base/Math.h"
#include "tilec/Layout/SameLayout.h"

namespace tilec {
namespace {

/// An operand's atom with the operands of `times` atoms along K side by side in a lane: which k is
/// whose changes, the same way for A and B.
LinearLayout packed(const LinearLayout &operand, int64_t times) {
  llvm::SmallVector<LayoutInput, 3> inputs(operand.inputs());
  int64_t run = int64_t(1) << inputs[0].bits();
  for (Coords &base : inputs[1].bases)
    base[1] *= times;
  for (int64_t step = run; step < run * times; step *= 2)
    inputs[0].bases.push_back({0, step});
  return LinearLayout(2, inputs);
}

/// An operand's atom whose k are those of `order` (GemmPlan::kOrder).
LinearLayout reordered(const LinearLayout &operand, llvm::ArrayRef<int64_t> order) {
  llvm::SmallVector<LayoutInput, 3> inputs(operand.inputs());
  for (LayoutInput &in : inputs)
    for (Coords &base : in.bases)
      if (base[1] != 0)
        base[1] = order[log2Floor(base[1])];
  return LinearLayout(2, inputs);
}

/// A layout of [rows, columns] whose coordinate `dim` has room for `times` rows between its own:
/// those are `at` the register bits from here on.
LinearLayout spread(const LinearLayout &layout, unsigned dim, int64_t times, unsigned at) {
  llvm::SmallVector<LayoutInput, 3> inputs(layout.inputs());
  for (LayoutInput &in : inputs)
    for (Coords &base : in.bases)
      base[dim] *= times;
  for (int64_t step = 1; step < times; step *= 2) {
    Coords base{0, 0};
    base[dim] = step;
    inputs[0].bases.insert(inputs[0].bases.begin() + at++, base);
  }
  return LinearLayout(2, inputs);
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

void planLayouts(tile::GemmOp gemm, GemmPlan &plan) {
  const MmaAtom &atom = *plan.atom;

  llvm::SmallVector<Factor, 4> waves = {{1, plan.wavesN}, {0, plan.wavesM}, {-1, plan.copies}};
  LinearLayout c = plan.swapped ? exchanged(atom.cLayout) : atom.cLayout;
  c = spread(c, 1, plan.togetherN, 0);
  c = spread(c, 0, plan.togetherM, c.inputs()[0].bits());
  plan.c =
      FragmentLayout({gemm.m(), gemm.n()}, c,
                     {{1, plan.repsN / plan.togetherN}, {0, plan.repsM / plan.togetherM}}, waves);
  LinearLayout a = plan.swapped ? atom.bLayout : atom.aLayout;
  LinearLayout b = plan.swapped ? atom.aLayout : atom.bLayout;
  if (plan.kPack > 1) {
    a = packed(a, plan.kPack);
    b = packed(b, plan.kPack);
  }
  if (!plan.kOrder.empty()) {
    a = reordered(a, plan.kOrder);
    b = reordered(b, plan.kOrder);
  }
  a = spread(a, 0, plan.togetherM, a.inputs()[0].bits());
  b = spread(b, 0, plan.togetherN, b.inputs()[0].bits());
  plan.a =
      FragmentLayout({gemm.m(), gemm.k()}, a, {{1, plan.kSteps}, {0, plan.repsM / plan.togetherM}},
                     {{-1, plan.wavesN}, {0, plan.wavesM}, {-1, plan.copies}});
  plan.b =
      FragmentLayout({gemm.n(), gemm.k()}, b, {{1, plan.kSteps}, {0, plan.repsN / plan.togetherN}},
                     {{0, plan.wavesN}, {-1, plan.wavesM}, {-1, plan.copies}});
}

FragmentLayout operandLayout(tile::GemmOp gemm, bool isB, const GemmPlan &plan) {
  if (isB)
    return gemm.getTransposeB() ? plan.b : exchanged(plan.b);
  return gemm.getTransposeA() ? exchanged(plan.a) : plan.a;
}

std::optional<llvm::SmallVector<int64_t>>
kOrderFor(tile::GemmOp gemm, bool isB, const FragmentLayout &fragment, const GemmPlan &plan) {
  if (plan.warpGroup || plan.kPack != 1 || !isPowerOf2(plan.atom->k))
    return std::nullopt;
  if (!plan.kOrder.empty()) {
    if (!holdsLike(operandLayout(gemm, isB, plan), fragment))
      return std::nullopt;
    return llvm::SmallVector<int64_t>(plan.kOrder);
  }
  bool isExchanged = isB ? !gemm.getTransposeB() : bool(gemm.getTransposeA());
  const FragmentLayout &wanted = isB ? plan.b : plan.a;
  FragmentLayout own = isExchanged ? exchanged(fragment) : fragment;
  // Element (register, lane) of the first atom has k `order` of the one it is asked for; the rest
  // follows, or does not.
  llvm::SmallVector<int64_t> order(log2Floor(plan.atom->k), 0);
  for (auto [in, input] : llvm::enumerate(wanted.atom().inputs()))
    for (auto [bit, base] : llvm::enumerate(input.bases)) {
      if (base[1] == 0)
        continue;
      int64_t number = int64_t(1) << bit;
      if (number >= (in == 0 ? own.numRegs() : own.lanes()))
        return std::nullopt;
      Coords at = own.coords(in == 0 ? number : 0, in == 0 ? 0 : number, 0);
      if (at[0] != 0 || !isPowerOf2(at[1]) || at[1] >= plan.atom->k)
        return std::nullopt;
      order[log2Floor(base[1])] = at[1];
    }
  llvm::SmallVector<int64_t> sorted(order);
  llvm::sort(sorted);
  for (auto [bit, worth] : llvm::enumerate(sorted))
    if (worth != int64_t(1) << bit)
      return std::nullopt;
  FragmentLayout result(Coords(wanted.shape()), reordered(wanted.atom(), order),
                        llvm::SmallVector<Factor, 4>(wanted.reps()),
                        llvm::SmallVector<Factor, 4>(wanted.waves()));
  if (!holdsLike(result, own))
    return std::nullopt;
  return order;
}

//===----------------------------------------------------------------------===//
// Transposing reads
//===----------------------------------------------------------------------===//

bool readsTransposed(const FragmentLayout &operand, bool kIsRow, DType dtype,
                     const TargetInfo &target) {
  int64_t bits = bitsOf(dtype);
  int64_t given = target.transposedRead(bits);
  if (given == 0 || !kIsRow)
    return false;
  // 16 lanes, one row each, and enough registers along K.
  const LayoutInput &regs = operand.atom().inputs()[0], &lanes = operand.atom().inputs()[1];
  unsigned runBits = log2Floor(given / bits);
  if (regs.bits() < runBits || lanes.bits() < 4)
    return false;
  for (unsigned bit = 0; bit < runBits; ++bit)
    if (regs.bases[bit][0] != 0)
      return false;
  for (unsigned bit = 0; bit < 4; ++bit)
    if (lanes.bases[bit] != Coords{int64_t(1) << bit, 0})
      return false;
  return true;
}

FragmentLayout transposedAddresses(const FragmentLayout &operand, DType dtype,
                                   const TargetInfo &target) {
  // 16 lanes give the addresses of 16 runs along the rows: as many as a k has, then the k of the
  // next register.
  int64_t run = target.transposedRead(bitsOf(dtype)) / bitsOf(dtype);
  LayoutInput lanes{"lane", {}}, box{"register", {}};
  for (int64_t row = run; row < 16; row *= 2)
    lanes.bases.push_back({row, 0});
  for (unsigned bit = 0; lanes.bases.size() < 4; ++bit)
    lanes.bases.push_back(operand.atom().inputs()[0].bases[bit]);
  llvm::append_range(lanes.bases, llvm::drop_begin(operand.atom().inputs()[1].bases, 4));
  // The atom's box is the same, so waves and repetitions are too.
  Coords full = operand.atom().boxShape();
  for (unsigned d : {0u, 1u})
    for (int64_t step = 1; step < full[d]; step *= 2) {
      Coords base{0, 0};
      base[d] = step;
      box.bases.push_back(base);
    }
  return FragmentLayout(Coords(operand.shape()), LinearLayout(2, {box, lanes}),
                        llvm::SmallVector<Factor, 4>(operand.reps()),
                        llvm::SmallVector<Factor, 4>(operand.waves()));
}

} // namespace tilec
