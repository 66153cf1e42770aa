//===- Contracts.cpp - the passes' contracts, and who watches them --------===//
//
// One row a pass: which facts it needs, gives and leaves; and the checker that looks at the IR
// before and after each.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Transforms/Contracts.h"

#include "Contracts/Snapshot.h"

#include "tilec/IR/Tile/Tile.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace tilec {

/// Of the passes before layouts.
static std::vector<Contract> contractsToLayouts() {
  using enum Fact;
  const Untouched parameters;
  return {
      {"tile-expand-im2col", {}, {}, parameters},
      {"tile-check", {}, {WholeBuffers}, parameters},
      {"tile-expand-thread-tiles", {WholeBuffers}, {WholeBuffers}, parameters},
      {"tile-keep-single-elements", {WholeBuffers}, {WholeBuffers}, parameters},
      {"tile-stage-elements", {WholeBuffers}, {WholeBuffers}, parameters},
      {"tile-unroll-locals", {WholeBuffers}, {WholeBuffers}, parameters},
      {"tile-unroll-reads", {WholeBuffers}, {WholeBuffers}, parameters},
      {"tile-share-quotients", {WholeBuffers}, {WholeBuffers}, parameters},
      {"tile-store-once", {WholeBuffers}, {WholeBuffers}, parameters},
      {"tile-separate-threads",
       {WholeBuffers},
       {ThreadsApart},
       {true, {"tile.sync_threads", "tile.sync_warp"}, ""}},
      {"tile-part-waves", {WholeBuffers, ThreadsApart}, {WholeBuffers}, parameters},
      {"tile-gather-flags", {WholeBuffers}, {}, parameters},
      {"tile-place-locals", {}, {}, {true, {"tile.alloc", "tile.subview", "tile.reshape"}, ""}},
      {"tile-write-locals", {}, {}, parameters},
      {"tile-separate-overlaps", {}, {}, {true, {"tile.alloc", "tile.copy"}, ""}},
      {"tile-narrow-tiles", {}, {}, parameters},
      {"tile-expand-inner-tiles", {}, {OuterTiles}, parameters},
      {"tile-straighten-flips", {}, {}, parameters},
      {"tile-simplify-offsets", {}, {}, parameters},
      {"tile-shorten-parallels", {}, {}, parameters},
      {"tile-decide-comparisons", {}, {}, parameters},
      {"tile-fold-views", {}, {WholeBuffers}, parameters},
      {"tile-drop-guards", {WholeBuffers}, {}, parameters},
      {"tile-unguard-reads", {WholeBuffers}, {}, parameters},
      {"tile-select-values", {WholeBuffers}, {}, parameters},
      {"tile-read-once", {WholeBuffers}, {}, parameters},
      {"tile-forward-locals", {WholeBuffers}, {}, parameters},
      {"tile-keep-results", {WholeBuffers}, {}, parameters},
      {"tile-unify-meetings", {WholeBuffers}, {}, parameters},
      {"tile-lower-breaks", {}, {NoBreaks}, parameters},
      {"tile-expand-scans", {}, {}, parameters},
      {"tile-roll-copies", {WholeBuffers}, {}, parameters},
      {"tile-join-row-copies", {WholeBuffers}, {}, parameters},
      {"tile-parallelize-loops", {WholeBuffers}, {}, parameters},
      {"tile-widen-parallels", {WholeBuffers}, {}, parameters},
      {"tile-nest-reductions", {WholeBuffers}, {}, parameters},
      {"tile-split-variables", {WholeBuffers}, {}, parameters},
      {"tile-spread-locals", {WholeBuffers}, {PlacedLocals}, {true, {"tile.alloc"}, ""}},
      {"tile-merge-parallels", {}, {}, parameters},
      {"tile-chunk-parallels", {}, {}, parameters},
      {"tile-bound-parallels", {}, {ConstantExtents}, parameters},
      {"tile-fission-parallels", {OuterTiles, ConstantExtents}, {FlatLoops}, parameters},
      {"tile-order-updates", {FlatLoops}, {}, parameters},
      {"tile-update-atomically", {FlatLoops}, {}, parameters},
      {"tile-sum-before-atomics", {FlatLoops}, {}, parameters},
      {"tile-recognize-reductions", {FlatLoops}, {}, parameters},
      {"tile-keep-own-elements", {WholeBuffers, FlatLoops}, {}, parameters},
      {"tile-raise-copies", {WholeBuffers, FlatLoops}, {}, parameters},
      {"tile-join-copies", {}, {}, parameters},
      {"tile-lift-statements", {WholeBuffers}, {}, parameters},
      {"tile-lift-elements", {WholeBuffers}, {LiftedElements}, parameters},
      {"tile-roll-tails", {}, {}, parameters},
      {"tile-join-products", {}, {}, parameters},
      {"tile-forward-operands", {}, {}, parameters},
      {"tile-forward-transposes", {WholeBuffers}, {}, parameters},
      {"tile-forward-tiles", {}, {}, parameters},
      {"tile-forward-numbers", {WholeBuffers}, {}, parameters},
      {"tile-join-updates", {WholeBuffers}, {}, parameters},
      {"tile-erase-dead", {}, {}, parameters},
      {"tile-raise-fills", {WholeBuffers, FlatLoops}, {NamedFills}, parameters},
      {"tile-lower-copies", {}, {MovedRegisters}, parameters},
      {"tile-lower-fills", {}, {WholeFills}, parameters},
      {"tile-raise-moves", {WholeBuffers, FlatLoops}, {NamedMoves}, parameters},
      {"tile-stream-fragments", {NamedFills, NamedMoves}, {}, parameters},
      {"tile-read-rounds", {NamedMoves}, {}, parameters},
      {"tile-choose-threads", {NoBreaks, MovedRegisters, WholeFills}, {}, {true, {"threads"}, ""}},
      {"tile-give-stages", {NoBreaks, MovedRegisters, WholeFills}, {}, parameters},
      {"tile-set-k-tiles", {NoBreaks, MovedRegisters, WholeFills}, {}, parameters},
      {"tile-split-products", {NoBreaks, MovedRegisters, WholeFills}, {}, parameters},
      {"tile-peel-edges", {NoBreaks, MovedRegisters, WholeFills}, {}, parameters},
  };
}

