//===- IntegerOps.h - integer instructions on lane values -----------------===//
//
// Takes an instruction and what its operands hold, lane by lane, gives what its result holds,
// where that is known.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Report/BankConflicts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace tilec::report {

/// A number that all lanes share and that nothing here computed, times a factor.
struct SharedTerm {
  uint32_t unknown = 0; ///< which
  uint32_t factor = 1;
  bool operator==(const SharedTerm &) const = default;
};

/// A register of a wave: what its lanes hold; of a scalar register all the same.
struct LaneInts {
  LaneValues lanes = {};
  llvm::SmallVector<SharedTerm, 1> terms; ///< to be added, by `unknown`; their sum is one offset

  bool isExact() const { return terms.empty(); }
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
