//===- DebugLines.h - source lines in LLVM IR -----------------------------===//
//
// Line tables and nothing more: no variables, no types. An instruction has the line of
// the script that its operation came from, so that debuggers, profilers and the
// simulator can name it. LLVM makes the same instructions with and without.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Location.h"

#include "llvm/IR/DIBuilder.h"

#include <optional>

namespace tilec::lower {

struct SourcePlace {
  llvm::StringRef file;
  unsigned line, column;
};
/// The innermost place in a file.
std::optional<SourcePlace> sourcePlaceOf(mlir::Location location);

class DebugLines {
public:
  explicit DebugLines(llvm::Module &module) : module(module), builder(module) {}

  /// Makes `function` the one that at() speaks of.
  void beginKernel(llvm::Function &function, mlir::Location location);
  /// Nothing when the location names no file.
  llvm::DebugLoc at(mlir::Location location);
  /// Call it when all kernels are there.
  void finish();

private:
  llvm::DIFile *fileOf(llvm::StringRef name);

  llvm::Module &module;
  llvm::DIBuilder builder;
  llvm::DICompileUnit *unit = nullptr;
  llvm::DISubprogram *kernel = nullptr;
};

} // namespace tilec::lower