/// Of those that say where elements are.
static std::vector<Contract> contractsOfLayouts() {
  using enum Fact;
  const Untouched parameters;
  return {
      {"tile-transpose-operands", {NoBreaks, MovedRegisters, WholeFills}, {}, parameters},
      {"tile-convert-operands", {NoBreaks, MovedRegisters, WholeFills}, {}, parameters},
      {"tile-expand-products", {NoBreaks, MovedRegisters, WholeFills}, {}, parameters},
      {"tile-pack-tiles", {MovedRegisters, NamedMoves}, {}, parameters},
      {"tile-isolate-operands", {MovedRegisters}, {WholeOperands}, parameters},
      {"tile-choose-warp-groups", {WholeOperands}, {}, {true, {"warp_group"}, ""}},
      {"tile-forward-accumulators", {WholeOperands}, {}, parameters},
      {"tile-chain-products", {WholeOperands}, {}, {true, {"chained"}, ""}},
      {"tile-keep-operands", {WholeOperands}, {}, parameters},
      {"tile-infer-layouts",
       {WholeBuffers, NoBreaks, FlatLoops, LiftedElements, MovedRegisters, WholeFills,
        WholeOperands},
       {FragmentLayouts},
       {true, {"layout", "mma"}, ""}},
      {"tile-unroll-held-rows", {FragmentLayouts}, {}, parameters},
      {"tile-unroll-windows", {FragmentLayouts}, {}, parameters},
      {"tile-follow-pieces", {FragmentLayouts}, {}, {true, {"layout"}, ""}},
      {"tile-match-operands", {WholeOperands, FragmentLayouts}, {}, parameters},
      {"tile-stage-fragments", {FragmentLayouts}, {}, parameters},
      {"tile-lay-out-shared", {FragmentLayouts}, {Layouts}, {true, {"layout"}, ""}},
      {"tile-raise-transposes", {Layouts}, {}, {true, {"tile.move", "tile.transpose_bytes"}, ""}},
      {"tile-keep-loop-layouts", {Layouts}, {}, {true, {"layout"}, ""}},
  };
}

