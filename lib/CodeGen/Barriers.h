//===- Barriers.h - what LLVM may move across s_barrier (AMD) -------------===//
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
/// other one of its block uses into a block further on.
bool mayCrossBarriers(const llvm::Module &module);

} // namespace tilec
