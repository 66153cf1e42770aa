//===- Decode.h - assembler text to Instr ---------------------------------===//
//
// Takes what LLVM's printer says of an instruction, gives the row of a table, operands and flags
// that execute it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Instruction.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace tilec::sim {

/// The semantics tables, one a file.
llvm::ArrayRef<OpInfo> sopOps();
llvm::ArrayRef<OpInfo> vopOps();
llvm::ArrayRef<OpInfo> vopConvertOps();
llvm::ArrayRef<OpInfo> vopFmaOps();
llvm::ArrayRef<OpInfo> vopCompareOps();
llvm::ArrayRef<OpInfo> vopCrossLaneOps();
llvm::ArrayRef<OpInfo> vopMediaOps();
llvm::ArrayRef<OpInfo> vopScaledOps();
llvm::ArrayRef<OpInfo> vop3pOps();
llvm::ArrayRef<OpInfo> mfmaOps();
llvm::ArrayRef<OpInfo> smfmacOps();
llvm::ArrayRef<OpInfo> dsOps();
llvm::ArrayRef<OpInfo> bufferOps();
llvm::ArrayRef<OpInfo> typedBufferOps();
llvm::ArrayRef<OpInfo> flatOps();
llvm::ArrayRef<OpInfo> smemOps();

/// The row of a mnemonic with or without its encoding suffix; nullptr when unknown.
const OpInfo *findOp(llvm::StringRef mnemonic);
/// `v_add_f32_e64` gives `v_add_f32`: the one place that knows encoding suffixes.
llvm::StringRef stripEncoding(llvm::StringRef mnemonic);

/// Where an instruction stands and what its kernel fixes.
struct DecodeContext {
  uint32_t address = 0;   ///< bytes from the start of the section
  uint32_t sizeBytes = 0; ///< of the instruction
  uint32_t firstAgpr = 0; ///< added to accumulation register numbers
};

/// Issue slots of four clocks that a matrix instruction keeps the matrix pipe; 0 for others.
unsigned mfmaPasses(const Instr &instr, bool gfx950);

/// Fills `uses` and `defs` of a decoded instruction.
void computeRegisters(Instr &instr);

/// Fails with what the simulator does not know about `text`.
llvm::Expected<Instr> decodeText(llvm::StringRef text, const DecodeContext &context);

} // namespace tilec::sim
