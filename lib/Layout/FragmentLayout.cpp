//===- FragmentLayout.cpp - where a block keeps the elements of a fragment ===//
//
// Takes an atom and how often it is repeated over registers and waves, gives coordinates of a
// register of a lane, and the way back.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Layout/FragmentLayout.h"

#include "tilec/Layout/SameLayout.h"

#include "tilec/Base/Math.h"

#include "llvm/Support/raw_ostream.h"

#include <cassert>
#include <numeric>

namespace tilec {
namespace {

int64_t product(llvm::ArrayRef<Factor> factors) {
  int64_t n = 1;
  for (const Factor &f : factors)
    n *= f.count;
  return n;
}

/// Adds the digits of `number` in the mixed radix of `factors` to `digits`, per dimension; a
/// dimension that occurs again counts on from where it stopped.
void addDigits(llvm::ArrayRef<Factor> factors, int64_t number, Coords &digits) {
  Coords weight(digits.size(), 1);
  for (const Factor &f : factors) {
    int64_t digit = number % f.count;
    number /= f.count;
    if (f.dim < 0)
      continue;
    digits[f.dim] += digit * weight[f.dim];
    weight[f.dim] *= f.count;
  }
}

Coords perDim(llvm::ArrayRef<Factor> factors, unsigned rank) {
  Coords counts(rank, 1);
  for (const Factor &f : factors)
    if (f.dim >= 0)
      counts[f.dim] *= f.count;
  return counts;
}

} // namespace

FragmentLayout::FragmentLayout(Coords shape, LinearLayout atom, llvm::SmallVector<Factor, 4> reps,
                               llvm::SmallVector<Factor, 4> waves)
    : tileShape(std::move(shape)), atomLayout(std::move(atom)) {
  assert(atomLayout.inputs().size() == 2 && atomLayout.rank() == tileShape.size());
  for (const Factor &f : reps)
    if (f.count != 1)
      repFactors.push_back(f);
  for (const Factor &f : waves)
    if (f.count != 1)
      waveFactors.push_back(f);
}

int64_t FragmentLayout::numReps() const { return product(repFactors); }
int64_t FragmentLayout::numWaves() const { return product(waveFactors); }
Coords FragmentLayout::repsPerDim() const { return perDim(repFactors, rank()); }
Coords FragmentLayout::wavesPerDim() const { return perDim(waveFactors, rank()); }

Coords FragmentLayout::coords(int64_t reg, int64_t lane, int64_t wave) const {
  Coords point = atomLayout.apply({reg % atomRegs(), lane});
  Coords box = atomLayout.boxShape(), reps = repsPerDim();
  Coords repDigits(rank(), 0), waveDigits(rank(), 0);
  addDigits(repFactors, reg / atomRegs(), repDigits);
  addDigits(waveFactors, wave, waveDigits);
  for (unsigned d = 0; d < rank(); ++d)
    point[d] += box[d] * (repDigits[d] + reps[d] * waveDigits[d]);
  return point;
}

bool FragmentLayout::isInside(llvm::ArrayRef<int64_t> point) const {
  for (auto [value, size] : llvm::zip(point, tileShape))
    if (value < 0 || value >= size)
      return false;
  return true;
}

std::optional<int64_t> FragmentLayout::regHolding(llvm::ArrayRef<int64_t> point, int64_t lane,
                                                  int64_t wave) const {
  // Solved digit by digit: the wave fixes its part, the rest is a repetition and an atom point.
  Coords box = atomLayout.boxShape(), reps = repsPerDim();
  Coords waveDigits(rank(), 0), inAtom(rank(), 0), repDigits(rank(), 0);
  addDigits(waveFactors, wave, waveDigits);
  for (unsigned d = 0; d < rank(); ++d) {
    int64_t rest = point[d] - box[d] * reps[d] * waveDigits[d];
    if (rest < 0 || rest >= box[d] * reps[d])
      return std::nullopt;
    repDigits[d] = rest / box[d];
    inAtom[d] = rest % box[d];
  }
  Coords laneImage = atomLayout.apply({0, lane});
  for (unsigned d = 0; d < rank(); ++d)
    inAtom[d] ^= laneImage[d];
  LinearLayout regOnly(rank(), {atomLayout.inputs()[0]});
  bool isOrigin = llvm::all_of(inAtom, [](int64_t c) { return c == 0; });
  int64_t reg = 0;
  if (!isOrigin) {
    auto found = regOnly.preimage(inAtom);
    if (!found)
      return std::nullopt;
    reg = (*found)[0];
  }
  // Repetition digits back to a number.
  int64_t rep = 0, weight = 1;
  Coords left = repDigits;
  for (const Factor &f : repFactors) {
    if (f.dim >= 0) {
      rep += (left[f.dim] % f.count) * weight;
      left[f.dim] /= f.count;
    }
    weight *= f.count;
  }
  return rep * atomRegs() + reg;
}

/// The same with as few repetitions as can be: those by powers of two are register bits of the
/// atom.
static FragmentLayout folded(const FragmentLayout &layout) {
  llvm::SmallVector<LayoutInput, 3> inputs(layout.atom().inputs());
  Coords box = layout.atom().boxShape();
  llvm::SmallVector<Factor, 4> reps;
  for (Factor f : layout.reps()) {
    // What follows an odd factor counts on from it.
    while (reps.empty() && f.dim >= 0 && f.count % 2 == 0) {
      Coords base(layout.rank(), 0);
      base[f.dim] = box[f.dim];
      inputs[0].bases.push_back(base);
      box[f.dim] *= 2;
      f.count /= 2;
    }
    if (f.count != 1)
      reps.push_back(f);
  }
  return FragmentLayout(Coords(layout.shape()), LinearLayout(layout.rank(), inputs), reps,
                        llvm::SmallVector<Factor, 4>(layout.waves()));
}

bool holdsLike(const FragmentLayout &a, const FragmentLayout &b) {
  return a == b || folded(a) == folded(b);
}

FragmentLayout FragmentLayout::withoutDim(unsigned dim) const {
  Coords shape = tileShape;
  shape.erase(shape.begin() + dim);
  llvm::SmallVector<Factor, 4> reps, waves;
  auto shifted = [&](Factor f) {
    f.dim = f.dim == int64_t(dim) ? -1 : f.dim > int64_t(dim) ? f.dim - 1 : f.dim;
    return f;
  };
  for (const Factor &f : repFactors)
    if (shifted(f).dim >= 0)
      reps.push_back(shifted(f));
  for (const Factor &f : waveFactors)
    waves.push_back(shifted(f));
  return FragmentLayout(shape, atomLayout.withoutDim(dim).withoutZeroBases("register"), reps,
                        waves);
}

/// The factors where a dimension was inserted at `dim`: those from it on move up.
static llvm::SmallVector<Factor, 4> movedUp(llvm::ArrayRef<Factor> factors, unsigned dim) {
  llvm::SmallVector<Factor, 4> result(factors);
  for (Factor &f : result)
    if (f.dim >= int64_t(dim))
      ++f.dim;
  return result;
}

FragmentLayout FragmentLayout::withUnitDim(unsigned dim) const {
  Coords shape = tileShape;
  shape.insert(shape.begin() + dim, 1);
  llvm::SmallVector<LayoutInput, 3> inputs(atomLayout.inputs());
  for (LayoutInput &in : inputs)
    for (Coords &base : in.bases)
      base.insert(base.begin() + dim, 0);
  return FragmentLayout(shape, LinearLayout(rank() + 1, inputs), movedUp(repFactors, dim),
                        movedUp(waveFactors, dim));
}

/// Cuts the digits of `dim` at `left` steps: what lies below stays there, the rest goes to the
/// dimension before it. Lowers `left` to what is not found; false where a factor does not divide.
static bool cut(llvm::ArrayRef<Factor> factors, int64_t dim, int64_t &left,
                llvm::SmallVector<Factor, 4> &result) {
  for (const Factor &f : factors) {
    if (f.dim != dim + 1) { // numbers are those of the new dimensions
      result.push_back(f);
      continue;
    }
    int64_t below = std::gcd(f.count, left);
    if (below != left && below != f.count)
      return false;
    left /= below;
    result.push_back({dim + 1, below});
    result.push_back({dim, f.count / below});
  }
  return true;
}

std::optional<FragmentLayout> FragmentLayout::withSplitDim(unsigned dim, int64_t inner) const {
  int64_t box = atomLayout.boxShape()[dim], size = tileShape[dim];
  if (!isPowerOf2(inner) || size % inner != 0 ||
      box * repsPerDim()[dim] * wavesPerDim()[dim] != size)
    return std::nullopt;
  Coords shape = tileShape;
  shape[dim] = size / inner;
  shape.insert(shape.begin() + dim + 1, inner);
  llvm::SmallVector<LayoutInput, 3> inputs(atomLayout.inputs());
  for (LayoutInput &in : inputs)
    for (Coords &base : in.bases) {
      int64_t value = base[dim];
      if (value > inner && value % inner != 0)
        return std::nullopt;
      base[dim] = value / inner;
      base.insert(base.begin() + dim + 1, value % inner);
    }
  llvm::SmallVector<Factor, 4> reps, waves;
  int64_t left = std::max<int64_t>(inner / box, 1);
  if (!cut(movedUp(repFactors, dim), dim, left, reps) ||
      !cut(movedUp(waveFactors, dim), dim, left, waves) || left != 1)
    return std::nullopt;
  return FragmentLayout(shape, LinearLayout(rank() + 1, inputs), reps, waves);
}

std::optional<FragmentLayout> FragmentLayout::withMergedDims(unsigned dim) const {
  // Repetitions as bits of the atom: those of the second dimension lie below the first one's atom.
  FragmentLayout own = folded(*this);
  int64_t inner = tileShape[dim + 1];
  bool isOneAtom = own.atomLayout.boxShape()[dim + 1] == inner;
  bool isOneFirst = own.atomLayout.boxShape()[dim] == 1 && own.repsPerDim()[dim] == 1;
  if (own.atomLayout.boxShape()[dim + 1] * own.repsPerDim()[dim + 1] * own.wavesPerDim()[dim + 1] !=
          inner ||
      !(isOneAtom || isOneFirst))
    return std::nullopt;
  Coords shape = tileShape;
  shape[dim] *= inner;
  shape.erase(shape.begin() + dim + 1);
  llvm::SmallVector<LayoutInput, 3> inputs(own.atomLayout.inputs());
  for (LayoutInput &in : inputs)
    for (Coords &base : in.bases) {
      base[dim] = base[dim] * inner + base[dim + 1];
      base.erase(base.begin() + dim + 1);
    }
  // Of one dimension the factors count on from each other: those of the second one come first.
  auto moved = [&](llvm::ArrayRef<Factor> factors) {
    llvm::SmallVector<Factor, 4> result(factors);
    for (Factor &f : result)
      if (f.dim > int64_t(dim))
        --f.dim;
    return result;
  };
  bool isOrdered = true, sawFirst = false;
  for (const Factor &f : own.waveFactors) {
    isOrdered &= !(sawFirst && f.dim == int64_t(dim) + 1);
    sawFirst |= f.dim == int64_t(dim);
  }
  if (!isOrdered)
    return std::nullopt;
  return FragmentLayout(shape, LinearLayout(rank() - 1, inputs), moved(own.repFactors),
                        moved(own.waveFactors));
}

std::string FragmentLayout::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto list = [&](llvm::ArrayRef<Factor> factors) {
    os << '[';
    llvm::interleave(
        factors, os, [&](const Factor &f) { os << '[' << f.dim << ',' << f.count << ']'; }, ",");
    os << ']';
  };
  os << "shape=[";
  llvm::interleave(tileShape, os, ",");
  os << "] " << atomLayout.str() << " reps=";
  list(repFactors);
  os << " waves=";
  list(waveFactors);
  return text;
}

