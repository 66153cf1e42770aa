//===- Pipelines.cpp - which passes make which stage ----------------------===//
//
// The one place that says which passes run in which order; Pipelines.h has what it gives.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Driver/Pipelines.h"

#include "tilec/Target/Target.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"

namespace tilec {

/// Every operation in one form.
static constexpr llvm::StringLiteral formingPasses[] = {
    // Where local buffers are, before anything looks at who writes what.
    "tile-gather-flags",
    "tile-place-locals",
    "tile-write-locals",
    "tile-separate-overlaps",
    "tile-narrow-tiles",
    // Then all that an iteration does is statements, on whole buffers, under guards that ask
    // something.
    "tile-expand-inner-tiles",
    "tile-straighten-flips",
    "tile-simplify-offsets",
    "tile-shorten-parallels",
    "tile-decide-comparisons",
    "tile-fold-views",
    "tile-drop-guards",
    "tile-unguard-reads",
    "tile-select-values",
    "tile-read-once",
    "tile-forward-locals",
    "tile-keep-results",
    "tile-unify-meetings",
    "tile-lower-breaks",
    "tile-expand-scans",
    // Parallels: which there are, and perfect nests of them. A buffer is spread when the loops over
    // its elements are known.
    "tile-roll-copies",
    "tile-join-row-copies",
    "tile-parallelize-loops",
    "tile-widen-parallels",
    "tile-nest-reductions",
    "tile-split-variables",
    "tile-spread-locals",
    "tile-merge-parallels",
    "tile-chunk-parallels",
    "tile-bound-parallels",
    "tile-fission-parallels",
    "tile-order-updates",
    "tile-update-atomically",
    "tile-recognize-reductions",
    "tile-sum-before-atomics",
    // Tile operations: what copies, products and tiles there are.
    "tile-keep-own-elements",
    "tile-raise-copies",
    "tile-join-copies",
    "tile-lift-statements",
    "tile-lift-elements",
    "tile-roll-tails",
    "tile-join-products",
    "tile-forward-operands",
    "tile-forward-transposes",
    "tile-forward-tiles",
    "tile-forward-numbers",
    "tile-join-updates",
    // What no branch is left for does not keep a loop from being a fill.
    "tile-erase-dead",
    "tile-raise-fills",
    // Nobody looks for copies of registers any more.
    "tile-lower-copies",
    "tile-lower-fills",
    "tile-raise-moves",
    "tile-stream-fragments",
    "tile-read-rounds",
    "tile-erase-dead",
};

/// What single threads do, written out. Where they meet is looked for in branches that some take.
static constexpr llvm::StringLiteral threadPasses[] = {
    "tile-separate-overlaps{lockstep=true}",
    "tile-expand-thread-tiles",
    "tile-keep-single-elements",
    "tile-stage-elements",
    "tile-unroll-locals",
    "tile-unroll-reads",
    "tile-share-quotients",
    "tile-store-once",
    "tile-decide-comparisons{lockstep=true}",
};

/// An option of a pass beside the chip's.
static std::string with(llvm::StringRef chip, const llvm::Twine &option) {
  return (chip.drop_back() + " " + option + "}").str();
}

/// What threads, rounds and blocks there are.
static std::string sharingPasses(llvm::StringRef schedule, const std::string &chip) {
  const std::string asked = schedule.empty() ? chip : with(chip, "strategy=" + schedule);
  return "tile-give-stages" + asked + ",tile-set-k-tiles" + asked + ",tile-choose-threads" + chip +
         ",tile-split-products" + asked + ",tile-peel-edges" + chip;
}

/// Where elements are: atoms decide, then fragments, then shared tiles. What products are is
/// settled before, by passes that look at all of a kernel's.
static std::string layoutPasses(const PlanLayouts &wish, const std::string &chip) {
  return "tile-transpose-operands" + chip + ",tile-convert-operands" + chip +
         ",tile-expand-products" + chip + ",tile-pack-tiles,tile-isolate-operands" + chip +
         ",tile-choose-warp-groups" + chip + ",tile-forward-accumulators" + chip +
         ",tile-chain-products" + (wish.atoms.empty() ? chip : with(chip, "atoms=" + wish.atoms)) +
         ",tile-keep-operands" + chip + ",tile-infer-layouts" + chip +
         ",tile-unroll-held-rows,tile-unroll-windows" + ",tile-follow-pieces,tile-match-operands" +
         chip + ",tile-stage-fragments" + chip + ",tile-lay-out-shared" +
         (wish.swizzle == 0 ? chip : with(chip, "swizzle=" + llvm::Twine(wish.swizzle))) +
         ",tile-raise-transposes" + chip + ",tile-keep-loop-layouts" + chip;
}

llvm::ArrayRef<llvm::StringLiteral> passesToOneForm() { return formingPasses; }

static void addPasses(llvm::StringRef passes, mlir::OpPassManager &manager) {
  if (failed(mlir::parsePassPipeline(passes, manager)))
    llvm::report_fatal_error("a pipeline has a pass that is not registered");
}

namespace {
struct LayoutOptions : mlir::PassPipelineOptions<LayoutOptions> {
  Option<std::string> target{*this, "target", llvm::cl::desc("the chip"),
                             llvm::cl::init(std::string(nameOf(defaultArch)))};
};
} // namespace

void registerPipelines() {
  static mlir::PassPipelineRegistration<> forming(
      "tile-normalize", "every operation in one form", [](mlir::OpPassManager &manager) {
        addPasses(llvm::join(llvm::ArrayRef(formingPasses), ","), manager);
      });
  static mlir::PassPipelineRegistration<> threads(
      "tile-expand-threads", "what single threads do, written out",
      [](mlir::OpPassManager &manager) {
        addPasses(llvm::join(llvm::ArrayRef(threadPasses), ","), manager);
      });
  static mlir::PassPipelineRegistration<LayoutOptions> layouts(
      "tile-lay-out", "where elements are",
      [](mlir::OpPassManager &manager, const LayoutOptions &options) {
        addPasses(layoutPasses({}, "{target=" + options.target.getValue() + "}"), manager);
      });
}

std::string pipelineOf(Stage stage, Arch arch, llvm::StringRef schedule, bool checkBounds,
                       const PlanLayouts &layouts) {
  const std::string chip = ("{target=" + llvm::StringRef(nameOf(arch)) + "}").str();
  std::string target = chip;
  switch (stage) {
  case Stage::TileLaidOut:
    // Errors are found in the program as it was written; layouts are asked for by ops in their one
    // form.
    // Threads are kept apart while branches still say which of them go where.
    return "builtin.module(tile.program(tile-expand-im2col" + chip + ",tile-check," +
           llvm::join(llvm::ArrayRef(threadPasses), ",") +
           ",tile-separate-threads,tile-part-waves" + chip + "," +
           llvm::join(llvm::ArrayRef(formingPasses), ",") + "," + sharingPasses(schedule, chip) +
           "," + layoutPasses(layouts, chip) + "))";
  case Stage::TilePipelined:
    // Matrix loops whose order is planned get their plan when they are machine operations
    // (WaveScheduled).
    if (!schedule.empty() && !targetInfo(arch).keepsOrder)
      target.insert(target.size() - 1, (" strategy=" + schedule).str());
    // Schedules are chosen before anybody asks which one a loop wants. What functions become others
    // comes before what is allowed of these; of quotients last, whose raised divisors are compared.
    // Shared memory is counted when serial loops have their stages, and rings when what all rounds
    // read alike is read. What copies bring has tiles of its own before rings are made.
    // Producers come first: what they bring is no other ring's. What fills are left decides how
    // rounds run. Accumulators are stored from registers before anybody looks at what becomes of
    // rows, and masks are there as long as somebody looks at them. How rounds run decides who
    // shares tiles, and that how much of shared memory is needed at a time. Barriers come last:
    // they separate what the pipeliner has left in order.
    return "builtin.module(tile.program(tile-choose-schedules" + chip +
           ",tile-delay-sums,tile-rewrite-gates,tile-shorten-angles" + chip +
           ",tile-fuse-squares,tile-fuse-affine,tile-relax-exponentials" + chip +
           ",tile-relax-logarithms,tile-relax-tangents,tile-relax-quotients" + chip +
           ",tile-fuse-exact-products,tile-allow-fast-math,tile-run-serial-ahead" + chip +
           ",tile-hoist-reads" + chip + ",tile-hoist-tiles,tile-split-fills" + chip +
           ",tile-find-producers" + target + ",tile-clear-products" + chip + ",tile-choose-rounds" +
           target + ",tile-forward-stores" + chip + ",tile-find-dead-rounds,tile-guard-masks" +
           chip + ",tile-share-out-tiles" + target + ",tile-take-turns" + target +
           ",tile-fit-slots" + target + ",tile-store-tiles" + chip + ",tile-add-slots" + chip +
           ",tile-fill-once" + chip + ",tile-clear-first-rounds" + chip + ",tile-delay-waits" +
           chip + ",tile-expand-producers" + chip +
           ",tile-read-images,tile-separate-tiles,tile-expand-pipelines" + chip +
           ",canonicalize,cse," +
           (targetInfo(arch).accumulatesColumns ? "" : "tile-stage-stores" + chip + ",") +
           "tile-place-shared" + chip + ",tile-place-barriers))";
  case Stage::Wave:
    if (checkBounds)
      target.insert(target.size() - 1, " check-bounds=true");
    // An assembler of its own decides about registers elsewhere.
    return "builtin.module(tile-to-wave" + target + ",canonicalize{region-simplify=disabled},cse" +
           (targetInfo(arch).keepsOrder ? ",wave.kernel(wave-places-first)" : "") + ")";
  case Stage::WaveScheduled:
    if (targetInfo(arch).asyncCopies.completion == Completion::Groups)
      return "builtin.module(wave.kernel(wave-carry-rounds" + target +
             "),canonicalize{region-simplify=disabled},cse)";
    if (!schedule.empty())
      target.insert(target.size() - 1, (" strategy=" + schedule).str());
    return "builtin.module(wave.kernel(wave-schedule" + target + ",wave-reads-first" + chip +
           ",wave-leave-atomics" + chip + "),canonicalize{region-simplify=disabled},cse)";
  default:
    return "";
  }
}

} // namespace tilec
