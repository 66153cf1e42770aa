//===- NaturalLoops.h - loops of a control-flow graph ---------------------===//
//
// For machine code of either vendor that was decoded from an image.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <vector>

namespace tilec::codegen {

/// All blocks from which `header` is reached again without leaving the loop.
struct NaturalLoop {
  unsigned header = 0;
  llvm::SmallVector<unsigned> blocks; ///< ascending
  std::optional<unsigned> parent;     ///< index of the smallest loop around it
  unsigned depth = 1;                 ///< 1: outermost
  bool isInnermost = true;
};

/// The loops of a graph whose entry is block 0, by header. Back edges to one header make one loop;
/// an edge into a block that does not dominate its source makes none.
std::vector<NaturalLoop>
findNaturalLoops(llvm::ArrayRef<llvm::SmallVector<unsigned, 2>> successors);

} // namespace tilec::codegen