/// Of those behind them.
static std::vector<Contract> contractsFromLayouts() {
  using enum Fact;
  const Untouched parameters;
  return {
      {"tile-choose-schedules", {}, {}, {true, {"strategy", "exact"}, ""}},
      {"tile-delay-sums", {WholeBuffers, Layouts}, {}, parameters},
      {"tile-rewrite-gates", {WholeBuffers, Layouts}, {}, parameters},
      {"tile-shorten-angles", {WholeBuffers, Layouts}, {}, parameters},
      {"tile-fuse-squares", {WholeBuffers, Layouts}, {}, parameters},
      {"tile-fuse-affine", {WholeBuffers, Layouts}, {}, parameters},
      {"tile-relax-exponentials", {WholeBuffers, Layouts}, {}, parameters},
      {"tile-relax-logarithms", {WholeBuffers, Layouts}, {}, parameters},
      {"tile-relax-tangents", {WholeBuffers, Layouts}, {}, parameters},
      {"tile-relax-quotients", {WholeBuffers, Layouts}, {}, parameters},
      {"tile-fuse-exact-products", {WholeBuffers, Layouts}, {}, parameters},
      {"tile-allow-fast-math", {WholeBuffers, Layouts}, {}, parameters},
      {"tile-run-serial-ahead", {Layouts}, {}, parameters},
      {"tile-hoist-reads", {WholeBuffers}, {}, parameters},
      {"tile-hoist-tiles", {}, {}, {true, {"tile.alloc"}, ""}},
      {"tile-split-fills", {Layouts}, {}, parameters},
      {"tile-find-producers",
       {WholeBuffers, MovedRegisters, WholeFills, Layouts},
       {BroughtTiles},
       {true, {"served", "transfers", "strategy"}, ""}},
      {"tile-clear-products", {WholeFills, Layouts}, {}, parameters},
      {"tile-choose-rounds", {WholeBuffers, Layouts}, {}, parameters},
      {"tile-forward-stores", {WholeBuffers, Layouts}, {}, parameters},
      {"tile-find-dead-rounds", {WholeBuffers, Layouts}, {}, parameters},
      {"tile-guard-masks", {WholeBuffers, Layouts}, {}, parameters},
      {"tile-share-out-tiles", {WholeBuffers, Layouts}, {}, parameters},
      {"tile-take-turns", {Layouts}, {}, {true, {"served", "strategy"}, ""}},
      {"tile-fit-slots", {Layouts, BroughtTiles}, {WholeRings}, parameters},
      {"tile-store-tiles", {WholeBuffers, Layouts, WholeRings}, {}, parameters},
      {"tile-add-slots", {Layouts, WholeRings}, {}, {true, {"served"}, ""}},
      {"tile-fill-once", {Layouts, BroughtTiles}, {}, {true, {"transfers"}, ""}},
      {"tile-clear-first-rounds", {WholeFills, Layouts}, {}, parameters},
      {"tile-delay-waits",
       {Layouts, BroughtTiles},
       {},
       {true, {"tile.gemm_wait", "in_flight"}, ""}},
      {"tile-expand-producers",
       {WholeBuffers, MovedRegisters, WholeFills, Layouts, BroughtTiles, WholeRings},
       {PipesFilled},
       parameters},
      {"tile-read-images", {}, {}, parameters},
      {"tile-separate-tiles", {Layouts}, {}, parameters},
      {"tile-expand-pipelines",
       {WholeBuffers, MovedRegisters, WholeFills, Layouts},
       {OneStage, CopiesWaited},
       parameters},
      {"tile-stage-stores", {Layouts, OneStage}, {}, parameters},
      {"tile-place-shared",
       {Layouts, OneStage},
       {Places},
       {true, {"shared_place", "shared_bytes"}, ""}},
      {"tile-place-barriers", {OneStage, Places}, {Barriers}, {true, {"tile.barrier"}, ""}},
      {"tile-to-wave",
       {WholeBuffers, NoBreaks, MovedRegisters, WholeFills, Layouts, OneStage, CopiesWaited,
        PipesFilled, Places, Barriers},
       {OneDialect, OnTarget},
       {true, {}, "tile.program"}},
      {"wave-schedule", {OneDialect, OnTarget}, {Planned}, parameters},
      {"wave-reads-first", {OneDialect, OnTarget}, {}, parameters},
      {"wave-places-first", {OneDialect, OnTarget}, {}, parameters},
      {"wave-leave-atomics",
       {OneDialect, OnTarget},
       {},
       {true, {"wave.wait", "wave.sched_fence"}, ""}},
      {"wave-carry-rounds", {OneDialect, OnTarget}, {Planned}, parameters},
  };
}

