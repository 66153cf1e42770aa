//===- MatrixProducts.cpp - which instructions multiply matrices ----------===//
//
// Knows them by the names of intrinsics and by the text of inline assembly.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "MatrixProducts.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace tilec::codegen {

StringRef asmOf(const Instruction &instr) {
  auto *call = dyn_cast<CallBase>(&instr);
  auto *text = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  return text ? StringRef(text->getAsmString()) : StringRef();
}

bool multipliesMatrices(const Instruction &instr) {
  auto *intrinsic = dyn_cast<IntrinsicInst>(&instr);
  if (!intrinsic)
    return asmOf(instr).contains("mma");
  StringRef name = intrinsic->getCalledFunction()->getName();
  return name.starts_with("llvm.nvvm.mma.") || name.starts_with("llvm.amdgcn.mfma.") ||
         name.starts_with("llvm.amdgcn.smfmac.");
}

} // namespace tilec::codegen
