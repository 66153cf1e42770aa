//===- ForeignFiles.h - kernels in other languages ------------------------===//
//
// Takes a syntax tree, says whether it is a file of Triton's or of another language of kernels,
// for a message that says so.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Script/Ast.h"

#include <optional>

namespace tilec::script {

struct ForeignFile {
  llvm::StringRef language; ///< `Triton`
  Span place;               ///< where it is imported
};

/// The language of a file of kernels that is not ours.
std::optional<ForeignFile> foreignFile(const ast::Module &module);

} // namespace tilec::script
