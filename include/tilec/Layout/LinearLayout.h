//===- LinearLayout.h - maps between bits, linear over F2 -----------------===//
//
// A linear layout sends the bits of named inputs (register, lane, offset, ...) to
// coordinates: every input bit has a basis vector, and the image of a number is the
// XOR of the bases of its set bits. Matrix fragments, swizzles and bank questions
// are all such maps. The idea is Triton's (Zhou et al., "Linear Layouts", 2025).
// See docs/machine-code/layouts.md for a worked example.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tilec {

/// A point of a tile: one number per dimension.
using Coords = llvm::SmallVector<int64_t, 4>;

/// The bases of one input: bit b of the input contributes `bases[b]`.
struct LayoutInput {
  std::string name;
  llvm::SmallVector<Coords, 8> bases;

  unsigned bits() const { return bases.size(); }
  int64_t count() const { return int64_t(1) << bases.size(); }
  bool operator==(const LayoutInput &) const = default;
};

class LinearLayout {
public:
  LinearLayout() = default;
  /// `rank` coordinates come out; each input's bases have that many entries.
  LinearLayout(unsigned rank, llvm::SmallVector<LayoutInput, 3> inputs);

  unsigned rank() const { return outRank; }
  llvm::ArrayRef<LayoutInput> inputs() const { return ins; }
  const LayoutInput &input(llvm::StringRef name) const;
  bool hasInput(llvm::StringRef name) const;

  /// The image of one value per input, in the order of inputs().
  Coords apply(llvm::ArrayRef<int64_t> values) const;

  /// Per coordinate, the smallest power of two above every image: the box that is covered.
  Coords boxShape() const;

  /// Whether different inputs always have different images.
  bool isInjective() const;
  /// Whether every point of boxShape() is an image.
  bool isSurjective() const;

  /// For a point of the box, values of the inputs that map to it, or nothing when it is no image.
  /// Inputs that do not matter are 0, so the answer is the smallest one.
  std::optional<llvm::SmallVector<int64_t, 4>> preimage(llvm::ArrayRef<int64_t> point) const;

  /// Forgets coordinate `dim`; bases may become zero (copies).
  LinearLayout withoutDim(unsigned dim) const;
  /// The same map without the input bits whose basis is zero.
  LinearLayout withoutZeroBases(llvm::StringRef inputName) const;

  bool operator==(const LinearLayout &) const = default;

  /// `register=[[0,1]] lane=[[1,0],[2,0]]`, for messages and tests.
  std::string str() const;

private:
  unsigned outRank = 0;
  llvm::SmallVector<LayoutInput, 3> ins;
};

} // namespace tilec
