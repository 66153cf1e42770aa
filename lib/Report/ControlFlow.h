//===- ControlFlow.h - blocks and loops of decoded code -------------------===//
//
// Takes the instructions of a kernel, fills in its blocks and loops.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Report/Disassembly.h"

namespace tilec::report {

/// Fills kernel.blocks. A branch out of the kernel has no successor.
void findBlocks(KernelCode &kernel);
/// Fills kernel.loops; needs the blocks.
void findLoops(KernelCode &kernel);

} // namespace tilec::report
