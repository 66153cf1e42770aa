//===- Fates.h - where values go until they are rounded -------------------===//
//
// Takes a value of a kernel, says whether all that it leads to is rounded to 16 bits, and what may
// happen to it on the way. The last bits of such a value nobody can see (RelaxMath.h).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Tile/Tile.h"

namespace tilec {

/// A sum with this or more is the same whether its other term is 2^-126 or zero.
constexpr double smallestVisible = 0x1p-100;

/// What a choice between values gives, one of which is used here; null where it is no choice. One
/// of values that are only read where they are chosen (`T.if_then_else`) is an scf.if.
mlir::Value chosenAs(mlir::OpOperand &use);

/// A fragment and the statement that writes it.
using Written = std::pair<mlir::Value, mlir::Operation *>;

/// What has been found out about fragments of a kernel so far, by what their values may become: so
/// that each statement is followed once. Rewriting arithmetic changes none of it.
struct Fates {
  /// Asks from the last statement on, so that none has far to go.
  explicit Fates(tile::KernelOp kernel);

  llvm::DenseMap<Written, bool> areRounded[8];
};

/// The statements that read a fragment from one of its writers on, until it is overwritten.
class LaterReads {
protected:
  ~LaterReads() = default;
  /// Whether the walk may go on behind a statement that reads the fragment.
  virtual bool isHarmless(mlir::Operation *op, mlir::Value fragment) = 0;
  /// Whether all from `at` on are harmless.
  bool scan(mlir::Value fragment, mlir::Block *block, mlir::Block::iterator at);

  llvm::DenseSet<Written> roundsOfLoops; ///< whose next round was followed

private:
  /// What becomes of the fragment in the rest of a block.
  enum class Fate { Kept, Overwritten, Misused };
  Fate fateIn(mlir::Value fragment, mlir::Block *block, mlir::Block::iterator at);
};

/// Where values go from an op on.
class Uses final : LaterReads {
public:
  /// `mayBeSummed`: sums of the values are no matter either. `mayVanish`: of the values themselves.
  Uses(Fates &fates, bool mayBeSummed, bool mayVanish = false)
      : Uses(fates, mayBeSummed, mayVanish, /*mayBeAdded=*/false) {}
  /// Of which other values may be added or subtracted: errors of the values' own size may be of any
  /// size beside a result.
  static Uses besideOthers(Fates &fates) {
    return Uses(fates, /*mayBeSummed=*/false, /*mayVanish=*/false, /*mayBeAdded=*/true);
  }

  /// Whether all that the value leads to is rounded to 16 bits.
  bool areRounded(mlir::Value value, bool isPositive = false) {
    return keep(areRounded(value, Known{isPositive, mayVanish}));
  }
  /// Whether all that reads the fragment after `writer` is.
  bool isFragmentRounded(mlir::Value fragment, mlir::Operation *writer) {
    return keep(followFragment(fragment, writer));
  }

private:
  /// What is known of a value on its way.
  struct Known {
    bool isPositive = false; ///< or zero
    bool mayVanish = false;  ///< is zero where it should be tiny
  };

  Uses(Fates &fates, bool mayBeSummed, bool mayVanish, bool mayBeAdded)
      : mayBeSummed(mayBeSummed), mayVanish(mayVanish), mayBeAdded(mayBeAdded),
        known(fates.areRounded[mayBeSummed + 2 * mayVanish + 4 * mayBeAdded]) {}
  /// While an answer is sought, a statement that was met before counts as a round further. What
  /// nothing speaks against holds for all that was followed.
  bool keep(bool areRounded) {
    if (areRounded)
      for (const Written &written : followed)
        known[written] = true;
    return areRounded;
  }
  bool areRounded(mlir::Value value, Known known) {
    return llvm::all_of(value.getUses(),
                        [&](mlir::OpOperand &use) { return isRounded(use, known); });
  }
  bool isRounded(mlir::OpOperand &use, Known known);
  /// What reads the fragment after `writer`.
  bool followFragment(mlir::Value fragment, mlir::Operation *writer);
  bool isHarmless(mlir::Operation *op, mlir::Value fragment) override;

  bool mayBeSummed, mayVanish, mayBeAdded;
  llvm::DenseMap<Written, bool> &known;
  llvm::DenseSet<Written> followed;
};

} // namespace tilec
