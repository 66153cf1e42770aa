//===- HeldRows.h - dimensions of fragments that a lane has whole ----------===//
//
// Takes a kernel, says along which dimensions lanes had better not spread what they hold.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"
#include "tilec/Target/Target.h"

namespace tilec {

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

/// Serial loops within parallels that index fragments by their variable become their rounds, where
/// every lane has what it needs then. Fragments have their layouts.
void unrollHeldRows(tile::KernelOp kernel);

} // namespace tilec
