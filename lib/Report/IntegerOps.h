//===- IntegerOps.h - integer instructions on lane values -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Report/BankConflicts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilec::report {

/// A register of a wave: what its lanes hold; of a scalar register all the same.
struct LaneInts {
  LaneValues lanes = {};
  bool isExact = true; ///< false: plus one offset that all lanes share

  bool isUniform() const { return llvm::all_equal(lanes); }
};

/// What an integer instruction computes; nothing for other instructions, or where an input is not
/// known. `operandValue` is asked for each input by its text (`v4`, `0x80`).
std::optional<LaneInts>
evaluateInteger(const Instruction &instr,
                llvm::function_ref<std::optional<LaneInts>(llvm::StringRef)> operandValue);

/// Scalar instructions whose scc says whether their result is other than zero.
bool setsSccToNonZero(llvm::StringRef mnemonic);

/// `a lt b` and its like; nothing for a relation that is none of integers.
std::optional<bool> compareIntegers(llvm::StringRef relation, bool isSigned, uint32_t a,
                                    uint32_t b);

} // namespace tilec::report
