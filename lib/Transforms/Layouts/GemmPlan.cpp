//===- GemmPlan.cpp - which atoms a gemm uses, and where its operands live ===//
//
// Waves are spread so that the busiest one multiplies the fewest atoms, then so
// that a wave's share is as square as possible (per K step it reads as many elements
// as it has rows and columns). Waves that have no atom of their own compute copies.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/GemmPlan.h"

#include "Layouts/GemmAtoms.h"
#include "Layouts/LoopLayout.h"
#include "Layouts/WarpGroups.h"

#include "tilec/Base/Math.h"

#include <tuple>

namespace tilec {
namespace {

/// Whether a product of the kernel takes a fragment: one that another product has made keeps its
/// lanes only between atoms of one shape.
bool hasFragmentOperands(tile::KernelOp kernel) {
  auto isFragment = [](mlir::Value operand) {
    return mlir::cast<tile::BufferType>(operand.getType()).isFragment();
  };
  auto result = kernel.walk([&](tile::GemmOp gemm) {
    return isFragment(gemm.getA()) || isFragment(gemm.getB()) ? mlir::WalkResult::interrupt()
                                                              : mlir::WalkResult::advance();
  });
  return result.wasInterrupted();
}

struct WaveSplit {
  int64_t m, n;
};

WaveSplit splitWaves(const GemmPlan &plan, int64_t atomsM, int64_t atomsN, int64_t waves,
                     tile::WarpPolicy policy) {
  WaveSplit best{1, 1};
  auto bestCost = std::make_tuple(INT64_MAX, INT64_MAX, INT64_MAX);
  for (int64_t m = 1; m <= waves; ++m)
    for (int64_t n = 1; m * n <= waves; ++n) {
      if (waves % (m * n) != 0)
        continue;
      int64_t repsM = ceilDiv(atomsM, m), repsN = ceilDiv(atomsN, n);
      int64_t shape = policy == tile::WarpPolicy::FullRow   ? n
                      : policy == tile::WarpPolicy::FullCol ? m
                      : plan.isOfLanes // lanes of a row or column read the same
                          ? repsM + repsN
                          : repsM * plan.atomM + repsN * plan.atomN;
      auto cost = std::make_tuple(repsM * repsN, shape, m * n);
      if (cost < bestCost) {
        bestCost = cost;
        best = {m, n};
      }
    }
  return best;
}

/// Whether a wave has registers for its accumulators and for the operands of one K step, where
/// these take more than one read each: else instructions of a smaller K, with a quarter
/// of that, are faster than spills.
bool operandsFit(const GemmPlan &plan, int64_t numWaves, const TargetInfo &target) {
  constexpr int64_t others = 24, wordBytes = 4;
  int64_t operand = operandRegisters(*plan.atom);
  int64_t accumulators = ceilDiv(plan.atom->cLayout.inputs()[0].count() * bitsOf(plan.atom->c), 32);
  int64_t need =
      plan.repsM * plan.repsN * accumulators + (plan.repsM + plan.repsN) * operand + others;
  return operand <= target.accessBytes / wordBytes || need <= target.registersOf(numWaves);
}

/// Rows of an operand that are fetched together and turned in registers: where K is the slower
/// dimension in memory, elements are narrower than a register, and the target has no read that
/// turns them.
int64_t rowsTogether(tile::GemmOp gemm, bool isB, const GemmPlan &plan, const TargetInfo &target) {
  constexpr int64_t readBytes = 8; // of a lane
  bool kIsRow = isB ? !gemm.getTransposeB() : bool(gemm.getTransposeA());
  tile::BufferType type = (isB ? gemm.getB() : gemm.getA()).getType();
  int64_t bits = bitsOf(tile::dtypeOf(type.getElementType()));
  if (target.hasMatrixReads || target.transposedBits || !kIsRow || !type.isShared() ||
      plan.kPack != 1 || (bits != 8 && bits != 16))
    return 1;
  const LinearLayout &operand = isB == plan.swapped ? plan.atom->aLayout : plan.atom->bLayout;
  const LayoutInput &regs = operand.inputs()[0];
  if (regs.count() * bits < 64 || llvm::any_of(regs.bases, [](auto &base) { return base[0] != 0; }))
    return 1;
  int64_t together = 8 * readBytes / bits;
  while ((isB ? plan.repsN : plan.repsM) % together != 0)
    together /= 2;
  return together;
}

/// What `k_pack` asks for where it can be had: operands of the same kind, a K of whole groups.
int64_t packOf(tile::GemmOp gemm, const MmaAtom &atom, const TargetInfo &target) {
  int64_t pack = gemm.getKPack();
  bool isShared = gemm.getA().getType().isShared() && gemm.getB().getType().isShared();
  bool fits = !target.hasMatrixReads && isShared && pack > 1 && isPowerOf2(pack) &&
              gemm.k() % (pack * atom.k) == 0;
  return fits ? pack : 1;
}

} // namespace

/// A fragment that several products add to would change its layout between them where these share
/// it out differently: a policy that one of them names is that of those that name none (`Square`),
/// and where two are named none is kept.
tile::WarpPolicy policyOf(tile::GemmOp gemm) {
  tile::WarpPolicy named = gemm.getPolicy();
  for (mlir::Operation *user : gemm.getC().getUsers()) {
    auto other = mlir::dyn_cast<tile::GemmOp>(user);
    if (!other || other.getC() != gemm.getC() || other.getPolicy() == tile::WarpPolicy::Square ||
        other.getPolicy() == named)
      continue;
    if (named != tile::WarpPolicy::Square)
      return tile::WarpPolicy::Square;
    named = other.getPolicy();
  }
  return named;
}

int64_t wavesOf(mlir::Operation *statement, const TargetInfo &target) {
  return ceilDiv(tile::threadsAt(statement), target.waveLanes);
}

/// Atoms and how waves share them.
static std::optional<GemmPlan> planAtoms(tile::GemmOp gemm, const TargetInfo &target,
                                         int64_t numWaves, bool large) {
  GemmPlan plan;
  plan.swapped = target.accumulatesColumns;
  plan.atom = chooseAtom(gemm, target, numWaves, plan.swapped, large);
  plan.isOfLanes = !plan.atom && isLaneProduct(gemm, target);
  if (plan.isOfLanes)
    plan.atom = &laneAtomOf(gemm);
  if (!plan.atom)
    return std::nullopt;
  auto split = [&] {
    plan.atomM = plan.swapped ? plan.atom->n : plan.atom->m;
    plan.atomN = plan.swapped ? plan.atom->m : plan.atom->n;
    int64_t atomsM = ceilDiv(gemm.m(), plan.atomM), atomsN = ceilDiv(gemm.n(), plan.atomN);
    WaveSplit waves = splitWaves(plan, atomsM, atomsN, numWaves, policyOf(gemm));
    plan.wavesM = waves.m;
    plan.wavesN = waves.n;
    plan.copies = numWaves / (waves.m * waves.n);
    plan.repsM = ceilDiv(atomsM, waves.m);
    plan.repsN = ceilDiv(atomsN, waves.n);
  };
  split();
  if (!operandsFit(plan, numWaves, target))
    if (const MmaAtom *smaller = chooseAtom(gemm, target, numWaves, plan.swapped, large,
                                            operandRegisters(*plan.atom) - 1)) {
      plan.atom = smaller;
      split();
    }
  plan.kPack = packOf(gemm, *plan.atom, target);
  plan.kSteps = ceilDiv(gemm.k(), plan.atom->k * plan.kPack);
  plan.togetherM = rowsTogether(gemm, false, plan, target);
  plan.togetherN = rowsTogether(gemm, true, plan, target);
  return plan;
}

static std::optional<std::pair<int64_t, int64_t>>
together(tile::GemmOp gemm, const TargetInfo &target, int64_t numWaves, bool large) {
  std::optional<GemmPlan> plan = planAtoms(gemm, target, numWaves, large);
  return plan ? std::optional(std::make_pair(plan->togetherM, plan->togetherN)) : std::nullopt;
}

KernelProducts::KernelProducts(tile::KernelOp kernel) : large(!hasFragmentOperands(kernel)) {}

const KernelProducts::Together &KernelProducts::togetherOf(mlir::Value c, const TargetInfo &target,
                                                           int64_t numWaves) {
  auto [it, isNew] = together.try_emplace(c);
  if (isNew)
    for (mlir::Operation *user : c.getUsers())
      if (auto gemm = mlir::dyn_cast<tile::GemmOp>(user); gemm && gemm.getC() == c)
        ++it->second[tilec::together(gemm, target, numWaves, large)];
  return it->second;
}

/// The accumulators of several products lie where the first wants them: rows stand together only
/// if all agree.
static void agreeOnRows(tile::GemmOp gemm, GemmPlan &plan, const TargetInfo &target,
                        int64_t numWaves, KernelProducts &products) {
  if (plan.togetherM == 1 && plan.togetherN == 1)
    return;
  auto own = together(gemm, target, numWaves, products.mayBeLarge());
  for (auto &[rows, count] : products.togetherOf(gemm.getC(), target, numWaves)) {
    if (rows == own && count == 1)
      continue; // no other product
    if (!rows || rows->first != plan.togetherM)
      plan.togetherM = 1;
    if (!rows || rows->second != plan.togetherN)
      plan.togetherN = 1;
  }
}

/// The plan with such atoms, and whether it gives C the layout that it has, if it has one.
static std::pair<std::optional<GemmPlan>, bool> planWith(tile::GemmOp gemm,
                                                         const TargetInfo &target, int64_t numWaves,
                                                         bool large, KernelProducts &products) {
  std::optional<GemmPlan> plan = planAtoms(gemm, target, numWaves, large);
  if (!plan)
    return {plan, false};
  agreeOnRows(gemm, *plan, target, numWaves, products);
  planLayouts(gemm, *plan);
  const FragmentLayout *laidOut = fragmentLayoutOf(gemm.getC());
  if (!laidOut || *laidOut == plan->c)
    return {plan, true};
  for (int64_t ofM : {plan->togetherM, int64_t(1)})
    for (int64_t ofN : {plan->togetherN, int64_t(1)}) {
      GemmPlan other = *plan;
      other.togetherM = ofM;
      other.togetherN = ofN;
      planLayouts(gemm, other);
      if (*laidOut == other.c)
        return {other, true};
    }
  return {plan, false};
}

std::optional<GemmPlan> planGemm(tile::GemmOp gemm, const TargetInfo &target, int64_t numWaves,
                                 KernelProducts &products) {
  if (gemm.getWarpGroup())
    return planWarpGroupGemm(gemm, target, numWaves);
  bool large = products.mayBeLarge();
  auto [plan, holds] = planWith(gemm, target, numWaves, large, products);
  if (holds)
    return plan;
  // A fragment that has its layout has been agreed on, also where products of the kernel have got
  // or lost fragments of their own since.
  auto [other, otherHolds] = planWith(gemm, target, numWaves, !large, products);
  return otherHolds ? other : plan;
}

//===----------------------------------------------------------------------===//
// The plan as an attribute
//===----------------------------------------------------------------------===//

void setMma(tile::GemmOp gemm, const GemmPlan &plan) {
  tile::Mma mma;
  mma.m = plan.atomM;
  mma.n = plan.atomN;
  mma.wavesM = plan.wavesM;
  mma.wavesN = plan.wavesN;
  mma.copies = plan.copies;
  mma.repsM = plan.repsM;
  mma.repsN = plan.repsN;
  mma.steps = plan.kSteps;
  mma.pack = plan.kPack;
  mma.togetherM = plan.togetherM;
  mma.togetherN = plan.togetherN;
  mma.order = plan.kOrder;
  mma.swapped = plan.swapped;
  if (plan.warpGroup) {
    const WarpGroupShape &shape = *plan.warpGroup;
    mma.unit = tile::MmaUnit::WarpGroup;
    mma.m = shape.slabRows;
    mma.n = shape.n;
    mma.k = shape.k;
    mma.repsM = shape.slabs;
    mma.repsN = shape.pieces;
  } else {
    mma.unit = plan.isOfLanes ? tile::MmaUnit::Lanes : tile::MmaUnit::Wave;
    mma.atom = plan.atom->name.str();
    mma.k = plan.atom->k;
  }
  for (int n : {0, 1})
    mma.inRegisters[n] = (n == 0 ? gemm.getA() : gemm.getB()).getType().isFragment();
  gemm.setMmaAttr(tile::MmaAttr::get(gemm.getContext(), mma));
}

/// The row of the target's table that `mma` names; null where there is none for these operands.
static const MmaAtom *atomOf(tile::GemmOp gemm, const tile::Mma &mma, const TargetInfo &target) {
  DType a = tile::dtypeOf(gemm.getA().getType().getElementType());
  DType b = tile::dtypeOf(gemm.getB().getType().getElementType());
  DType c = tile::dtypeOf(gemm.getC().getType().getElementType());
  if (mma.swapped)
    std::swap(a, b);
  const MmaAtom *found = llvm::find_if(target.atoms(), [&](const MmaAtom &atom) {
    return atom.name == mma.atom && atom.a == a && atom.b == b && atom.c == c &&
           (!atom.isTfloat32 || gemm.getTfloat32());
  });
  return found == target.atoms().end() ? nullptr : found;
}

llvm::Expected<GemmPlan> gemmPlanOf(tile::GemmOp gemm, const TargetInfo &target, int64_t numWaves) {
  auto refuse = [](const llvm::Twine &why) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), why);
  };
  if (!gemm.getMmaAttr())
    return refuse("has no `mma`: run tile-infer-layouts first");
  const tile::Mma &mma = gemm.getMmaAttr().getMma();
  if (mma.wavesM * mma.wavesN * mma.copies != numWaves)
    return refuse("is multiplied by " + llvm::Twine(mma.wavesM * mma.wavesN * mma.copies) +
                  " waves, the block has " + llvm::Twine(numWaves));
  if (mma.unit == tile::MmaUnit::WarpGroup)
    return warpGroupPlanOf(gemm, mma, target);
  GemmPlan plan;
  plan.isOfLanes = mma.unit == tile::MmaUnit::Lanes;
  plan.atom = !plan.isOfLanes               ? atomOf(gemm, mma, target)
              : isLaneProduct(gemm, target) ? &laneAtomOf(gemm)
                                            : nullptr;
  plan.swapped = mma.swapped;
  plan.atomM = mma.m;
  plan.atomN = mma.n;
  bool keepsOrder = mma.pack == 1 && mma.order.empty();
  if (!plan.atom || plan.swapped != target.accumulatesColumns ||
      (target.hasMatrixReads && !keepsOrder) ||
      (plan.swapped ? plan.atom->n : plan.atom->m) != mma.m ||
      (plan.swapped ? plan.atom->m : plan.atom->n) != mma.n || plan.atom->k != mma.k)
    return refuse((plan.isOfLanes ? std::string("is a product of lanes")
                                  : "names the instruction `" + mma.atom + "`") +
                  llvm::Twine(", which ") + nameOf(target.arch) + " does not have so");
  plan.wavesM = mma.wavesM;
  plan.wavesN = mma.wavesN;
  plan.copies = mma.copies;
  plan.repsM = mma.repsM;
  plan.repsN = mma.repsN;
  plan.kSteps = mma.steps;
  plan.kPack = mma.pack;
  plan.togetherM = mma.togetherM;
  plan.togetherN = mma.togetherN;
  plan.kOrder = mma.order;
  for (bool isB : {false, true}) {
    int64_t together = isB ? plan.togetherN : plan.togetherM;
    if (together > 1 && together != rowsTogether(gemm, isB, plan, target))
      return refuse("reads " + llvm::Twine(together) + " rows of an operand together, which " +
                    nameOf(target.arch) + " cannot");
  }
  planLayouts(gemm, plan);
  return plan;
}

} // namespace tilec
