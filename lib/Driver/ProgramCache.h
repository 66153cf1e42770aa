//===- ProgramCache.h - whole compilations kept on disk -------------------===//
//
// The second compile of the same text with the same options is a look-up: no MLIR,
// no code generator. docs/machine-code/codegen.md says what the key covers.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Driver/Compile.h"
#include "tilec/Support/DiskCache.h"

namespace tilec {

/// What a compilation leaves for its users.
struct CompiledProgram {
  rt::Manifest manifest;
  codegen::Image image; ///< without `order` and `times`
  std::vector<Diagnostic> diagnostics;
};

/// Everything that decides what becomes of `text`.
CacheKey programKey(const CompileOptions &options, llvm::StringRef name, llvm::StringRef text);

std::string packProgram(const CompiledProgram &program);
/// Nothing for an entry that this reader does not understand.
std::optional<CompiledProgram> unpackProgram(llvm::StringRef entry);

} // namespace tilec
