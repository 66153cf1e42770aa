//===- Residency.h - how many blocks a compute unit holds at once ---------===//
//
// AMD only: the simulator's clock, the scorecard and `tilec-run --table` say the same.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/Arch.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace tilec {

/// What the code object of a kernel declares.
struct ResidencyNeeds {
  unsigned vgprs = 0, agprs = 0; ///< of a lane; accumulators begin at a multiple of 4
  unsigned sharedBytes = 0;      ///< of a block
  unsigned threads = 0;          ///< of a block; 0 when not known
};

struct Residency {
  unsigned blocks = 0;       ///< of a compute unit; 0 when the block's size is not known
  unsigned wavesPerSimd = 0; ///< on the SIMD that has most of them
  llvm::StringRef limit; ///< what keeps out one block more: "registers", "shared memory", "waves"
};

Residency residencyOf(Arch arch, const ResidencyNeeds &needs);

/// "2 waves a SIMD, 1 block a compute unit (limit: shared memory)"
std::string describe(const Residency &residency);

} // namespace tilec
