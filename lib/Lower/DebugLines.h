//===- DebugLines.h - source lines in LLVM IR -----------------------------===//
//
// Line tables and nothing more: no variables, no types. An instruction has the line of
// the script that its operation came from, so that debuggers, profilers and the
// simulator can name it. LLVM makes the same instructions with and without. The discriminator of
// a place is the id of the innermost loop around it, by which reports find a loop's code.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Location.h"

#include "llvm/IR/DIBuilder.h"

#include <optional>
#include <utility>

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
  /// From now on places are of this loop (`#tile.loop`), 0: of none. Gives the one before.
  int64_t enterLoop(int64_t id) { return std::exchange(loop, id); }
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
  int64_t loop = 0;
};

} // namespace tilec::lower
