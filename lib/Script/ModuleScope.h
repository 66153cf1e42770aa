//===- ModuleScope.h - the names of one file ------------------------------===//
//
// The names that a file binds at its margin, and what has become of those that were asked for.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Value.h"
#include "tilec/Support/Diagnostics.h"

#include <optional>

namespace tilec::script {

/// What an evaluation could not do. A poisoned one says nothing: it follows from another.
struct Failure {
  Diagnostic error;
  std::vector<Diagnostic> notes;
  bool isPoison = false;
  std::vector<Failure> others = {}; ///< independent ones, in the order they were found
};

/// The module level of one file: of the script, or of a module beside it.
struct ModuleScope {
  struct Version {
    size_t statement; ///< index of the module-level statement that bound it
    Value value;
    std::optional<Failure> failure;
  };
  const ast::Module *module = nullptr;
  std::string name; ///< dotted; empty for the script
  bool isPackage = false;
  llvm::StringMap<std::vector<size_t>> binders;   ///< statements that bind a name, in order
  llvm::StringMap<std::vector<Version>> versions; ///< what they bound
  std::vector<uint8_t> state;                     ///< per statement: 0 new, 1 running, 2 done
  llvm::SmallVector<std::string> starImports;
  size_t running = ~size_t(0);  ///< statement being run; ~0 for what is called from outside
  std::optional<uint64_t> host; ///< who else is asked for names, by its number for the text
};

} // namespace tilec::script
