//===- HeldRows.h - dimensions of fragments that a lane has whole ----------===//
//
// Takes a kernel, says along which dimensions lanes had better not spread what they hold.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Normalize/KnownLoops.h"

#include "tilec/IR/Tile/Tile.h"
#include "tilec/Target/Target.h"

namespace tilec {

constexpr int64_t mostRows = 16; ///< that a lane holds

/// The rounds of a serial loop whose bounds are constants, if they are so few.
std::optional<KnownLoop> shortLoop(tile::ForOp loop);

/// Dimensions through which a short serial loop goes, `F[k, j]` for all k, are each lane's own:
/// then the loop reads registers. What is computed of it, `C[i, j] += A[k, i] * F[k, j]`, has all i
/// where its j is, so that no two lanes need the same F; and the small A is in every lane. Only
/// fragments whose layouts are open take part, with all that share loops with them.
class HeldRows {
public:
  HeldRows(tile::KernelOp kernel, const TargetInfo &target);

  /// The loop's layout when no fragment decides it: `layout`, unless a lane is to hold some of its
  /// dimensions whole.
  FragmentLayout ofLoop(tile::ElementLoop loop, const FragmentLayout &layout) const;
  /// The same for a fragment that is filled.
  FragmentLayout ofFill(mlir::Value fragment, const FragmentLayout &layout) const;

private:
  using Dim = std::pair<mlir::Value, unsigned>; ///< of a fragment, or a variable of a loop and 0
  FragmentLayout holding(llvm::ArrayRef<Dim> dims, const FragmentLayout &layout) const;
  void note(tile::ElementLoop loop);
  void seed(tile::ElementLoop loop, mlir::Value buffer, mlir::ValueRange indices);
  void hold(Dim first);

  const TargetInfo &target;
  llvm::DenseMap<Dim, llvm::SmallVector<Dim, 4>> alike;
  llvm::SmallVector<Dim> seeds;
  llvm::DenseSet<Dim> held;
};

} // namespace tilec
