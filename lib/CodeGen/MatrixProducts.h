//===- MatrixProducts.h - which instructions multiply matrices ------------===//
//
// Takes instructions of the IR that Lower/ makes, intrinsics and inline assembly.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/IR/Instruction.h"

namespace tilec::codegen {

/// The text of a call of inline assembly; empty for all other instructions.
llvm::StringRef asmOf(const llvm::Instruction &instr);

/// Whether it is a matrix instruction of AMD (mfma, smfmac) or NVIDIA (mma.sync, wgmma).
bool multipliesMatrices(const llvm::Instruction &instr);

} // namespace tilec::codegen