ArrayRef<Contract> contracts() {
  static const std::vector<Contract> rows = [] {
    std::vector<Contract> all = contractsToLayouts();
    llvm::append_range(all, contractsOfLayouts());
    llvm::append_range(all, contractsFromLayouts());
    return all;
  }();
  return rows;
}

static const Contract *contractOf(StringRef pass) {
  const Contract *found =
      llvm::find_if(contracts(), [&](const Contract &row) { return row.pass == pass; });
  return found == contracts().end() ? nullptr : found;
}

/// Facts about tile programs, which end when there are wave kernels.
static bool isOfTile(Fact fact) { return fact < Fact::OneDialect; }

/// ThreadsApart holds of accesses as they were written.
static bool endsAtOnce(Fact fact) { return fact == Fact::ThreadsApart; }

/// Loops have names, and operands are whole, for those who give layouts. What canonicalize folds
/// may make another loop a fill.
static bool endsWithLayouts(Fact fact) {
  return fact == Fact::NamedFills || fact == Fact::NamedMoves || fact == Fact::WholeOperands;
}

void ContractChecker::watch(MLIRContext &context) {
  context.disableMultithreading(); // programs of a module one after the other
  context.registerActionHandler(
      [this](function_ref<void()> transform, const tracing::Action &action) {
        const auto *pass = dyn_cast<PassExecutionAction>(&action);
        if (!pass || isChecking)
          return transform();
        // Adaptors, which run the passes of nested operations, have no name.
        if (pass->getPass().getArgument().empty())
          return transform();
        if (!found)
          run(transform, pass->getPass().getArgument(), pass->getOp());
      });
}

bool ContractChecker::hold(ArrayRef<Fact> facts, Operation *root, const Twine &whose) {
  for (Fact fact : facts)
    if (std::optional<Breach> breach = breachOf(fact, root, target)) {
      found = Breach{(whose + ": " + breach->text).str(), breach->place};
      return false;
    }
  return true;
}

using AttributeNames = llvm::DenseSet<StringAttr>;

/// Attributes of `root` and what is in it that no op declares.
static AttributeNames undeclaredNames(Operation *root) {
  AttributeNames names;
  root->walk([&](Operation *op) {
    for (NamedAttribute attribute : op->getDiscardableAttrs())
      names.insert(attribute.getName());
  });
  return names;
}

/// What one pass tells another is declared: the first attribute that is not, but for those that the
/// program came with.
static std::optional<Breach> undeclaredIn(Operation *root, const AttributeNames &known) {
  return firstBreach(root, [&](Operation *op) -> std::optional<std::string> {
    for (NamedAttribute attribute : op->getDiscardableAttrs())
      if (!known.contains(attribute.getName()))
        return "has `" + attribute.getName().str() + "`, which it does not declare";
    return std::nullopt;
  });
}

void ContractChecker::run(llvm::function_ref<void()> pass, StringRef name, Operation *root) {
  llvm::SaveAndRestore checking(isChecking);
  const Contract *contract = contractOf(name);
  // With another program of the module the passes begin anew.
  if (isa<tile::ProgramOp>(root) && std::exchange(program, root) != root)
    restart();
  // Passes of MLIR: what holds goes on to hold.
  Snapshot before(root, contract ? contract->leaves : Untouched());
  if (contract) {
    isChecking = true;
    if (!hold(contract->needs, root, "`" + name + "` needs"))
      return;
    isChecking = false;
  }
  AttributeNames undeclared = undeclaredNames(root);
  pass();
  isChecking = true;
  if (failed(mlir::verify(root))) // the pass manager says so
    return;
  if (std::optional<Breach> breach = before.differenceFrom(root)) {
    found = Breach{("`" + name + "` leaves: " + breach->text).str(), breach->place};
    return;
  }
  if (std::optional<Breach> breach = undeclaredIn(root, undeclared)) {
    found = Breach{("`" + name + "`: " + breach->text).str(), breach->place};
    return;
  }
  if (contract)
    for (Fact fact : contract->gives)
      if (!llvm::is_contained(held, fact))
        held.push_back(fact);
  if (name == "tile-to-wave")
    llvm::erase_if(held, isOfTile);
  if (contract && !hold(contract->gives, root, "`" + name + "` gives"))
    return;
  if (llvm::is_contained(held, Fact::FragmentLayouts))
    llvm::erase_if(held, endsWithLayouts);
  hold(held, root, "`" + name + "` keeps");
  llvm::erase_if(held, endsAtOnce);
}

} // namespace tilec
