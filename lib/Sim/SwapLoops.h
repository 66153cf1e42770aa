//===- SwapLoops.h - loads that begin a loop of compare-and-swap ----------===//
//
// Takes a kernel's code, says which loads only guess what a compare-and-swap will find there: the
// swap compares, so what they read may be old, and bytes that the swap puts back may be anything
// (LLVM's AtomicExpand).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Instruction.h"

#include "llvm/ADT/DenseSet.h"

namespace tilec::sim {

class Program;
struct KernelSetup;

struct SwapLoops {
  bool hasSwaps = true;                   ///< or the code's size is not known
  llvm::DenseSet<uint32_t> guesses;       ///< program counters of loads
  llvm::DenseSet<uint32_t> secondGuesses; ///< and of pairs whose second part is one
  /// `isSecond`: of the second part of a pair.
  bool isGuess(const Instr &instr, bool isSecond) const {
    const llvm::DenseSet<uint32_t> &of = isSecond ? secondGuesses : guesses;
    return !of.empty() && !(instr.flags & isStore) && of.contains(instr.pc);
  }
};

SwapLoops findSwapLoops(const Program &program, const KernelSetup &setup);

} // namespace tilec::sim
