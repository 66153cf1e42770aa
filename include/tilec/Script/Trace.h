//===- Trace.h - from a script and an entry to a traced kernel ------------===//
//
// The whole front end behind one call. Nothing of the script is executed outside of the
// evaluator: no I/O but modules beside the script, which are read as source; steps, memory
// and depth are bounded.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/Arch.h"
#include "tilec/Script/Host.h"
#include "tilec/Script/ModuleFiles.h"
#include "tilec/Script/TracedKernel.h"
#include "tilec/Support/Diagnostics.h"

#include <memory>
#include <string>
#include <vector>

namespace tilec::script {

namespace ast {
struct Module;
}

/// What a script gets from outside.
struct ScriptOptions {
  /// `NAME=VALUE`: NAME is a name of the module level, or the text by which the script reaches an
  /// opaque value (`torch.cuda.device_count()`); VALUE is an expression in the script's scope.
  std::vector<std::string> defines;
  ModuleReader readModule; ///< modules beside the script; null: there are none
  Host *host = nullptr;    ///< names that the script does not bind
};

/// Compiles the kernel that `entryText` names in file `file` of `sources`.
///
/// The entry is an expression in the script's language: a call (`matmul(1024, 1024, 1024)`), a name
/// (called without arguments if it is a function), a list of arguments in parentheses when the file
/// has one candidate, or nothing at all. `outer(args).inner` is a name that a function binds, and a
/// function that returns no kernel is one that makes one on its way. The entry is added to
/// `sources` as the file `<entry>`, so that messages can point into it. `arch` answers the script's
/// questions about the target.
///
/// Null after errors, which are in `diags`; `rest` is then what could be traced all the same of the
/// kernels that the entry makes, for the errors that later stages find in it.
std::unique_ptr<Program> traceEntry(SourceManager &sources, uint32_t file,
                                    llvm::StringRef entryText, Arch arch, DiagnosticEngine &diags,
                                    const ScriptOptions &options = {},
                                    std::unique_ptr<Program> *rest = nullptr);

/// The same for a module that was made in memory, and a function of it by name; its places are in
/// `sources`.
std::unique_ptr<Program> traceModule(SourceManager &sources, const ast::Module &module,
                                     llvm::StringRef function, Arch arch, DiagnosticEngine &diags);

/// A function of the file that can be an entry.
struct EntryCandidate {
  std::string name;
  std::vector<std::string>
      required; ///< parameters without default, T.const dimensions not included
  Span span;
  /// What an entry may look like: `matmul(M, N, K, block_M=128)`, `test().inner`. Tensors are left
  /// out, dimensions of `T.const` stand last as `M=...`.
  std::string call;
};

/// What `entryText` may name, in source order, functions in functions included; also when the file
/// does not parse (then empty, with the error in `diags`).
std::vector<EntryCandidate> listEntries(const SourceManager &sources, uint32_t file,
                                        DiagnosticEngine &diags);

/// Evaluates an expression in the scope of the file and returns its Python repr: for tests and for
/// tools that show values. Nothing after an error.
std::optional<std::string> evaluateToText(SourceManager &sources, uint32_t file,
                                          llvm::StringRef expression, Arch arch,
                                          DiagnosticEngine &diags,
                                          const ScriptOptions &options = {});

} // namespace tilec::script
