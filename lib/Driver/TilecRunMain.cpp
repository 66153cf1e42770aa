//===- TilecRunMain.cpp - compile, run, check, time -----------------------===//
//
// Takes the command line of tilec-run: compiles, makes arguments, runs on a device, times, checks
// and saves.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "CacheOptions.h"
#include "ChooseDevice.h"
#include "CodeOptions.h"
#include "PrintDiagnostics.h"
#include "RunReport.h"
#include "ScheduleSearch.h"
#include "Tune.h"
#include "Workers.h"

#include "tilec/Base/Version.h"
#include "tilec/Driver/Tools.h"

#include "tilec/PtxSim/PtxDevice.h"
#include "tilec/Runtime/Npy.h"
#include "tilec/Runtime/Rivals.h"
#include "tilec/Sim/Profile.h"
#include "tilec/SimDevice/SimDevice.h"
#include "tilec/Support/StageWatch.h"
#include "tilec/Target/Residency.h"
#include "tilec/Transforms/ScheduleNames.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <unistd.h>

namespace tilec {
namespace {

struct Arguments {
  std::string file, entry, schedule, math = "default", target, device, simChecks = "all",
                                     simMode = "eager", rangeCheck = "with-soffset", profile;
  std::vector<std::string> defines, args, dims, saves, spreads, rivals, tune;
  std::string tuneResults, tuned, shard, tuneDir, tuneMerge, rivalLibrary;
  size_t finalists = 0; ///< 0: four, of shards eight
  double tuneTimeout = 60;
  std::string planOut, planText; ///< where a search of plans writes; the plans that are used
  unsigned searchEvaluations = ScheduleSearchRequest().evaluations;
  uint64_t searchSeed = 1;
  double searchSeconds = ScheduleSearchRequest().seconds;
  CacheOptions cache;
  uint32_t seed = 0;
  uint64_t interleaveSeed = 0;
  bool check = false, bench = false, time = false, json = false, table = false, remarks = false;

