//===- SettlePlans.cpp - plans that become what was planned ---------------===//
//
// Takes Wave IR whose loops wait for plans, looks at the machine code of what `auto` chooses, and
// while that spills, moves accumulators or has lost its order tries: the next strategy, no plan,
// more threads. The first without faults is taken, else the one with the fewest.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "CompileState.h"
#include "PlanFaults.h"

#include "tilec/Driver/Pipelines.h"
#include "tilec/IR/Reported.h"
#include "tilec/IR/Wave/Wave.h"
#include "tilec/Target/Target.h"

#include <map>
#include <set>

using namespace mlir;

namespace tilec {

/// What kernels with faults are made with.
struct PlanSettler::Way {
  bool unplanned = false;
  int64_t timesThreads = 1;
  std::map<std::string, PlanFaults::Kernel> kernels{}; ///< with faults before
};

/// A program that was made to its end.
struct PlanSettler::Outcome {
  Way way;
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<llvm::Module> llvmModule;
  codegen::Image image;
  PlanFaults faults;
  std::vector<PipePlan> pipes;
  rt::Manifest manifest;
  std::vector<Diagnostic> messages;
};

PlanSettler::PlanSettler(Compilation &compilation) : c(compilation), state(*c.state) {}
PlanSettler::~PlanSettler() = default;

/// Who rewrites stages from outside, names a strategy or gives plans gets them.
bool PlanSettler::isWanted(const CompileOptions &options) {
  return targetInfo(options.arch).keepsOrder && !options.afterStage && options.planText.empty() &&
         (options.schedule.empty() || options.schedule == "auto");
}

bool PlanSettler::hasProducts() {
  auto result = state.module->walk([](Operation *op) {
    auto pipeline = dyn_cast<wave::PipelineOp>(op);
    bool isAuto = pipeline && pipeline.getSchedule() == "auto" && !pipeline.getPlan();
    return isAuto || isa<wave::MmaOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// Runs stage wave-scheduled on the module as it is.
bool PlanSettler::plan(ArrayRef<std::string> rejected) {
  SmallVector<StringRef> names(rejected.begin(), rejected.end());
  Builder b(&state.context);
  if (!names.empty())
    for (wave::KernelOp kernel : state.module->getOps<wave::KernelOp>())
      kernel.setRejectedSchedulesAttr(b.getStrArrayAttr(names));
  return c.runPasses(Stage::WaveScheduled, pipelineOf(Stage::WaveScheduled, c.opts.arch,
                                                      c.opts.schedule, c.opts.checkBounds));
}

/// Strategies in turn, until one has no faults or none is left. False where nothing could be made.
bool PlanSettler::tryStrategies(const Way &way) {
  OwningOpRef<ModuleOp> unscheduled(state.module->clone());
  std::vector<Diagnostic> before = c.diags.all();
  SmallVector<std::string> rejected;
  WatchedKernels watched;
  for (const auto &[name, faults] : way.kernels)
    watched.like.insert(name);
  // What is computed of accumulators decides how many threads other kernels have (ChooseThreads).
  state.tile->walk([&](tile::KernelOp kernel) {
    unsigned products = 0;
    kernel.walk([&](tile::GemmOp) { ++products; });
    if (products == 1)
      watched.lone.insert(kernel.getName().str());
  });
  for (bool isNew = true; isNew;) {
    if (!plan(rejected) || !c.lower())
      return false;
    codegen::CodeGenOptions options = codeGenOptions(c.opts, *state.module);
    options.strict = false;
    auto image = codegen::compileModule(*state.llvmModule, options);
    if (!image)
      return c.fail(image.takeError(), Stage::Binary);
    llvm::Expected<PlanFaults> faults = faultsOf(*state.module, *image, watched);
    if (!faults)
      return c.fail(faults.takeError());
    isNew = false;
    for (const std::string &name : chosenStrategies(*state.module))
      if (!faults->text.empty() && !llvm::is_contained(rejected, name)) {
        isNew = true;
        rejected.push_back(name);
        left.push_back(
            {DiagId::IrRemark, Severity::Remark, Span(),
             "schedule `" + name + "` is left for the next one: its machine code " + faults->text});
      }
    outcomes.push_back({way, std::move(state.module), std::move(state.llvmModule),
                        std::move(*image), std::move(*faults), state.pipes, c.launchManifest,
                        c.diags.all()});
    state.module = OwningOpRef<ModuleOp>(unscheduled->clone());
    c.diags.replace(before);
  }
  return true;
}

static std::vector<int64_t> threadsOf(tile::ProgramOp program) {
  std::vector<int64_t> threads;
  for (tile::KernelOp kernel : program.getBody().getOps<tile::KernelOp>())
    threads.push_back(kernel.getThreads());
  return threads;
}

/// The program from stage tile to wave. False where `way` changes nothing, or cannot be.
bool PlanSettler::makeStages(const Way &way, bool keepTemps) {
  const TargetInfo &target = targetInfo(c.opts.arch);
  c.diags.replace(state.tileMessages);
  state.contracts.restart();
  state.module = OwningOpRef<ModuleOp>(state.tile->clone());
  for (auto [kernel, threads] :
       llvm::zip(c.program().getBody().getOps<tile::KernelOp>(), threadsOfFirst)) {
    auto found = way.kernels.find(kernel.getName().str());
    if (found == way.kernels.end())
      continue;
    kernel.setUnplanned(way.unplanned);
    // What moves and does not spill takes schedulers that no wave uses, and is slower with two
    // waves on each (384 x 224 x 32, gfx942: 634 us with 512 threads in the model, 567 with 256).
    int64_t wanted = way.timesThreads * threads;
    if (wanted > threads &&
        (found->second.spills || wanted <= target.schedulers * target.waveLanes))
      kernel.setLeastThreads(wanted);
  }
  for (Stage stage : {Stage::TileLaidOut, Stage::TilePipelined, Stage::Wave}) {
    if (!c.runStage(stage) || c.diags.hasErrors())
      return false;
    if (keepTemps)
      c.saveTemp(stage);
    if (stage == Stage::TileLaidOut && way.timesThreads > 1 &&
        threadsOf(c.program()) == threadsOfFirst)
      return false;
  }
  return true;
}

void PlanSettler::take(Outcome &outcome) {
  // What lies there of the stages before is of the last way that was tried.
  if (!c.opts.saveTempsPrefix.empty() && (outcome.way.unplanned || outcome.way.timesThreads > 1))
    makeStages(outcome.way, /*keepTemps=*/true);
  state.module = std::move(outcome.module);
  state.llvmModule = std::move(outcome.llvmModule);
  state.pipes = std::move(outcome.pipes);
  c.launchManifest = std::move(outcome.manifest);
  c.diags.replace(std::move(outcome.messages));
  for (Diagnostic &diagnostic : left)
    c.diags.add(std::move(diagnostic));
  state.trial = std::move(outcome.image);
  for (tile::KernelOp kernel : c.program().getBody().getOps<tile::KernelOp>())
    if (unsigned spills = outcome.faults.kernels[kernel.getName().str()].spills)
      (void)Reported(kernel, DiagId::EveryPlanSpills, kernel.getName(), spills);
}

/// The first with the fewest faults.
PlanSettler::Outcome &PlanSettler::best() {
  return *llvm::min_element(outcomes, [](const Outcome &a, const Outcome &b) {
    return a.faults.weight < b.faults.weight;
  });
}

bool PlanSettler::run() {
  if (!hasProducts())
    return plan({});
  double begin = nowMs();
  threadsOfFirst = threadsOf(c.program());
  Way way;
  if (!tryStrategies(way))
    return false;
  for (auto [unplanned, timesThreads] :
       {std::pair(true, 1), {false, 2}, {true, 2}, {false, 4}, {true, 4}}) {
    if (best().faults.weight == 0)
      break;
    // Without a plan: only what had one.
    bool isOther = !unplanned || llvm::any_of(outcomes, [times = timesThreads](const Outcome &o) {
      return o.way.timesThreads == times && !o.way.unplanned && o.faults.ofPlans;
    });
    if (!isOther)
      continue;
    for (const Outcome &outcome : outcomes)
      way.kernels.insert(outcome.faults.kernels.begin(), outcome.faults.kernels.end());
    way.unplanned = unplanned;
    way.timesThreads = timesThreads;
    if (makeStages(way, /*keepTemps=*/false))
      tryStrategies(way);
    if (state.contracts.breach()) // a fault of tilec, which has been said
      return false;
  }
  take(best());
  state.trialMs = nowMs() - begin;
  return true;
}

} // namespace tilec