FragmentLayout blockedLayout(llvm::ArrayRef<int64_t> shape, int64_t lanes, int64_t numWaves,
                             int64_t vecElems, int64_t lanesOnRows) {
  unsigned rank = shape.size();
  assert(rank > 0 && isPowerOf2(vecElems) && isPowerOf2(lanes) && isPowerOf2(lanesOnRows));
  LayoutInput regs{"register", {}}, laneBits{"lane", {}};
  Coords box(rank, 1); // covered so far, powers of two
  auto addBit = [&](LayoutInput &in, unsigned dim) {
    Coords base(rank, 0);
    base[dim] = box[dim];
    box[dim] *= 2;
    in.bases.push_back(base);
  };
  for (int64_t v = 1; v < vecElems; v *= 2)
    addBit(regs, rank - 1);
  int rows = int(rank) - 2; // the last dimension but one that has several
  while (rows >= 0 && shape[rows] == 1)
    --rows;
  for (int64_t l = 1; l < lanes; l *= 2) {
    // Innermost dimension that the lanes do not cover yet; copies when all are covered.
    int dim = l < lanesOnRows ? rows : int(rank) - 1;
    while (dim >= 0 && box[dim] >= shape[dim])
      --dim;
    if (dim >= 0)
      addBit(laneBits, dim);
    else
      laneBits.bases.push_back(Coords(rank, 0));
  }
  // Waves go to the outermost dimension that still has rows for them, the rest are copies.
  llvm::SmallVector<Factor, 4> waves, reps;
  Coords units(rank);
  for (unsigned d = 0; d < rank; ++d)
    units[d] = ceilDiv(shape[d], box[d]);
  int64_t wavesLeft = numWaves;
  Coords wavesOf(rank, 1);
  for (unsigned d = 0; d < rank && wavesLeft > 1; ++d) {
    int64_t most = 1;
    for (int64_t w = 1; w <= wavesLeft; ++w)
      if (wavesLeft % w == 0 && w <= units[d])
        most = w;
    wavesOf[d] = most;
    wavesLeft /= most;
  }
  for (int d = rank - 1; d >= 0; --d)
    waves.push_back({d, wavesOf[d]});
  waves.push_back({-1, wavesLeft});
  for (int d = rank - 1; d >= 0; --d)
    reps.push_back({d, ceilDiv(units[d], wavesOf[d])});
  return FragmentLayout(Coords(shape), LinearLayout(rank, {regs, laneBits}), reps, waves);
}

} // namespace tilec