  bool wantsClock() const { return bench || time || !profile.empty(); }
};

/// A line that is rewritten in place on a terminal, and not printed anywhere else.
class ProgressLine {
public:
  void show(const std::string &text) {
    if (!isTerminal)
      return;
    llvm::errs() << "\r\033[K" << text;
    llvm::errs().flush();
    isShown = true;
  }
  ~ProgressLine() {
    if (isShown)
      llvm::errs() << "\r\033[K";
  }

private:
  bool isTerminal = isatty(STDERR_FILENO);
  bool isShown = false;
};

rt::Result<rt::Device> openDevice(const Arguments &args, Arch arch, const Messages &messages,
                                  ProgressLine &progress, Outcome &outcome) {
  if (args.device == "cuda")
    return rt::openCuda();
  if (args.device == "hip")
    return rt::openHip();
  if (args.device == "ptx") {
    PtxDeviceOptions options;
    options.launch.checkOrder = args.simChecks != "none";
    options.launch.seed = args.interleaveSeed;
    options.launch.progress = [&progress](uint64_t done, uint64_t all) {
      progress.show(llvm::formatv("simulating: {0} of {1} blocks", done, all));
    };
    options.onRun = [&outcome](const std::string &, const ptx::RunResult &result) {
      outcome.simInstructions += result.instructions;
    };
    return openPtx(std::string(nameOf(arch)), options);
  }
  SimDeviceOptions options;
  options.launch.checks = args.simChecks == "none" ? sim::Checks::None : sim::Checks::All;
  options.launch.memoryMode =
      args.simMode == "strict" ? sim::MemoryMode::Strict : sim::MemoryMode::Eager;
  options.launch.interleaveSeed = args.interleaveSeed;
  options.launch.soffsetInRangeCheck = args.rangeCheck == "with-soffset";
  options.launch.progress = [&progress](const sim::Progress &p) {
    progress.show(llvm::formatv("simulating: {0} of {1} blocks", p.doneGroups, p.totalGroups));
  };
  options.onRun = [&outcome, &messages](const std::string &, const sim::RunResult &result) {
    outcome.simInstructions += result.counters.instructions;
    for (const sim::Finding &finding : result.findings) // errors come from the launch
      if (finding.cls == sim::FindingClass::Lint)
        messages.say(DiagId::SimulatorFinding, finding.message);
  };
  return openSim(arch, options);
}

/// NAME and FILE of `NAME=FILE.npy`, where NAME is a tensor.
rt::Result<std::pair<std::string, std::string>> tensorAndFile(const std::string &option,
                                                              const std::string &spec,
                                                              const rt::ArgumentSet &arguments) {
  size_t equals = spec.find('=');
  std::string name = spec.substr(0, equals);
  const rt::Argument *argument = equals == std::string::npos ? nullptr : arguments.find(name);
  if (!argument || argument->param.kind != rt::ParamKind::Tensor)
    return rt::Error{option + " " + spec + ": write NAME=FILE.npy with the name of a tensor"};
  return std::pair(name, spec.substr(equals + 1));
}

/// Before a run that may take long: what is saved are tensors.
rt::Status checkSaves(const Arguments &args, const rt::ArgumentSet &arguments) {
  for (const auto &[option, specs] :
       {std::pair("--save", &args.saves), {"--save-spread", &args.spreads}})
    for (const std::string &spec : *specs)
      if (auto wanted = tensorAndFile(option, spec, arguments); !wanted)
        return wanted.error();
  return rt::success();
}

rt::Status saveTensors(const Arguments &args, const rt::ArgumentSet &arguments) {
  for (const std::string &spec : args.saves) {
    auto wanted = tensorAndFile("--save", spec, arguments);
    if (rt::Status status = rt::writeNpy(wanted->second, arguments.find(wanted->first)->tensor);
        !status)
      return status;
  }
  return rt::success();
}

/// One f64 a row. What is compared bit for bit has no spread, and zeros stand for it.
rt::Status saveSpreads(const Arguments &args, Compilation &compilation,
                       const rt::ArgumentSet &before) {
  if (args.spreads.empty())
    return rt::success();
  rt::Result<std::vector<Expected>> expected = expectedResults(compilation, before);
  if (!expected)
    return expected.error();
  for (const std::string &spec : args.spreads) {
    auto wanted = tensorAndFile("--save-spread", spec, before);
    auto result = llvm::find_if(*expected, [&](auto &e) { return e.name == wanted->first; });
    if (result == expected->end())
      return rt::Error{"--save-spread " + spec + ": the kernel does not write this tensor"};
    int64_t rowElems = result->value.shape.empty() ? 1 : result->value.shape.back();
    int64_t rows = rowElems ? result->value.elemCount() / rowElems : 0;
    rt::HostTensor spread(DType::F64, {rows});
    for (auto [row, value] : llvm::enumerate(result->spread))
      spread.setValue(row, value);
    if (rt::Status status = rt::writeNpy(wanted->second, spread); !status)
      return status;
  }
  return rt::success();
}

rt::Result<rt::ArgumentRequest> requestOf(const Arguments &args) {
  return rt::parseRequest(args.args, args.dims, args.seed);
}

/// What `--tune`'s search has found, or what there is to say against it. 0 is the process's status.
int endOfTuning(const Arguments &args, const Messages &messages, const TuneRecord &record) {
  llvm::outs() << printRecord(record);
  // An earlier search's result is worth more than an interrupted one without any.
  bool isWhole = record.outcomes.size() == record.all;
  if (!args.tuneResults.empty() && (record.best() || isWhole))
    if (rt::Status status = saveRecord(args.tuneResults, record); !status)
      return messages.failure(DiagId::TuningFailed, status.error().message);
  const TuneOutcome *best = record.best();
  if (best)
    llvm::outs() << llvm::formatv("best: {0} ({1:f2} us)\n", describe(best->parameters), best->us);
  std::string counts =
      llvm::formatv("{0} of {1} candidates have a result", record.outcomes.size(), record.all);
  if (!isWhole && args.tuneMerge.empty())
    return messages.failure(DiagId::TuningFailed, "interrupted: " + counts);
  if (!isWhole)
    return messages.failure(DiagId::TuningFailed,
                            counts + ": a shard has not ended, or was never started");
  if (!args.shard.empty()) {
    llvm::outs() << llvm::formatv("shard {0}: {1}; --tune-merge={2} has the best of all\n",
                                  args.shard, counts, args.tuneDir);
    return 0; // a shard without a candidate that works is none the worse
  }
  return best ? 0 : messages.failure(DiagId::TuningFailed, "no candidate works");
}

/// `--tune`: a search instead of a run.
int runTuning(const Arguments &args, const Messages &messages, Arch arch) {
  ProgressLine progress;
  TuneRequest request;
  request.file = args.file;
  request.device = args.device;
  request.space = args.tune;
  request.check = args.check;
  request.timeoutSeconds = args.tuneTimeout;
  request.progress = [&](const std::string &text) { progress.show(text); };
  request.compile.arch = arch;
  request.compile.entry = args.entry;
  (args.planText.empty() ? request.compile.schedule : request.compile.planFile) = args.schedule;
  request.compile.planText = args.planText;
  request.compile.math = *parseMathMode(args.math);
  request.compile.cache = openCache(args.cache);
  request.compile.cachePrograms = true;
  rt::Result<rt::ArgumentRequest> arguments = requestOf(args);
  if (!arguments)
    return messages.failure(DiagId::RunArgument, arguments.error().message);
  request.arguments = std::move(*arguments);
  if (!args.tuneResults.empty())
    if (rt::Status status = checkRecordFile(args.tuneResults); !status)
      return messages.failure(DiagId::TuningFailed, "--tune-results: " + status.error().message);
  request.folder = args.tuneMerge.empty() ? args.tuneDir : args.tuneMerge;
  request.finalists = args.finalists ? args.finalists : args.tuneMerge.empty() ? 4 : 8;
  if (!args.shard.empty()) {
    rt::Result<Shard> shard = parseShard(args.shard, [](const char *name) { return getenv(name); });
    if (!shard)
      return messages.failure(DiagId::TuningFailed, shard.error().message);
    request.shard = *shard;
  }
  rt::Result<TuneRecord> record = args.tuneMerge.empty() ? tune(request) : mergeShards(request);
  progress.show("");
  if (!record)
    return messages.failure(DiagId::TuningFailed, record.error().message);
  return endOfTuning(args, messages, *record);
}

/// The options that tilec would compile with.
CompileOptions compileOptions(const Arguments &args, Arch arch) {
  CompileOptions options;
  options.arch = arch;
  options.entry = args.entry;
  options.defines = args.defines;
  (args.planText.empty() ? options.schedule : options.planFile) = args.schedule;
  options.planText = args.planText;
  options.math = *parseMathMode(args.math);
  options.cache = openCache(args.cache);
  options.cachePrograms = true;
  return options;
}

/// What a search of plans has found, at its end.
void printFound(const Arguments &args, const ScheduleFound &found) {
  size_t refused = llvm::count_if(found.trials, [](auto &trial) { return trial.us == 0; });
  llvm::outs() << llvm::formatv("tried {0} plans ({1} refused), seed {2}\n", found.trials.size(),
                                refused, args.searchSeed);
  if (found.ended != 0)
    llvm::outs() << llvm::formatv(
        "ended by the clock: {0} looks at plans took too long; another run "
        "may find another plan\n",
        found.ended);
  else if (found.isTimeUp)
    llvm::outs() << llvm::formatv("ended by the clock (--search-seconds) after {0} of {1} plans: "
                                  "--search-evaluations={0} finds the same again, all {1} may find "
                                  "another plan\n",
                                  found.trials.size(), args.searchEvaluations);
  auto print = [](const ScheduleTrial &trial) {
    if (trial.us > 0)
      llvm::outs() << llvm::formatv("  {0,12:f2} us  {1}\n", trial.us, trial.what);
    else
      llvm::outs() << llvm::formatv("  {0,12}     {1}: {2}\n", "-", trial.what,
                                    llvm::StringRef(trial.reason).split('\n').first);
  };
  if (args.table)
    llvm::for_each(found.trials, print);
  llvm::outs() << llvm::formatv("strategies {0:f2} us, found {1:f2} us ({2:f2} % less)\n",
                                found.before, found.after, 100 * (1 - found.after / found.before));
}

/// `--schedule=search`: a search instead of a run.
int runSearch(const Arguments &args, const Messages &messages, Arch arch) {
  ProgressLine progress;
  ScheduleSearchRequest request;
  request.file = args.file;
  request.compile = compileOptions(args, arch);
  request.compile.schedule.clear();
  request.name = llvm::sys::path::stem(args.planOut.empty() ? args.file : args.planOut).str();
  request.seed = args.searchSeed;
  request.evaluations = args.searchEvaluations;
  request.seconds = args.searchSeconds;
  request.progress = [&](const std::string &text) { progress.show(text); };
  rt::Result<rt::ArgumentRequest> arguments = requestOf(args);
  if (!arguments)
    return messages.failure(DiagId::RunArgument, arguments.error().message);
  request.arguments = std::move(*arguments);
  rt::Result<ScheduleFound> found = searchSchedules(request);
  progress.show("");
  if (!found)
    return messages.failure(DiagId::TuningFailed, found.error().message);
  printFound(args, *found);
  found->plans.comments = {
      llvm::formatv("{0}, entry {1}", llvm::sys::path::filename(args.file), args.entry).str(),
      llvm::formatv("--schedule=search --search-seed={0} --search-evaluations={1}: {2:f2} us, "
                    "strategies {3:f2} us",
                    args.searchSeed, found->trials.size(), found->after, found->before)
          .str()};
  if (args.planOut.empty()) {
    llvm::outs() << found->plans.str();
    return 0;
  }
  if (rt::Status status = rt::writeFile(args.planOut, found->plans.str()); !status)
    return messages.failure(DiagId::CannotWrite, status.error().message);
  return 0;
}

/// The texts of a compilation by the names that its line tables have.
std::map<std::string, std::string> textsOf(const SourceManager &sources) {
  std::map<std::string, std::string> texts;
  for (uint32_t f = 0; f < sources.fileCount(); ++f)
    texts[sources.file(f).name().str()] = sources.file(f).text().str();
  return texts;
}

/// FILE.html, or FILE.N.html of a program with several launches.
std::string pageName(llvm::StringRef file, size_t launch, bool isOnly) {
  if (isOnly)
    return file.str();
  llvm::StringRef extension = llvm::sys::path::extension(file);
  return (file.drop_back(extension.size()) + "." + llvm::Twine(launch + 1) + extension).str();
}

std::string occupancyOf(const std::vector<codegen::KernelFacts> &facts, Arch arch,
                        llvm::StringRef kernel) {
  for (const codegen::KernelFacts &f : facts)
    if (f.name == kernel)
      return describe(residencyOf(arch, {f.vgprs, f.agprs, f.allSharedBytes(), f.maxThreads}));
  return "";
}

/// The simulator's model instead of a clock, and the text of `--profile`'s page of each launch.
/// What is timed is what tilec compiles, without the checks of bounds that a run has.
rt::Status timeOnModel(const Arguments &args, Arch arch, const rt::ArgumentSet &before,
                       Outcome &outcome, std::vector<std::string> &pages) {
  Compilation compilation(compileOptions(args, arch));
  if (!compilation.open(args.file) || !compilation.runTo(Stage::Binary))
    return rt::Error{"the program does not compile without its checks of bounds"};
  std::vector<sim::TimingResult> results;
  SimDeviceOptions options;
  options.timing.keepEvents = !args.profile.empty();
  options.launch.checks = sim::Checks::None;
  options.onTimed = [&](const std::string &, const sim::TimingResult &result) {
    results.push_back(result);
  };
  rt::Result<rt::Device> model = openSim(arch, options);
  if (!model)
    return model.error();
  rt::ArgumentSet partial = before; // the model runs a part of the grid
  auto ran = rt::launchProgram(*model, compilation.manifest(), compilation.image().bytes, partial);
  if (!ran)
    return rt::inContext("the model", ran.error());
  outcome.model.emplace();
  for (const sim::TimingResult &result : results) {
    outcome.model->clockGhz = result.clockGhz;
    outcome.model->launches.push_back(
        {result.trace.kernel, result.kernelMicroseconds(), result.kernelClk});
  }
  if (args.profile.empty())
    return rt::success();
  for (const sim::TimingResult &result : results) {
    sim::ProfileOptions page;
    page.sources = textsOf(compilation.diagnostics().sourceManager());
    page.occupancy = occupancyOf(compilation.image().kernels, arch, result.trace.kernel);
    llvm::raw_string_ostream os(pages.emplace_back());
    sim::writeProfile(result, os, page);
  }
  return rt::success();
}

rt::Status writePages(llvm::StringRef file, llvm::ArrayRef<std::string> pages, Outcome &outcome) {
  for (auto [i, text] : llvm::enumerate(pages)) {
    outcome.pages.push_back(pageName(file, i, pages.size() == 1));
    if (rt::Status status = rt::writeFile(outcome.pages.back(), text); !status)
      return status;
  }
  return rt::success();
}

/// Milliseconds between calls, for `--time`.
class Stopwatch {
public:
  explicit Stopwatch(std::vector<codegen::StageTime> *steps) : steps(steps) {}
  void lap(const char *step) {
    auto now = std::chrono::steady_clock::now();
    if (steps)
      steps->push_back({step, std::chrono::duration<double, std::milli>(now - last).count()});
    last = now;
  }

private:
  std::vector<codegen::StageTime> *steps;
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

/// Runs the program, and what `--time` and `--bench` ask for on a device with a clock.
rt::Status launch(const Arguments &args, Compilation &compilation, const rt::Device &device,
                  rt::ArgumentSet &after, Outcome &outcome) {
  rt::BenchOptions bench;
  bool isGpu = args.device == "cuda" || args.device == "hip";
  bench.enabled = (isGpu && args.wantsClock()) || !args.rivals.empty();
  for (const std::string &spec : args.rivals) {
    rt::Result<rt::Rival> rival = rt::openRival(spec, after, device, args.rivalLibrary);
    if (!rival)
      return rt::inContext("--vs", rival.error());
    bench.rivals.push_back(std::move(*rival));
  }
  rt::Result<rt::Timing> timing =
      rt::launchProgram(device, compilation.manifest(), compilation.image().bytes, after, bench);
  if (!timing)
    return timing.error();
  if (bench.enabled)
    outcome.timing = *timing;
  return rt::success();
}

int run(const Arguments &args, const Messages &messages, Arch arch) {
  ProgressLine progress;
  CompileOptions options = compileOptions(args, arch);
  // What is only possible at compile time is found where it happens, as on the cpu device.
  options.checkBounds = args.device == "sim" && args.simChecks != "none";
  if (args.device == "ptx")
    options.ptxAssembler = codegen::PtxAssembler::None; // the image is the PTX
  Compilation compilation(options);
  Outcome outcome;
  progress.show("compiling " + args.file);
  bool onCpu = args.device == "cpu";
  bool ok = compilation.open(args.file);
  if (ok) {
    std::optional<StageWatch> watch;
    if (!messages.isJson()) // what it says is for people
      watch.emplace("tilec-run");
    ok = compilation.runTo(onCpu ? Stage::Wave : Stage::Binary);
  }
  progress.show("");
  print(messages, compilation.diagnostics(), args.remarks);
  if (!ok)
    return 1;
  outcome.kernel = llvm::sys::path::filename(args.file).str() + " " + compilation.manifest().kernel;
  outcome.target = std::string(nameOf(arch));
  outcome.device = args.device;
  outcome.compileMs = compilation.totalMs();
  if (!onCpu)
    outcome.facts = compilation.image().kernels;
  if (args.time)
    outcome.steps = compilation.times();

  rt::Result<rt::ArgumentRequest> request = requestOf(args);
  if (!request)
    return messages.failure(DiagId::RunArgument, request.error().message);
  Stopwatch watch(args.time ? &outcome.steps : nullptr);
  auto failed = [&](DiagId id, const rt::Error &error) {
    progress.show("");
    return messages.failure(id, error.message);
  };
  // First, since inputs may take long to make.
  std::optional<rt::Device> device;
  if (!onCpu) {
    rt::Result<rt::Device> opened = openDevice(args, arch, messages, progress, outcome);
    if (!opened)
      return failed(DiagId::DeviceFault, opened.error());
    device = std::move(*opened);
    outcome.deviceName = device->info().name;
  }
  watch.lap("open device");
  rt::Result<rt::ArgumentSet> before = rt::makeArguments(compilation.manifest(), *request);
  if (!before)
    return failed(DiagId::RunArgument, before.error());
  if (rt::Status status = checkSaves(args, *before); !status)
    return failed(DiagId::RunArgument, status.error());
  watch.lap("make arguments");
  rt::ArgumentSet after = *before;
  if (compilation.manifest().flops)
    if (rt::Result<int64_t> flops = compilation.manifest().flops->evaluate(after.dims))
      outcome.flops = *flops;
  auto start = std::chrono::steady_clock::now();
  rt::Status ran =
      onCpu ? runOnCpu(compilation, after) : launch(args, compilation, *device, after, outcome);
  if (!ran)
    return failed(onCpu ? DiagId::ReferenceFault : DiagId::DeviceFault, ran.error());
  outcome.runSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  watch.lap("run");
  if (args.device == "sim" && args.wantsClock()) {
    progress.show("asking the model for the time");
    std::vector<std::string> pages;
    if (rt::Status status = timeOnModel(args, arch, *before, outcome, pages); !status) {
      if (args.bench || !args.profile.empty())
        return failed(DiagId::DeviceFault, status.error());
      outcome.noModel = status.error().message;
    }
    if (rt::Status status = writePages(args.profile, pages, outcome); !status)
      return failed(DiagId::CannotWrite, status.error());
    watch.lap("model");
  }
  if (rt::Status status = saveTensors(args, after); !status)
    return failed(DiagId::CannotWrite, status.error());
  if (rt::Status status = saveSpreads(args, compilation, *before); !status)
    return failed(DiagId::CannotWrite, status.error());
  if (args.check) {
    progress.show("comparing with the cpu reference");
    rt::Result<std::vector<TensorCheck>> checks = checkAgainstCpu(compilation, *before, after);
    if (!checks)
      return failed(DiagId::ReferenceFault, checks.error());
    outcome.checks = *checks;
    outcome.isChecked = true;
    watch.lap("check");
  }
  progress.show("");
  if (args.json)
    printJson(outcome);
  else
    printTable(outcome);
  return outcome.passed() ? 0 : 1;
}

void addTuneOptions(CLI::App &app, Arguments &args) {
  app.add_option("--tune", args.tune,
                 "NAME=V1,V2,...: search these values of a parameter of the entry's function, all "
                 "combinations of several; configs: those of the script's @autotune")
      ->allow_extra_args(false);
  app.add_option("--tune-results", args.tuneResults, "FILE.json: keep what --tune found there");
  app.add_option("--tune-timeout", args.tuneTimeout, "seconds that a candidate may take")
      ->check(CLI::PositiveNumber);
  app.add_option("--shard", args.shard,
                 "INDEX/COUNT or auto (MPI, torchrun, Slurm): search only this share of --tune's "
                 "candidates; all shards see --tune-dir");
  app.add_option("--tune-dir", args.tuneDir, "folder for what the shards find");
  app.add_option(
      "--tune-merge", args.tuneMerge,
      "DIR: what the shards of --tune-dir=DIR have found; on a GPU the fastest are timed "
      "in turns");
  app.add_option("--finalists", args.finalists, "so many of them (8; of --tune 4)")
      ->check(CLI::PositiveNumber);
  app.add_option("--tuned", args.tuned, "FILE.json: take the entry's best parameters from there");
}

} // namespace

/// Of `--schedule=search`.
static void addSearchOptions(CLI::App &app, Arguments &args) {
  app.add_option("--plan-out", args.planOut,
                 "FILE.plan: keep what --schedule=search finds there, for --schedule=FILE.plan");
  app.add_option("--search-seed", args.searchSeed, "of --schedule=search (1)");
  app.add_option("--search-evaluations", args.searchEvaluations,
                 "so many plans are tried (55); with the seed it decides what is found")
      ->check(CLI::PositiveNumber);
  app.add_option("--search-seconds", args.searchSeconds,
                 "... a guard: no plan is begun after so much time (600)")
      ->check(CLI::PositiveNumber);
}

/// Options that do not go together; empty where all do.
static std::string conflictOf(const Arguments &args, const CLI::App &app) {
  bool isGpu = args.device == "cuda" || args.device == "hip";
  bool hasClock = isGpu || args.device == "sim";
  bool isSearch = !args.tune.empty() || !args.tuneMerge.empty();
  bool searchesPlans = args.schedule == "search";
  if (searchesPlans && args.device != "sim")
    return "--schedule=search is timed by the simulator's model of an AMD chip: give --device=sim "
           "with --target=gfx950 or gfx942";
  if (searchesPlans && isSearch)
    return "--schedule=search and --tune are two searches: tune the kernel first";
  if (!searchesPlans && (app.count("--plan-out") || app.count("--search-seed") ||
                         app.count("--search-evaluations") || app.count("--search-seconds")))
    return "--plan-out, --search-seed, --search-evaluations and --search-seconds are about "
           "--schedule=search";
  if (isSearch && !hasClock)
    return "--tune wants a device with a clock: sim, cuda or hip";
  if (!isSearch && (app.count("--tune-results") || app.count("--tune-timeout") ||
                    app.count("--shard") || app.count("--finalists")))
    return "--tune-results, --tune-timeout, --shard and --finalists are about a search: say with "
           "--tune what is searched";
  if (!args.tune.empty() && !args.tuneMerge.empty())
    return "--tune-merge reads what shards of --tune have found: give one of them";
  if (args.shard.empty() != args.tuneDir.empty())
    return "--shard and --tune-dir belong together";
  if (!args.shard.empty() && !args.tuneResults.empty())
    return "a shard has a part of the results: give --tune-results to --tune-merge";
  if (isSearch && (args.time || !args.profile.empty()))
    return "--tune is a search: --time and --profile are about one run of what it finds, with "
           "--tuned=FILE.json";
  if (args.bench && !hasClock)
    return "--bench wants a device with a clock: sim (its model's), cuda or hip; --time says what "
           "each step takes here";
  if (!args.profile.empty() && args.device != "sim")
    return "--profile shows what the simulator's model of an AMD chip knows: give --device=sim "
           "with --target=gfx950 or gfx942" +
           std::string(isGpu ? "; --bench times the kernel here" : "");
  if (args.device != "sim" && (app.count("--sim-mode") || app.count("--sim-range-check")))
    return "--sim-mode and --sim-range-check are about the simulator of AMD chips: give "
           "--device=sim";
  if (args.device != "sim" && args.device != "ptx" &&
      (app.count("--sim-checks") || app.count("--sim-interleave")))
    return "--sim-checks and --sim-interleave are about simulators: give --device=sim or ptx";
  if (!args.rivals.empty() && !isGpu)
    return "--vs times a library of a GPU host: give --device=cuda or hip";
  return "";
}

int tilecRunMain(int argc, char **argv) {
  Arguments args;
  Messages messages("tilec-run", argc, argv);
  CLI::App app{"tilec-run: compiles a script, runs it on a device, times and checks it"};
  app.set_version_flag("--version", versionOf("tilec-run", LLVM_VERSION_STRING));
  messages.addOption(app);
  app.add_option("FILE", args.file, "a TileLang script, or Tile IR text (.mlir)")->required();
  app.add_option("--entry", args.entry, "what to run, a call: 'matmul(1024, 1024, 1024)'");
  app.add_option("--define", args.defines,
                 "NAME=VALUE: a module-level name of the script, or a value that tilec cannot "
                 "know, such as 'torch.cuda.device_count()=8'")
      ->allow_extra_args(false);
  app.add_option("--target", args.target,
                 "one of " + listOfArchs() + "; default: what the device is, else gfx950");
  app.add_option("--device", args.device,
                 "cpu (the reference), sim (runs AMD code objects), ptx (runs the PTX), cuda or "
                 "hip; default: a GPU of this machine, else the target's simulator")
      ->check(CLI::IsMember({"cpu", "sim", "ptx", "cuda", "hip"}));
  app.add_option("--arg", args.args, "NAME=randn|uniform|zeros|FILE.npy|NUMBER")
      ->allow_extra_args(false);
  addCodeOptions(app, args.schedule, args.math);
  app.add_option("--dim", args.dims, "NAME=N: the size of a symbolic dimension")
      ->allow_extra_args(false);
  app.add_option("--seed", args.seed, "of the generated data");
  app.add_option("--save", args.saves, "NAME=FILE.npy: write a tensor after the run")
      ->allow_extra_args(false);
  app.add_option("--save-spread", args.spreads,
                 "NAME=FILE.npy: write the spread of a tensor's rows, for tilec-launch --spread")
      ->allow_extra_args(false);
  app.add_option("--sim-checks", args.simChecks, "all or none")
      ->check(CLI::IsMember({"all", "none"}));
  app.add_option("--sim-mode", args.simMode, "eager, or strict: results appear at their wait")
      ->check(CLI::IsMember({"eager", "strict"}));
  app.add_option("--sim-range-check", args.rangeCheck,
                 "whether soffset counts in the range check of buffers: the sources disagree")
      ->check(CLI::IsMember({"with-soffset", "without-soffset"}));
  app.add_option("--sim-interleave", args.interleaveSeed,
                 "sim: 0 is round robin, else a shuffle of waves; ptx: the seed of all that is "
                 "left open");
  addCacheOptions(app, args.cache);
  app.add_flag("--check", args.check, "compare with the cpu reference");
  app.add_flag("--bench", args.bench, "time the kernel (cuda, hip; sim: by its model)");
  app.add_flag("--time", args.time,
               "what each step of this process takes, and the kernel where there is a clock");
  app.add_option("--profile", args.profile,
                 "FILE.html: where the kernel's time goes by the simulator's model, as a page "
                 "with the script beside the assembly (sim)");
  app.add_option("--vs", args.rivals,
                 "LIBRARY:FORM:NAMES: time cublas, cublaslt, cudnn or a copy in turns with it "
                 "(docs/deploy/runtime.md)")
      ->allow_extra_args(false);
  app.add_option("--vs-library", args.rivalLibrary, "library file of --vs (default: the system's)");
  addTuneOptions(app, args);
  addSearchOptions(app, args);
  app.add_flag("--table", args.table,
               "what is printed without --json, too: what was compiled and run");
  app.add_flag("--json", args.json, "the same as JSON");
  app.add_flag("--remarks", args.remarks, "print what was slow but right");
  if (std::optional<int> status = messages.parse(app, argc, argv))
    return *status;
  rt::Result<DeviceChoice> choice = chooseDevice(args.target, args.device);
  if (!choice)
    return messages.failure(args.target.empty() ? DiagId::DeviceFault : DiagId::CommandLine,
                            choice.error().message);
  if (!choice->why.empty())
    messages.say(DiagId::ChosenDefault, "runs for " + std::string(nameOf(choice->arch)) + " on " +
                                            choice->device + ": " + choice->why);
  args.device = choice->device;
  Arch arch = choice->arch;
  if (std::string path = planFileOf(args.schedule, args.file, arch); !path.empty()) {
    rt::Result<std::string> text = rt::readFile(path);
    if (!text)
      return messages.failure(DiagId::CannotRead, text.error().message);
    args.schedule = path;
    args.planText = *text;
  } else if (std::string problem = scheduleProblem(args.schedule, arch);
             !problem.empty() && args.schedule != "search") {
    return messages.usageError("--schedule: " + problem);
  }
  if (std::string problem = conflictOf(args, app); !problem.empty())
    return messages.usageError(problem);
  if (args.schedule == "search")
    return runSearch(args, messages, arch);
  if (!args.tune.empty() || !args.tuneMerge.empty())
    return endProcess(runTuning(args, messages, arch));
  if (std::string error = applyTuned(args.tuned, args.file, arch, args.entry, args.schedule);
      !error.empty())
    return messages.failure(DiagId::TuningFailed, error);
  return run(args, messages, arch);
}

} // namespace tilec
