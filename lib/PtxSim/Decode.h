//===- Decode.h - the families of instructions ----------------------------===//
//
// One function a family: takes a statement, fills the instruction and says whether it is one of
// the family's.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Program.h"

namespace tilec::ptx {

// Each sets the handler of the instructions it knows; Opcodes.def says who is asked.
bool decodeInteger(const Statement &statement, Instruction &instruction);
bool decodeFloat(const Statement &statement, Instruction &instruction);
bool decodeConvert(const Statement &statement, Instruction &instruction);
bool decodeBits(const Statement &statement, Instruction &instruction);
bool decodeMoves(const Statement &statement, Instruction &instruction);
bool decodeMemory(const Statement &statement, Instruction &instruction);
bool decodeMatrices(const Statement &statement, Instruction &instruction);
bool decodeAtomics(const Statement &statement, Instruction &instruction);
bool decodeExchange(const Statement &statement, Instruction &instruction);
bool decodeControl(const Statement &statement, Instruction &instruction);
bool decodeFences(const Statement &statement, Instruction &instruction);
bool decodeGrid(const Statement &statement, Instruction &instruction);
bool decodeRegisterCounts(const Statement &statement, Instruction &instruction);
bool decodeProducts(const Statement &statement, Instruction &instruction);
bool decodeWgmma(const Statement &statement, Instruction &instruction);
bool decodeCopies(const Statement &statement, Instruction &instruction);
bool decodeBulkLoads(const Statement &statement, Instruction &instruction);
bool decodeBulkStores(const Statement &statement, Instruction &instruction);
bool decodeBarriers(const Statement &statement, Instruction &instruction);
bool decodeMbarriers(const Statement &statement, Instruction &instruction);

/// The state space that an opcode names.
Space parseSpace(const Statement &statement);
/// For what has no effect here.
Step ignore(Warp &warp, const Instruction &instruction, uint32_t lanes);

} // namespace tilec::ptx
