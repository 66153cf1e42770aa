//===- LargeCode.h - code generation that stays linear --------------------===//
//
// A script of a thousand statements without a loop is one basic block, and some passes of LLVM
// take time by its square. Nothing here touches code of ordinary size.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Module;
} // namespace llvm

namespace tilec::codegen {

/// Whether a function is so large that passes which are quadratic in it are left out.
bool isLarge(const llvm::Module &module);

/// Whether the machine pass takes time by the square of a function's size and may be left out:
/// it is for speed of the code alone.
bool isQuadratic(llvm::StringRef pass);

/// Cuts long basic blocks of AMDGPU code into regions that the machine scheduler orders by
/// themselves.
void boundSchedulingRegions(llvm::Module &module);

} // namespace tilec::codegen
