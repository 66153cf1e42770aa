//===- Decode.h - the groups of instructions ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Program.h"

namespace tilec::ptx {

// Each sets the handler of the instructions it knows.
bool decodeInteger(const Statement &statement, Instruction &instruction);
bool decodeFloat(const Statement &statement, Instruction &instruction);
bool decodeConvert(const Statement &statement, Instruction &instruction);
bool decodeMemory(const Statement &statement, Instruction &instruction);
bool decodeAtomic(const Statement &statement, Instruction &instruction);
bool decodeExchange(const Statement &statement, Instruction &instruction);
bool decodeRegisterCounts(const Statement &statement, Instruction &instruction);
bool decodeGrid(const Statement &statement, Instruction &instruction);
bool decodeControl(const Statement &statement, Instruction &instruction);
bool decodeMatrix(const Statement &statement, Instruction &instruction);
bool decodeWgmma(const Statement &statement, Instruction &instruction);
bool decodeBulk(const Statement &statement, Instruction &instruction);
bool decodeCopies(const Statement &statement, Instruction &instruction);
bool decodeBarrier(const Statement &statement, Instruction &instruction);
bool decodeMbarrier(const Statement &statement, Instruction &instruction);

} // namespace tilec::ptx
