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

ArrayRef<Contract> contracts() {
  using enum Fact;
  static const Untouched parameters;
  static const std::vector<Contract> rows = {
      {"tile-expand-im2col", {}, {}, parameters},
      {"tile-check", {}, {WholeBuffers}, parameters},
      {"tile-expand-threads", {WholeBuffers}, {WholeBuffers}, parameters},
      {"tile-separate-threads",
       {WholeBuffers},
       {ThreadsApart},
       {true, {"tile.sync_threads", "tile.sync_warp"}, ""}},
      {"tile-part-waves", {WholeBuffers, ThreadsApart}, {WholeBuffers}, parameters},
      {"tile-normalize", {WholeBuffers}, {OneForm, NamedOps}, parameters},
      {"tile-choose-threads", {OneForm}, {}, {true, {"threads"}, ""}},
      {"tile-give-stages", {OneForm}, {}, parameters},
      {"tile-set-k-tiles", {OneForm}, {}, parameters},
      {"tile-split-products", {OneForm}, {}, parameters},
      {"tile-peel-edges", {OneForm}, {}, parameters},
      {"tile-infer-layouts", {WholeBuffers, OneForm}, {Layouts}, parameters},
      {"tile-expand-pipelines",
       {WholeBuffers, OneForm, Layouts},
       {OneStage, CopiesWaited, PipesFilled},
       parameters},
      {"tile-stage-stores", {Layouts, OneStage}, {}, parameters},
      {"tile-place-shared",
       {Layouts, OneStage},
       {Places},
       {true, {"shared_place", "shared_bytes"}, ""}},
      {"tile-place-barriers", {OneStage, Places}, {Barriers}, {true, {"tile.barrier"}, ""}},
      {"tile-to-wave",
       {WholeBuffers, OneForm, Layouts, OneStage, CopiesWaited, PipesFilled, Places, Barriers},
       {OneDialect, OnTarget},
       {true, {}, "tile.program"}},
      {"wave-schedule", {OneDialect, OnTarget}, {Planned}, parameters},
      {"wave-reads-first", {OneDialect, OnTarget}, {}, parameters},
      {"wave-leave-atomics",
       {OneDialect, OnTarget},
       {},
       {true, {"wave.wait", "wave.sched_fence"}, ""}},
      {"wave-carry-rounds", {OneDialect, OnTarget}, {Planned}, parameters},
  };
  return rows;
}

static const Contract *contractOf(StringRef pass) {
  const Contract *found =
      llvm::find_if(contracts(), [&](const Contract &row) { return row.pass == pass; });
  return found == contracts().end() ? nullptr : found;
}

/// Facts about tile programs, which end when there are wave kernels.
static bool isOfTile(Fact fact) { return fact < Fact::OneDialect; }

/// ThreadsApart holds of accesses as they were written. What canonicalize folds may make another
/// loop a fill.
static bool endsAtOnce(Fact fact) { return fact == Fact::ThreadsApart || fact == Fact::NamedOps; }

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
  hold(held, root, "`" + name + "` keeps");
  llvm::erase_if(held, endsAtOnce);
}

} // namespace tilec
