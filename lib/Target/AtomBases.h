//===- AtomBases.h - bases of a matrix instruction's layouts --------------===//
//
// Takes steps of registers and lanes along rows and columns, gives the linear layout of a matrix
// operand.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Layout/LinearLayout.h"

#include <utility>

namespace tilec {

using Bases = llvm::SmallVector<Coords, 8>;

/// Steps along one of two dimensions, from `first` to below `end`.
inline Bases along(unsigned dim, int64_t first, int64_t end) {
  Bases bases;
  for (int64_t step = first; step < end; step *= 2)
    bases.push_back(dim == 0 ? Coords{step, 0} : Coords{0, step});
  return bases;
}

inline Bases operator+(Bases a, const Bases &b) {
  a.append(b.begin(), b.end());
  return a;
}

inline LinearLayout atomLayout(Bases regs, Bases lanes) {
  return LinearLayout(2, {{"register", std::move(regs)}, {"lane", std::move(lanes)}});
}

} // namespace tilec
