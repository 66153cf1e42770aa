//===- Opcodes.h - LLVM's instructions by name ----------------------------===//
//
// Takes the name of a machine instruction, gives its opcode: the numbers are in LLVM's private
// headers.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/Support/ErrorHandling.h"

namespace tilec::codegen {

/// There are tens of thousands: for passes that have found something to do.
inline unsigned opcodeOf(const llvm::TargetInstrInfo &instructions, llvm::StringRef name) {
  for (unsigned opcode = 0; opcode < instructions.getNumOpcodes(); ++opcode)
    if (instructions.getName(opcode) == name)
      return opcode;
  llvm::report_fatal_error("this LLVM has no instruction " + llvm::Twine(name));
}

} // namespace tilec::codegen
