//===- NarrowAtoms.h - matrix instructions that no gemm takes yet ---------===//
//
// Those with operands of 4 bits, which have a byte each in shared memory, and those
// with scales. Wave IR may name the former.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Target/Target.h"

namespace tilec {

struct NarrowAtom {
  MmaAtom atom;
  /// A and B have an e8m0 scale for each row and 32 k: that of row i and block b is a byte of lane
  /// i + m * b.
  bool isScaled = false;
};

/// Those of a chip; none on most.
llvm::ArrayRef<NarrowAtom> narrowAtoms(Arch arch);

} // namespace tilec
