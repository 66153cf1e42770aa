//===- Mutants.h - compiler faults that the tester must find --------------===//
//
// A mutant is a rewrite of what a stage has left, as a fault in the next or the last
// pass would leave it. SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Driver/Compile.h"

#include <functional>
#include <string>
#include <vector>

namespace tilec::fuzz {

struct Mutant {
  std::string name, description;
  Stage stage; ///< after which it rewrites
  std::function<void(Stage, mlir::ModuleOp, llvm::Module *)> rewrite;
};

const std::vector<Mutant> &allMutants();
const Mutant *findMutant(const std::string &name);

/// Runs the programs of `seeds` with each mutant until one fails, and prints which. False when a
/// mutant survives.
bool checkMutants(const std::vector<uint64_t> &seeds, unsigned jobs);

} // namespace tilec::fuzz
