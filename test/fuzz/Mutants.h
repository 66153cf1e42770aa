//===- Mutants.h - compiler faults that the tester must find --------------===//
//
// A mutant rewrites what a stage has left, as a fault in that stage would have
// left it. The product has no switches for them: they hang on
// CompileOptions::afterStage.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Runner.h"

#include <functional>
#include <string>
#include <vector>

namespace tilec::fuzz {

struct Mutant {
  std::string name, description;
  Stage stage; ///< after which it rewrites
  /// False where the program has nothing to rewrite.
  std::function<bool(mlir::ModuleOp, llvm::Module *)> rewrite;
};

/// Faults in Tile IR (MutantsTile.cpp), Wave IR (MutantsWave.cpp) and LLVM IR
/// (MutantsLlvm.cpp).
std::vector<Mutant> tileMutants();
std::vector<Mutant> waveMutants();
std::vector<Mutant> llvmMutants();

const std::vector<Mutant> &allMutants();
const Mutant *findMutant(const std::string &name);

/// Runs the programs of `seeds` with each mutant until the results of one
/// disagree or the simulator refuses it, and prints which. A compiler error or
/// a crash finds nothing. False when a mutant survives.
bool checkMutants(const std::vector<uint64_t> &seeds, unsigned jobs);

} // namespace tilec::fuzz
