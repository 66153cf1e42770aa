//===- ProductPlan.h - how blocks share a matrix product, as data -----===//
//
// A kernel whose one loop is a matrix product gets a producer warp and a persistent
// grid. What is left to choose: whether neighbouring blocks are a cluster that copies
// the operand they share once, and whether the warp groups multiply one tile together
// or a tile each. No MLIR: strategies are asked with numbers
// (Strategy.h). docs/machine-code/hopper.md.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tilec {

/// What a strategy is told about the product.
struct ProductShape {
  int64_t tileM = 0, tileN = 0, tileK = 0;
  int64_t threads = 0;                   ///< the author's: they consume
  int64_t groupThreads = 0;              ///< of a warp group, as the producer is beside several
  int64_t accumulatorRegs = 0;           ///< 32-bit registers of a thread
  int64_t units = 0;                     ///< of the chip: as many blocks run at once
  int64_t registersOfUnit = 0;           ///< 32-bit registers of all lanes of one
  int64_t mostThreads = 0;               ///< of a block
  std::optional<int64_t> tilesM, tilesN; ///< nothing where only a run knows
  std::optional<int64_t> tiles;          ///< of the whole grid
  std::optional<int64_t> tilesK;         ///< rounds of a tile
  /// Rows of A or B do not begin at multiples of two sectors of L2: copies touch some twice.
  bool raggedPitch = false;
  /// Rows of A, rows of B do not even begin at sectors: one more is read of each.
  bool splitSectorsA = false, splitSectorsB = false;
  /// Why neighbouring blocks along M cannot share their copies of B, those along N theirs of A, and
  /// why teams cannot take tiles in turn; "" where they can.
  std::string noClusterM, noClusterN, noTeams;
};

struct ProductPlan {
  std::string strategy;
  int64_t clusterM = 1, clusterN = 1; ///< blocks; at most one of them is not 1
  int64_t teams = 1;                  ///< warp-group teams that take tiles in turn
};

/// What loops of two gemms with something between them get (docs/machine-code/hopper.md), by its
/// name in scripts.
constexpr llvm::StringLiteral overlapScheduleName = "overlap";

} // namespace tilec
