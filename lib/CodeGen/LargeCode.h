//===- LargeCode.h - code generation that stays linear --------------------===//
//
// A script of a thousand statements without a loop is one basic block, and some passes of LLVM
// take time by its square. Nothing here touches code of ordinary size.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace tilec::codegen {

/// Cuts long basic blocks of AMDGPU code into regions that the machine scheduler orders by
/// themselves.
void boundSchedulingRegions(llvm::Module &module);

} // namespace tilec::codegen
