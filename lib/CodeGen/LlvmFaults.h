//===- LlvmFaults.h - IR that LLVM 22 would make wrong code of ------------===//
//
// Passes on LLVM IR: each takes a pattern that a named pass of LLVM 22 makes wrong code of, and
// gives one that it leaves alone.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/IR/PassManager.h"

namespace tilec::codegen {

/// LLVM 22 (performFNegCombine) pulls the negation of integers that are taken for floats into what
/// made them, and gives all other users the negated value; of single elements it does not.
struct SplitNegations : llvm::PassInfoMixin<SplitNegations> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

/// LLVM 22 rounds the magnitude of a copysign that is rounded to f16, and leaves the extension of
/// the sign's origin out: of a bf16 it has no instruction then on gfx942, and of an f16 it makes
/// six on NVIDIA. On AMD such a copysign is made of masks, which become the same v_bfi_b32; on
/// NVIDIA it is an `asm`.
struct MaskSigns : llvm::PassInfoMixin<MaskSigns> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

/// LLVM 22 (SIPeepholeSDWA) makes a shift of an int16 by 8 to the right an operand that reads a
/// byte with its sign. The shift clears the upper half of the register, which zero extensions count
/// on; the operand does not. Signs are made by a subtraction here, divisions in 32 bits. AMD only.
struct SplitSignedShorts : llvm::PassInfoMixin<SplitSignedShorts> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

/// LLVM 22 (performOrCombine) makes a v_perm_b32 of an OR whose bytes are parts of words, and takes
/// zeros for what an arithmetic shift by whole bytes fills with signs; the sign extension of a
/// word's last byte is one. Signs that come to an OR are made by a subtraction here. AMD only.
struct SplitSignedParts : llvm::PassInfoMixin<SplitSignedParts> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

/// LLVM 22 (performAddCombine) makes a v_dot4 of a*b + f(c*d, e) where all are bytes and f is any
/// operation, not only an addition; also that of a division by a constant. Leaves out one of the
/// two features (as `target-features`) that it needs for it: that of signed dots unless the kernel
/// asks for them by the intrinsic; where it asks for both, the unsigned ones are written out. AMD
/// only.
struct LeaveOutDots : llvm::PassInfoMixin<LeaveOutDots> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

/// LLVM 22 gives the signed value of a bit as a bfloat16 the wrong sign on NVPTX where the bit
/// comes from another block. Such conversions are made of a choice between two constants.
struct ChooseSigned : llvm::PassInfoMixin<ChooseSigned> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace tilec::codegen
