//===- Library.h - functions of `T.` that are written in tile language ----===//
//
// Takes the name of a function that LibrarySource.cpp has as a text, gives it to the evaluator
// like one of the script.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tilec::script {

/// The dotted name under which the evaluator finds the library: no script can import it.
constexpr llvm::StringLiteral libraryModule = "tilec.library";
llvm::StringRef librarySource();
/// A module of ours that scripts import: tiles of products (python/tilec/_tiles.py, TilesFront.py).
constexpr llvm::StringLiteral tilesModule = "tilec.tiles";
llvm::StringRef tilesSource();

/// The name of the object that T.PersistentTileScheduler gives.
constexpr llvm::StringLiteral tileSchedulerName = "tile scheduler";

/// The names of upstream's tuner: its class, the function that makes one, and what it makes.
constexpr llvm::StringLiteral tunerClassName = "AutoTuner", tunerMakerName = "AutoTuner maker",
                              tunerName = "autotuner";

/// A C++ function of upstream's quantisation helpers that the library has, too.
struct ForeignFunction {
  llvm::StringRef name;     ///< in C++, and in the library
  unsigned pointers;        ///< arguments that are pointers; the others are numbers
  uint64_t sources[2] = {}; ///< sourceHash of the texts that define it so
};
llvm::ArrayRef<ForeignFunction> foreignFunctions();
/// Of a text without its white space.
uint64_t sourceHash(llvm::StringRef text);

} // namespace tilec::script
