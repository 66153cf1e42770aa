//===- GemmPlan.cpp - which atoms a gemm uses, and where its operands live ===//
//
// Waves are spread so that the busiest one multiplies the fewest atoms, then so
// that a wave's share is as square as possible (per K step it reads as many elements
// as it has rows and columns). Waves that have no atom of their own compute copies.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/GemmPlan.h"

#include "Layouts/KOrder.h"
#include "Layouts/LoopLayout.h"
#include "Layouts/WarpGroups.h"

#include "tilec/Base/Math.h"
#include "tilec/Layout/SameLayout.h"

#include <tuple>

namespace tilec {
namespace {

/// 32-bit registers of a lane that an operand of the atom takes.
int64_t operandRegisters(const MmaAtom &atom) {
  return ceilDiv(atom.aLayout.inputs()[0].count() * bitsOf(atom.a), 32);
}

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

/// Whether all waves of the gemm have a large atom, and no part of one is wasted.
bool fillsWaves(tile::GemmOp gemm, const MmaAtom &atom, int64_t numWaves) {
  int64_t wavesM = gemm.getPolicy() == tile::WarpPolicy::FullRow ? numWaves : 1;
  int64_t wavesN = gemm.getPolicy() == tile::WarpPolicy::FullCol ? numWaves : 1;
  return gemm.m() % (wavesM * atom.n) == 0 && gemm.n() % (wavesN * atom.m) == 0 &&
         gemm.m() * gemm.n() >= numWaves * atom.m * atom.n;
}

/// `swapped`: the atom's A is the gemm's B. `large`: also atoms with more rows and columns than
/// others. `mostRegisters`: of an operand.
const MmaAtom *chooseAtom(tile::GemmOp gemm, const TargetInfo &target, int64_t numWaves,
                          bool swapped, bool large, int64_t mostRegisters = INT64_MAX) {
  DType a = tile::dtypeOf(gemm.getA().getType().getElementType());
  DType b = tile::dtypeOf(gemm.getB().getType().getElementType());
  if (swapped)
    std::swap(a, b);
  DType c = tile::dtypeOf(gemm.getC().getType().getElementType());
  const MmaAtom *best = nullptr;
  for (const MmaAtom &atom : target.atoms()) {
    if (atom.a != a || atom.b != b || atom.c != c || operandRegisters(atom) > mostRegisters ||
        (atom.isTfloat32 && !gemm.getTfloat32()))
      continue;
    // A larger one than the others is taken where it fits, and every wave has one.
    bool isChained = gemm.getChained();
    if (atom.isLarge() && !isChained && (!large || !fillsWaves(gemm, atom, numWaves)))
      continue;
    // The first row is the fastest; a smaller K is worth it when it wastes less of the K tile.
    auto waste = [&](const MmaAtom &x) { return alignTo(gemm.k(), x.k) - gemm.k(); };
    if (!best || waste(atom) < waste(*best) ||
        (isChained && atom.isLarge() && !best->isLarge() && waste(atom) == waste(*best)))
      best = &atom;
  }
  return best;
}

constexpr int64_t lanesM = 4, lanesN = 8; ///< of a product of lanes

/// What a wave does of a product of lanes: 4 x 8 lanes multiply 4 rows with 4 columns each, over 4
/// k. In memory a run of 4 elements along K, or of rows where K is the slower dimension (`slowA`,
/// `slowB`), is one read, and lanes read neighbouring runs or, of swizzled rows, one of each. Of
/// every half of a warp lanes 0 and 1, or 0 and 2, and so on, read the same: then a read of 16
/// bytes takes shared memory one clock for the half instead of two.
MmaAtom laneAtom(bool slowA, bool slowB) {
  using Bases = llvm::SmallVector<Coords, 8>;
  constexpr int64_t own = 4; // rows, columns, k of a lane
  struct Side {
    Bases regs, lanes;
  };
  auto side = [](bool isSlow, int64_t lanes, unsigned dim) {
    Side result;
    auto put = [&](Bases &bases, int64_t first, int64_t count) {
      for (int64_t step = first; step < first * count; step *= 2)
        bases.push_back(dim == 0 ? Coords{step, 0} : Coords{0, step});
    };
    put(result.regs, isSlow ? 1 : lanes, own);
    put(result.lanes, isSlow ? own : 1, lanes);
    return result;
  };
  auto join = [](Bases first, const Bases &then) {
    first.append(then.begin(), then.end());
    return first;
  };
  auto layout = [](Bases regs, Bases lanes) {
    return LinearLayout(2, {{"register", std::move(regs)}, {"lane", std::move(lanes)}});
  };
  // Lane bits 0 and 4 go along M, those between along N.
  auto mix = [](const Bases &m, const Bases &n) { return Bases{m[0], n[0], n[1], n[2], m[1]}; };
  const Bases alongK = {{0, 1}, {0, 2}}, copies(3, Coords{0, 0});
  Side a = side(slowA, lanesM, 0), b = side(slowB, lanesN, 0);
  Side rows = side(slowA, lanesM, 0), columns = side(slowB, lanesN, 1);
  return {
      .name = "",
      .intrinsic = "",
      .a = DType::F32,
      .b = DType::F32,
      .c = DType::F32,
      .m = own * lanesM,
      .n = own * lanesN,
      .k = own,
      .aLayout = layout(slowA ? join(a.regs, alongK) : join(alongK, a.regs), mix(a.lanes, copies)),
      .bLayout = layout(slowB ? join(b.regs, alongK) : join(alongK, b.regs), mix(copies, b.lanes)),
      .cLayout = layout(join(columns.regs, rows.regs), mix(rows.lanes, columns.lanes))};
}

const MmaAtom &laneAtomOf(tile::GemmOp gemm) {
  static const MmaAtom atoms[] = {laneAtom(false, false), laneAtom(false, true),
                                  laneAtom(true, false), laneAtom(true, true)};
  return atoms[2 * int(bool(gemm.getTransposeA())) + int(!gemm.getTransposeB())];
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

bool hasLargeAtom(tile::GemmOp gemm, const TargetInfo &target, int64_t numWaves) {
  DType a = tile::dtypeOf(gemm.getA().getType().getElementType());
  DType b = tile::dtypeOf(gemm.getB().getType().getElementType());
  if (target.accumulatesColumns)
    std::swap(a, b);
  DType c = tile::dtypeOf(gemm.getC().getType().getElementType());
  const MmaAtom *fastest = target.findAtom(a, b, c, gemm.getTfloat32());
  auto clocksOfWork = [](const MmaAtom &atom) {
    return double(atom.passes) / double(atom.m * atom.n * atom.k);
  };
  return fastest && llvm::any_of(target.atoms(), [&](const MmaAtom &atom) {
           return atom.a == a && atom.b == b && atom.c == c && atom.isLarge() &&
                  gemm.k() % atom.k == 0 && fillsWaves(gemm, atom, numWaves) &&
                  clocksOfWork(atom) <= clocksOfWork(*fastest);
         });
}

bool isLaneProduct(tile::GemmOp gemm, const TargetInfo &target) {
  auto isFloat = [](mlir::Value operand) {
    return mlir::cast<tile::BufferType>(operand.getType()).getElementType().isF32();
  };
  static const MmaAtom atom = laneAtom(false, false);
  int64_t waves = wavesOf(gemm->getParentOfType<tile::KernelOp>(), target);
  return target.waveLanes == lanesM * lanesN &&
         llvm::all_of(gemm->getOperands().take_front(3), isFloat) &&
         !target.findAtom(DType::F32, DType::F32, DType::F32, gemm.getTfloat32()) &&
         gemm.m() % atom.m == 0 && gemm.n() % atom.n == 0 && gemm.k() % atom.k == 0 &&
         gemm.m() / atom.m * (gemm.n() / atom.n) % waves == 0;
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
    WaveSplit waves = splitWaves(plan, atomsM, atomsN, numWaves, gemm.getPolicy());
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

/// The layouts of a plan whose atoms, waves and rows together are known.
static void planLayouts(tile::GemmOp gemm, GemmPlan &plan) {
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
