//===- Barriers.h - what LLVM may move across s_barrier (AMD) -------------===//
//
// Takes a module, says whether a pass of LLVM may move a read across a barrier, so that the pass
// is left out only there.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

namespace llvm {
class Module;
}

namespace tilec {

/// Whether machine-sink could move a read of shared memory behind a barrier that it stands in front
/// of. To that pass s_barrier is no memory access, and it moves an instruction whose value no
/// other one of its block uses into a block further on, past the barriers of its own and of those
/// between.
bool mayCrossBarriers(const llvm::Module &module);

} // namespace tilec
