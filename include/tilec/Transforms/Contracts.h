//===- Contracts.h - what each pass needs, gives and leaves ---------------===//
//
// The sentences of Passes.td as code that runs: `--verify-stages` of tilec and
// `--verify-contracts` of tilec-opt look at the IR before and after each pass. A pass whose
// contract is broken is the last one that runs.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Target/Target.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Operation.h"

#include <string>

namespace tilec {

/// What holds of the IR from the pass that gives it on.
enum class Fact {
  WholeBuffers,    ///< loads, stores and atomics name whole buffers
  ThreadsApart,    ///< threads that touch one element of shared memory are synchronised
  OuterTiles,      ///< no copy, fill or reduction stands in a parallel
  NoBreaks,        ///< no break is left
  PlacedLocals,    ///< no shared buffer waits to be a fragment
  ConstantExtents, ///< those of parallels are constants
  FlatLoops,       ///< no parallel stands in another one
  LiftedElements,  ///< elements of fragments are touched in parallels and moves only
  NamedFills,      ///< no loop is a fill and nothing else
  MovedRegisters,  ///< no copy of registers is left
  WholeFills,      ///< no fill but of a whole tile is left
  NamedMoves,      ///< no loop is a move and nothing else
  WholeOperands, ///< operands of products, reductions and scans are whole, or boxes of shared tiles
  FragmentLayouts, ///< every fragment has a layout; every product says how it is multiplied
  Layouts,      ///< every fragment and shared buffer has a layout; a product's C is laid out for it
  BroughtTiles, ///< a producer brings all tiles that a round of a served loop copies
  WholeRings,   ///< loops that use a ring have as many slots, and a producer
  OneStage,     ///< no loop has stages
  CopiesWaited, ///< nothing touches what travels or is multiplied, as waits count, in any round
  PipesFilled,  ///< each fill of a pipe's slot brings the bytes that its mbarrier awaits
  Places,       ///< shared buffers that are needed at the same time have bytes of their own
  Barriers,     ///< dependent accesses to shared memory are separated
  OneDialect,   ///< wave kernels hold no tile op
  OnTarget,     ///< the target has what the ops of wave kernels are
  Planned,      ///< no matrix loop waits for its order
};

/// The part of the IR that a pass does not touch.
struct Untouched {
  /// Nothing but these ops and attributes changes. Without `all`, parameters and kernels keep their
  /// names and types.
  bool all = false;
  llvm::SmallVector<llvm::StringRef, 2> but;
  /// Of these operations only; empty: all.
  llvm::StringRef within;
};

struct Contract {
  llvm::StringRef pass;
  llvm::SmallVector<Fact, 8> needs, gives;
  Untouched leaves;
};

/// One of each pass of Passes.td.
llvm::ArrayRef<Contract> contracts();

/// A contract that does not hold, and where.
struct Breach {
  std::string text;
  mlir::Location place;
};

/// Nothing when the fact holds of `root` and all that is in it.
std::optional<Breach> breachOf(Fact fact, mlir::Operation *root, const TargetInfo &target);

/// Watches the passes that run in a context.
class ContractChecker {
public:
  explicit ContractChecker(const TargetInfo &target) : target(target) {}

  /// From here on until the context ends or another handler comes. The checker outlives the passes.
  void watch(mlir::MLIRContext &context);
  /// The passes begin anew, with a program of before them.
  void restart() { held.clear(); }
  const std::optional<Breach> &breach() const { return found; }

private:
  void run(llvm::function_ref<void()> pass, llvm::StringRef name, mlir::Operation *root);
  /// Whether all of these hold; else the breach is kept.
  bool hold(llvm::ArrayRef<Fact> facts, mlir::Operation *root, const llvm::Twine &whose);

  const TargetInfo &target;
  llvm::SmallVector<Fact, 16> held;   ///< given by the passes so far
  mlir::Operation *program = nullptr; ///< of which they are held
  std::optional<Breach> found;
  bool isChecking = false;
};

} // namespace tilec
