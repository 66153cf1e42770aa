//===- ShortLoops.h - loops of a few rounds, written out ------------------===//
//
// A pass on LLVM IR of NVIDIA: takes a function, gives it without the short counted loops of scalar
// work.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/IR/PassManager.h"

namespace tilec::codegen {

/// Of a function: rounds of a loop were put together so that they read at once, which takes the
/// registers of all of them.
inline constexpr const char *readsRoundsAhead = "tilec-reads-ahead";

/// An author's `T.serial(8)` over elements of a thread: its rounds are written out where they are
/// few and short, so that loads of several rounds are on their way at once, bounds that a round
/// cannot reach go, and indices of local arrays are constants (registers). Rounds with barriers,
/// matrix instructions, or whatever else threads do together stay as they are: their order is
/// planned.
///
/// Of longer loops those whose rounds read where a number says that they read first get as many in
/// one as wait for memory together, and so do those that read little of kernels of which the grid
/// has one block for each unit, so that nothing else hides the wait.
///
/// Of longer loops those whose conditions come again after a few rounds (the next of the four words
/// of a random generator's block) get as many rounds in one, so that the conditions go; several
/// such groups, as far as they are short, so that they are computed side by side.
///
/// AMD's loops stay, too: the simulated schedules of what is planned there count on their form.
struct UnrollShortLoops : llvm::PassInfoMixin<UnrollShortLoops> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilec::codegen
