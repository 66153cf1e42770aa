//===- GemmAtoms.cpp - which matrix instruction multiplies a product ------===//
//
// The first row of the types is the fastest: a smaller K is taken where it wastes less, a larger
// atom where every wave has one. Where no instruction has all bits of f32, lanes multiply.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/GemmAtoms.h"

#include "Layouts/GemmPlan.h"

#include "tilec/Base/Math.h"

namespace tilec {

int64_t operandRegisters(const MmaAtom &atom) {
  return ceilDiv(atom.aLayout.inputs()[0].count() * bitsOf(atom.a), 32);
}

namespace {

/// Whether all waves of the gemm have a large atom, and no part of one is wasted.
bool fillsWaves(tile::GemmOp gemm, const MmaAtom &atom, int64_t numWaves) {
  tile::WarpPolicy policy = policyOf(gemm);
  int64_t wavesM = policy == tile::WarpPolicy::FullRow ? numWaves : 1;
  int64_t wavesN = policy == tile::WarpPolicy::FullCol ? numWaves : 1;
  return gemm.m() % (wavesM * atom.n) == 0 && gemm.n() % (wavesN * atom.m) == 0 &&
         gemm.m() * gemm.n() >= numWaves * atom.m * atom.n;
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

} // namespace

const MmaAtom *chooseAtom(tile::GemmOp gemm, const TargetInfo &target, int64_t numWaves,
                          bool swapped, bool large, int64_t mostRegisters) {
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

const MmaAtom &laneAtomOf(tile::GemmOp gemm) {
  static const MmaAtom atoms[] = {laneAtom(false, false), laneAtom(false, true),
                                  laneAtom(true, false), laneAtom(true, true)};
  return atoms[2 * int(bool(gemm.getTransposeA())) + int(!gemm.getTransposeB())];
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

} // namespace tilec
