//===- LayoutsPage.h - which lane holds which element, which bank it hits -===//
//
// Takes layouts of fragments and shared tiles, gives the place of every element as text or as one
// HTML page.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/Arch.h"
#include "tilec/IR/Tile/Tile.h"

#include <string>
#include <vector>

namespace tilec {

/// A layout with its elements' places worked out.
struct LayoutPicture {
  std::string name;   ///< of the buffer
  std::string type;   ///< `[128, 64] bf16`
  std::string layout; ///< the attribute
  bool isShared = false;
  int64_t rows = 1, cols = 1; ///< all dimensions but the last are rows
  int64_t shownRows = 1;      ///< of them drawn
  /// By element of the shown rows. Shared: the byte where it begins. Fragment: the first wave, lane
  /// and register that hold it.
  struct Place {
    int64_t byte = -1;
    int64_t wave = -1, lane = -1, reg = -1;
    int64_t copies = 0; ///< lanes that hold it, the first one included
  };
  std::vector<Place> places;
  int64_t elemBits = 32;
  unsigned banks = 32;
  std::string note; ///< what a wave's reads cost in bank conflicts, where that is known
};

/// Null attributes and others than the two layouts give nothing, and so do layouts that no kernel
/// has: rows or register counts of millions.
std::optional<LayoutPicture> pictureOf(mlir::Attribute layout, int64_t elemBits, Arch arch);

/// One HTML page that needs nothing beside it.
std::string drawLayouts(llvm::StringRef title, llvm::ArrayRef<LayoutPicture> pictures);
/// The same as text: one line a row.
std::string printLayout(const LayoutPicture &picture);

/// The page of all buffers of a program that have a layout (stage tile-laid-out). Fails where none
/// has.
llvm::Expected<std::string> layoutsPage(tile::ProgramOp program, Arch arch);

} // namespace tilec
