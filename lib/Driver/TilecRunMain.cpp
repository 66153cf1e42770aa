//===- TilecRunMain.cpp - compile, run, check, time -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "CacheOptions.h"
#include "Tune.h"

#include "tilec/Driver/Run.h"
#include "tilec/Driver/Tools.h"

#include "tilec/PtxSim/PtxDevice.h"
#include "tilec/Runtime/Npy.h"
#include "tilec/Runtime/Rivals.h"
#include "tilec/SimDevice/SimDevice.h"
#include "tilec/Support/StageWatch.h"
#include "tilec/Target/Residency.h"
#include "tilec/Transforms/ScheduleNames.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <unistd.h>

namespace tilec {
namespace {

struct Arguments {
  std::string file, entry, schedule, math = "default", target = "gfx950", device = "sim",
                                     simChecks = "all", simMode = "eager",
                                     rangeCheck = "with-soffset";
  std::vector<std::string> defines, args, dims, saves, spreads, rivals, tune;
  std::string tuneResults, tuned, shard, tuneDir, tuneMerge, rivalLibrary;
  size_t finalists = 0; ///< 0: four, of shards eight
  double tuneTimeout = 60;
  CacheOptions cache;
  uint32_t seed = 0;
  uint64_t interleaveSeed = 0;
  bool check = false, bench = false, json = false, table = false, remarks = false;
};

int usageError(const llvm::Twine &message) {
  llvm::errs() << "tilec-run: error: " << message << '\n';
  return 2;
}

int failure(const llvm::Twine &message) {
  llvm::errs() << "tilec-run: error: " << message << '\n';
  return 1;
}

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

/// Everything that one run found out, for the table and for JSON.
struct Outcome {
  std::string kernel, target, device, deviceName;
  double compileMs = 0, runSeconds = 0;
  std::vector<codegen::KernelFacts> facts;
  std::vector<TensorCheck> checks;
  std::optional<rt::Timing> timing;
  std::optional<double> tflops;
  uint64_t simInstructions = 0;
  bool isChecked = false;

