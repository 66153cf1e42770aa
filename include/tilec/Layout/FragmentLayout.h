//===- FragmentLayout.h - where a block keeps the elements of a fragment --===//
//
// A fragment is a tile in the registers of all waves of a block. Its layout is an
// atom (a linear layout from register and lane bits to coordinates, such as the D
// operand of a matrix instruction), repeated over registers and over waves by factors
// that need not be powers of two:
//
//   coordinate[d] = atom[d] + atomShape[d] * (repetition[d] + repetitions[d] * wave[d])
//
// Elements outside `shape` are padding: their registers exist, their values do not
// matter. A lane or wave bit with a zero basis, or a wave factor without a dimension,
// holds a copy. See docs/machine-code/layouts.md.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Layout/LinearLayout.h"

namespace tilec {

/// `count` steps along `dim`; dim < 0: copies.
struct Factor {
  int64_t dim = 0;
  int64_t count = 1;
  bool operator==(const Factor &) const = default;
};

class FragmentLayout {
public:
  FragmentLayout() = default;
  /// `atom` has the inputs "register" and "lane" in this order. Factors are listed fastest first.
  FragmentLayout(Coords shape, LinearLayout atom, llvm::SmallVector<Factor, 4> reps,
                 llvm::SmallVector<Factor, 4> waves);

  unsigned rank() const { return tileShape.size(); }
  const Coords &shape() const { return tileShape; }
  const LinearLayout &atom() const { return atomLayout; }
  llvm::ArrayRef<Factor> reps() const { return repFactors; }
  llvm::ArrayRef<Factor> waves() const { return waveFactors; }

  int64_t atomRegs() const { return atomLayout.inputs()[0].count(); }
  int64_t lanes() const { return atomLayout.inputs()[1].count(); }
  int64_t numReps() const;
  int64_t numWaves() const;
  /// Elements each lane holds, padding included.
  int64_t numRegs() const { return atomRegs() * numReps(); }

  /// The element that register `reg` of lane `lane` of wave `wave` holds. May lie outside shape().
  Coords coords(int64_t reg, int64_t lane, int64_t wave) const;
  bool isInside(llvm::ArrayRef<int64_t> point) const;

  /// Number of repetitions of the atom per dimension, and of waves.
  Coords repsPerDim() const;
  Coords wavesPerDim() const;

  /// A register of (lane, wave) that holds `point`, if that lane has it.
  std::optional<int64_t> regHolding(llvm::ArrayRef<int64_t> point, int64_t lane,
                                    int64_t wave) const;

  /// The layout of a tile without dimension `dim`: what a reduction along it leaves. Registers that
  /// would be copies are dropped; lanes and waves keep copies.
  FragmentLayout withoutDim(unsigned dim) const;
  /// The layout of a tile with a new dimension of size 1 at `dim`.
  FragmentLayout withUnitDim(unsigned dim) const;
  /// The layout of the same tile in another shape, row-major: dimension `dim` is two, the second
  /// one of `inner` elements. Nothing where the atom, repetitions or waves reach across the cut, or
  /// padding does.
  std::optional<FragmentLayout> withSplitDim(unsigned dim, int64_t inner) const;
  /// The way back: dimensions `dim` and `dim` + 1 are one.
  std::optional<FragmentLayout> withMergedDims(unsigned dim) const;

  /// Whether both hold every element in the same places.
  bool operator==(const FragmentLayout &) const = default;

  std::string str() const;

private:
  Coords tileShape;
  LinearLayout atomLayout;
  llvm::SmallVector<Factor, 4> repFactors, waveFactors;
};

/// A layout for element-wise work without other wishes: `vecElems` consecutive elements of the last
/// dimension per register group, then lanes along the last dimension first, then waves over the
/// rows. `vecElems` is a power of two that divides the last extent. So many lanes as `lanesOnRows`,
/// a power of two, that are neighbours have rows of their own.
FragmentLayout blockedLayout(llvm::ArrayRef<int64_t> shape, int64_t lanes, int64_t numWaves,
                             int64_t vecElems, int64_t lanesOnRows = 1);

} // namespace tilec
