//===- LocalPlaces.h - where the local buffers of a program are -----------===//
//
// For `--emit=report`: the author wrote T.alloc_local, and the compiler chose.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace tilec {

/// A buffer's shape and type of elements as reports and pages print them: `[64, 32] float16`.
std::string typeText(tile::BufferType type);

struct LocalBufferPlace {
  std::string kernel, name, type, place;
};

/// The arrays that the script calls local, in its order; `compiled` is the program as the last
/// stage left it.
std::vector<LocalBufferPlace> localPlaces(tile::ProgramOp source, tile::ProgramOp compiled);

/// Adds a list to a report that is JSON; one without elements is left out.
void addListToReport(std::string &report, llvm::StringRef key, llvm::json::Array list);

/// Adds them to a report, which is JSON or text.
void addLocalPlaces(std::string &report, bool isJson, llvm::ArrayRef<LocalBufferPlace> places);

} // namespace tilec