  bool passed() const {
    return llvm::all_of(checks, [](const TensorCheck &c) { return c.report.passed(); }) &&
           (!timing || llvm::all_of(timing->rivals, [](const rt::RivalTiming &rival) {
             return !rival.agreement || rival.agreement->passed();
           }));
  }
};

void printTable(const Outcome &o) {
  auto row = [](llvm::StringRef name, const std::string &value) {
    llvm::outs() << llvm::formatv("  {0,-14} {1}\n", name, value);
  };
  row("kernel", o.kernel);
  row("target", o.target);
  row("device", o.device + (o.deviceName.empty() ? "" : " (" + o.deviceName + ")"));
  row("compile time", llvm::formatv("{0:f1} ms", o.compileMs).str());
  for (const codegen::KernelFacts &f : o.facts) {
    std::string prefix = o.facts.size() > 1 ? f.name + " " : "";
    if (f.registers)
      row(prefix + "registers", std::to_string(f.registers));
    else
      row(prefix + "VGPR/AGPR/SGPR",
          llvm::formatv("{0} / {1} / {2}", f.vgprs, f.agprs, f.sgprs).str());
    row(prefix + (f.registers ? "shared" : "LDS"),
        llvm::formatv("{0} bytes", f.allSharedBytes()).str());
    if (std::optional<Arch> arch = parseArch(o.target); vendorOf(*arch) == Vendor::Amd)
      row(prefix + "occupancy",
          describe(residencyOf(*arch, {f.vgprs, f.agprs, f.allSharedBytes(), f.maxThreads})));
    row(prefix + "spills",
        std::to_string(f.vgprSpills + f.sgprSpills + f.spillStoreBytes + f.spillLoadBytes));
  }
  if (o.simInstructions)
    row("simulated",
        llvm::formatv("{0} wave instructions in {1:f2} s", o.simInstructions, o.runSeconds).str());
  if (o.timing)
    row("time",
        llvm::formatv("{0:f4} ms (median of {1})", o.timing->medianMs, o.timing->samples).str());
  if (o.timing)
    for (const rt::RivalTiming &rival : o.timing->rivals)
      row("against", rt::describe(rival, o.timing->samples));
  if (o.tflops)
    row("rate", llvm::formatv("{0:f1} TFLOP/s", *o.tflops).str());
  for (const TensorCheck &c : o.checks) {
    row("max error", llvm::formatv("{0:e2} in {1} ({2:f3} of the bound)", c.report.maxError, c.name,
                                   c.report.maxRatio)
                         .str());
    if (!c.report.passed())
      row("", rt::describe(c.name, c.dtype, c.report));
  }
  if (o.isChecked)
    row("result", o.passed() ? "PASS" : "FAIL");
}

void printJson(const Outcome &o) {
  nlohmann::ordered_json j;
  j["kernel"] = o.kernel;
  j["target"] = o.target;
  j["device"] = o.device;
  j["compile_ms"] = o.compileMs;
  for (const codegen::KernelFacts &f : o.facts)
    j["kernels"].push_back({{"name", f.name},
                            {"vgprs", f.vgprs},
                            {"agprs", f.agprs},
                            {"sgprs", f.sgprs},
                            {"registers", f.registers},
                            {"shared_bytes", f.allSharedBytes()},
                            {"vgpr_spills", f.vgprSpills},
                            {"spill_bytes", f.spillStoreBytes + f.spillLoadBytes},
                            {"code_bytes", f.codeBytes}});
  for (const TensorCheck &c : o.checks)
    j["checks"].push_back({{"tensor", c.name},
                           {"elements", c.report.elemCount},
                           {"mismatches", c.report.mismatchCount},
                           {"max_error", c.report.maxError},
                           {"max_ratio", c.report.maxRatio}});
  if (o.timing)
    j["time_ms"] = {{"median", o.timing->medianMs},
                    {"min", o.timing->minMs},
                    {"max", o.timing->maxMs},
                    {"samples", o.timing->samples}};
  if (o.timing)
    for (const rt::RivalTiming &rival : o.timing->rivals)
      j["rivals"].push_back({{"name", rival.name},
                             {"version", rival.version},
                             {"median_ms", rival.medianMs},
                             {"ratio", rival.ratio},
                             {"ratio_low", rival.low},
                             {"ratio_high", rival.high},
                             {"agrees", !rival.agreement || rival.agreement->passed()}});
  if (o.tflops)
    j["tflops"] = *o.tflops;
  if (o.isChecked)
    j["passed"] = o.passed();
  llvm::outs() << j.dump(2) << '\n';
}

rt::Result<rt::Device> openDevice(const Arguments &args, Arch arch, ProgressLine &progress,
                                  Outcome &outcome) {
  if (args.device == "cuda")
    return rt::openCuda();
  if (args.device == "hip")
    return rt::openHip();
  if (args.device == "ptx") {
    if (vendorOf(arch) != Vendor::Nvidia)
      return rt::Error{"--device=ptx runs code for NVIDIA GPUs, not for " +
                       std::string(nameOf(arch)) + ": use --device=sim"};
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
  if (vendorOf(arch) != Vendor::Amd)
    return rt::Error{"the simulator runs gfx942 and gfx950; use --device=ptx, cuda or cpu for " +
                     std::string(nameOf(arch))};
  SimDeviceOptions options;
  options.launch.checks = args.simChecks == "none" ? sim::Checks::None : sim::Checks::All;
  options.launch.memoryMode =
      args.simMode == "strict" ? sim::MemoryMode::Strict : sim::MemoryMode::Eager;
  options.launch.interleaveSeed = args.interleaveSeed;
  options.launch.soffsetInRangeCheck = args.rangeCheck == "with-soffset";
  options.launch.progress = [&progress](const sim::Progress &p) {
    progress.show(llvm::formatv("simulating: {0} of {1} blocks", p.doneGroups, p.totalGroups));
  };
  options.onRun = [&outcome](const std::string &, const sim::RunResult &result) {
    outcome.simInstructions += result.counters.instructions;
    for (const sim::Finding &finding : result.findings) // errors come from the launch
      if (finding.cls == sim::FindingClass::Lint)
        llvm::errs() << finding.message << '\n';
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

rt::Status saveTensors(const Arguments &args, const rt::ArgumentSet &arguments) {
  for (const std::string &spec : args.saves) {
    auto wanted = tensorAndFile("--save", spec, arguments);
    if (!wanted)
      return wanted.error();
    rt::Status status = rt::writeNpy(wanted->second, arguments.find(wanted->first)->tensor);
    if (!status)
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
    if (!wanted)
      return wanted.error();
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
  rt::ArgumentRequest request;
  request.seed = args.seed;
  for (const std::string &text : args.args) {
    rt::Result<rt::ArgSpec> spec = rt::parseArgSpec(text);
    if (!spec)
      return spec.error();
    request.specs.push_back(*spec);
  }
  for (const std::string &text : args.dims) {
    rt::Result<std::pair<std::string, int64_t>> dim = rt::parseDim(text);
    if (!dim)
      return dim.error();
    request.dims[dim->first] = dim->second;
  }
  return request;
}

/// What `--tune`'s search has found, or what there is to say against it. 0 is the process's status.
int endOfTuning(const Arguments &args, const TuneRecord &record) {
  llvm::outs() << printRecord(record);
  // An earlier search's result is worth more than an interrupted one without any.
  bool isWhole = record.outcomes.size() == record.all;
  if (!args.tuneResults.empty() && (record.best() || isWhole))
    if (rt::Status status = saveRecord(args.tuneResults, record); !status)
      return failure(status.error().message);
  const TuneOutcome *best = record.best();
  if (best)
    llvm::outs() << llvm::formatv("best: {0} ({1:f2} us)\n", describe(best->parameters), best->us);
  std::string counts =
      llvm::formatv("{0} of {1} candidates have a result", record.outcomes.size(), record.all);
  if (!isWhole && args.tuneMerge.empty())
    return failure("interrupted: " + counts);
  if (!isWhole)
    return failure(counts + ": a shard has not ended, or was never started");
  if (!args.shard.empty()) {
    llvm::outs() << llvm::formatv("shard {0}: {1}; --tune-merge={2} has the best of all\n",
                                  args.shard, counts, args.tuneDir);
    return 0; // a shard without a candidate that works is none the worse
  }
  return best ? 0 : failure("no candidate works");
}

/// `--tune`: a search instead of a run.
int runTuning(const Arguments &args, Arch arch) {
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
  request.compile.schedule = args.schedule;
  request.compile.math = *parseMathMode(args.math);
  request.compile.cache = openCache(args.cache);
  request.compile.cachePrograms = true;
  rt::Result<rt::ArgumentRequest> arguments = requestOf(args);
  if (!arguments)
    return failure(arguments.error().message);
  request.arguments = std::move(*arguments);
  if (!args.tuneResults.empty())
    if (rt::Status status = checkRecordFile(args.tuneResults); !status)
      return failure("--tune-results: " + status.error().message);
  request.folder = args.tuneMerge.empty() ? args.tuneDir : args.tuneMerge;
  request.finalists = args.finalists ? args.finalists : args.tuneMerge.empty() ? 4 : 8;
  if (!args.shard.empty()) {
    rt::Result<Shard> shard = parseShard(args.shard, [](const char *name) { return getenv(name); });
    if (!shard)
      return failure(shard.error().message);
    request.shard = *shard;
  }
  rt::Result<TuneRecord> record = args.tuneMerge.empty() ? tune(request) : mergeShards(request);
  progress.show("");
  if (!record)
    return failure(record.error().message);
  return endOfTuning(args, *record);
}

int run(const Arguments &args, Arch arch) {
  ProgressLine progress;
  CompileOptions options;
  options.arch = arch;
  options.entry = args.entry;
  options.defines = args.defines;
  options.schedule = args.schedule;
  options.math = *parseMathMode(args.math);
  // What is only possible at compile time is found where it happens, as on the cpu device.
  options.checkBounds = args.device == "sim" && args.simChecks != "none";
  options.cache = openCache(args.cache);
  options.cachePrograms = true;
  if (args.device == "ptx")
    options.ptxAssembler = codegen::PtxAssembler::None; // the image is the PTX
  Compilation compilation(options);
  Outcome outcome;
  progress.show("compiling " + args.file);
  bool onCpu = args.device == "cpu";
  bool ok = compilation.open(args.file);
  if (ok) {
    StageWatch watch("tilec-run");
    ok = compilation.runTo(onCpu ? Stage::Wave : Stage::Binary);
  }
  if (!ok || args.remarks) {
    progress.show("");
    compilation.diagnostics().print(llvm::errs(), args.remarks);
  }
  if (!ok)
    return 1;
  if (!args.remarks)
    compilation.diagnostics().print(llvm::errs());
  outcome.kernel = llvm::sys::path::filename(args.file).str() + " " + compilation.manifest().kernel;
  outcome.target = std::string(nameOf(arch));
  outcome.device = args.device;
  outcome.compileMs = compilation.totalMs();
  if (!onCpu)
    outcome.facts = compilation.image().kernels;

  rt::Result<rt::ArgumentRequest> request = requestOf(args);
  if (!request)
    return failure(request.error().message);
  // First, since inputs may take long to make.
  std::optional<rt::Device> device;
  if (!onCpu) {
    rt::Result<rt::Device> opened = openDevice(args, arch, progress, outcome);
    if (!opened)
      return failure(opened.error().message);
    device = std::move(*opened);
    outcome.deviceName = device->info().name;
  }
  rt::Result<rt::ArgumentSet> before = rt::makeArguments(compilation.manifest(), *request);
  if (!before)
    return failure(before.error().message);
  rt::ArgumentSet after = *before;
  auto start = std::chrono::steady_clock::now();
  if (onCpu) {
    if (rt::Status status = runOnCpu(compilation, after); !status)
      return failure(status.error().message);
  } else {
    rt::BenchOptions bench;
    bench.enabled = args.bench || !args.rivals.empty();
    for (const std::string &spec : args.rivals) {
      rt::Result<rt::Rival> rival = rt::openRival(spec, after, *device, args.rivalLibrary);
      if (!rival)
        return failure("--vs: " + rival.error().message);
      bench.rivals.push_back(std::move(*rival));
    }
    rt::Result<rt::Timing> timing =
        rt::launchProgram(*device, compilation.manifest(), compilation.image().bytes, after, bench);
    if (!timing) {
      progress.show("");
      return failure(timing.error().message);
    }
    if (bench.enabled) {
      outcome.timing = *timing;
      if (compilation.manifest().flops)
        if (rt::Result<int64_t> flops = compilation.manifest().flops->evaluate(after.dims))
          outcome.tflops = double(*flops) / (timing->medianMs * 1e9);
    }
  }
  outcome.runSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (rt::Status status = saveTensors(args, after); !status)
    return failure(status.error().message);
  if (rt::Status status = saveSpreads(args, compilation, *before); !status)
    return failure(status.error().message);
  if (args.check) {
    progress.show("comparing with the cpu reference");
    rt::Result<std::vector<TensorCheck>> checks = checkAgainstCpu(compilation, *before, after);
    if (!checks)
      return failure(checks.error().message);
    outcome.checks = *checks;
    outcome.isChecked = true;
  }
  progress.show("");
  if (args.json)
    printJson(outcome);
  else if (args.table || args.check || outcome.timing)
    printTable(outcome);
  return outcome.passed() ? 0 : 1;
}

} // namespace

int tilecRunMain(int argc, char **argv) {
  Arguments args;
  CLI::App app{"tilec-run: compiles a script, runs it on a device and checks the result"};
  app.add_option("FILE", args.file, "a TileLang script, or Tile IR text (.mlir)")->required();
  app.add_option("--entry", args.entry, "what to run, a call: 'matmul(1024, 1024, 1024)'");
  app.add_option("--define", args.defines,
                 "NAME=VALUE: a module-level name of the script, or a value that tilec cannot "
                 "know, such as 'torch.cuda.device_count()=8'")
      ->allow_extra_args(false);
  app.add_option("--target", args.target, "gfx942, gfx950, sm_80, sm_90 or sm_90a");
  app.add_option("--device", args.device,
                 "cpu (the reference), sim, ptx (runs the PTX), cuda or hip")
      ->check(CLI::IsMember({"cpu", "sim", "ptx", "cuda", "hip"}));
  app.add_option("--arg", args.args, "NAME=randn|uniform|zeros|FILE.npy|NUMBER")
      ->allow_extra_args(false);
  app.add_option("--schedule", args.schedule,
                 "strategy of every matrix loop; AMD: " + listOfSchedules(Arch::Gfx950) +
                     "; Hopper: " + listOfSchedules(Arch::Sm90a));
  app.add_option("--math", args.math,
                 "how functions of f32 are computed: default, fast (the hardware's approximations) "
                 "or libs (ROCm's device libraries, CUDA's libdevice)")
      ->check(CLI::IsMember({"default", "fast", "libs"}));
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
  app.add_flag("--bench", args.bench, "time it (cuda and hip)");
  app.add_option("--vs", args.rivals,
                 "LIBRARY:FORM:NAMES: time cublas, cublaslt, cudnn or a copy in turns with it "
                 "(docs/deploy/runtime.md)")
      ->allow_extra_args(false);
  app.add_option("--vs-library", args.rivalLibrary, "library file of --vs (default: the system's)");
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
  app.add_flag("--table", args.table, "print what was compiled and run");
  app.add_flag("--json", args.json, "the same as JSON");
  app.add_flag("--remarks", args.remarks, "print what was slow but right");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  std::optional<Arch> arch = parseArch(args.target);
  if (!arch)
    return usageError("unknown target `" + args.target +
                      "`; one of gfx942, gfx950, sm_80, sm_90, sm_90a");
  // A Hopper GPU runs the `a` form, with wgmma.
  if (*arch == Arch::Sm90 && args.device == "cuda")
    arch = Arch::Sm90a;
  if (std::string problem = scheduleProblem(args.schedule, *arch); !problem.empty())
    return usageError("--schedule: " + problem);
  if (args.device == "cuda" && vendorOf(*arch) != Vendor::Nvidia)
    return usageError("--device=cuda runs code for NVIDIA GPUs, not for " +
                      llvm::StringRef(nameOf(*arch)) + "; give --target=sm_90a or sm_80");
  if (args.device == "hip" && vendorOf(*arch) != Vendor::Amd)
    return usageError("--device=hip runs code for AMD GPUs, not for " +
                      llvm::StringRef(nameOf(*arch)) + "; give --target=gfx942 or gfx950");
  bool isSearch = !args.tune.empty() || !args.tuneMerge.empty();
  if (isSearch && (args.device == "cpu" || args.device == "ptx"))
    return usageError("--tune wants a device with a clock: sim, cuda or hip");
  if (isSearch && args.device == "sim" && vendorOf(*arch) != Vendor::Amd)
    return usageError("the simulator's clock is for gfx942 and gfx950; " +
                      llvm::StringRef(nameOf(*arch)) + " is tuned on a GPU, with --device=cuda");
  if (!isSearch && (app.count("--tune-results") || app.count("--tune-timeout") ||
                    app.count("--shard") || app.count("--finalists")))
    return usageError("--tune-results, --tune-timeout, --shard and --finalists are about a search: "
                      "say with --tune what is searched");
  if (!args.tune.empty() && !args.tuneMerge.empty())
    return usageError("--tune-merge reads what shards of --tune have found: give one of them");
  if (args.shard.empty() != args.tuneDir.empty())
    return usageError("--shard and --tune-dir belong together");
  if (!args.shard.empty() && !args.tuneResults.empty())
    return usageError("a shard has a part of the results: give --tune-results to --tune-merge");
  if (isSearch)
    return runTuning(args, *arch);
  if (std::string error = applyTuned(args.tuned, args.file, *arch, args.entry, args.schedule);
      !error.empty())
    return failure(error);
  return run(args, *arch);
}

} // namespace tilec
