//===- PreferRegisters.h - registers or resident blocks ---------------------===//
//
// Takes the IR of an NVPTX kernel as it goes to the code generator, says where ptxas should take
// the registers that it likes.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/IR/PassManager.h"

namespace tilec::codegen {

/// Products that say `residentBlocks` get that as `nvvm.minctasm`, kernels for which one resident
/// block is as good a wish as any get 1, unless others would be resident beside it but for that.
class PreferRegisters : public llvm::PassInfoMixin<PreferRegisters> {
public:
  explicit PreferRegisters(int64_t registersOfUnit) : registersOfUnit(registersOfUnit) {}
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

private:
  /// How many blocks ptxas shall keep resident; 0: it is left alone.
  unsigned blocksToKeep(llvm::Function &function) const;

  int64_t registersOfUnit; ///< of 32 bits, of the chip
};

} // namespace tilec::codegen
