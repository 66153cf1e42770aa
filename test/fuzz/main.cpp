//===- main.cpp - tilec-diff: random programs on every device -------------===//
//
// What it takes:
//
//   tilec-diff --seeds 0-499              programs of these seeds must agree everywhere
//   tilec-diff --print 17                 the program of a seed
//   tilec-diff FILE.py                    a saved program
//   tilec-diff --coverage --seeds 0-499   what the programs use
//   tilec-diff --mutants --seeds 0-499    every planted fault of the compiler must be found
//
// docs/contribute/differential-testing.md says what a failure means.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Coverage.h"
#include "Mutants.h"
#include "Pool.h"

#include "Reduce.h"
#include "tilec/Base/Version.h"
#include "tilec/Messages/Messages.h"
#include "tilec/Runtime/Npy.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

#include <chrono>

using namespace tilec;
using namespace tilec::fuzz;

namespace {

struct Arguments {
  explicit Arguments(const Messages &messages) : messages(messages) {}

  const Messages &messages;
  std::vector<std::string> files;
  std::string seeds = "0-499", devices = "cpu,sim:gfx942,sim:gfx950", save, summary, mutant;
  int64_t print = -1;
  unsigned jobs = 1, timeout = 60, maxReduceSeconds = 60;
  bool reduce = false, coverage = false, mutants = false, listMutants = false, verbose = false;
};

std::optional<std::vector<uint64_t>> parseSeeds(const std::string &text) {
  std::vector<uint64_t> out;
  auto [first, last] = llvm::StringRef(text).split('-');
  uint64_t begin, end;
  if (first.getAsInteger(10, begin) || (last.empty() ? first : last).getAsInteger(10, end) ||
      end < begin || end - begin >= 100'000'000)
    return std::nullopt;
  for (uint64_t seed = begin; seed <= end; ++seed)
    out.push_back(seed);
  return out;
}

double nowSeconds() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

Verdict runText(const std::string &text, uint64_t seed, const RunOptions &options) {
  Verdict verdict;
  verdict.seed = seed;
  double start = nowSeconds();
  rt::Result<Program> program = parseProgram(text);
  if (program) {
    RunReport report = runProgram(*program, options);
    verdict.failure = report.failure;
    verdict.maxRatio = report.maxRatio;
  } else {
    verdict.failure = Failure{"program", "", program.error().message};
  }
  verdict.ms = (nowSeconds() - start) * 1e3;
  return verdict;
}

class Tester {
public:
  Tester(const Arguments &args, std::vector<Target> targets, const Mutant *mutant) : args(args) {
    run.targets = std::move(targets);
    run.mutant = mutant;
  }

  /// Runs all; the exit status of the tool.
  int all(const std::vector<uint64_t> &seeds);
  int files();

private:
  void report(const Verdict &verdict, const std::string &text);
  std::string reduced(const std::string &text, const Verdict &verdict);
  RunOptions optionsFor(uint64_t seed) const {
    RunOptions out = run;
    out.interleaveSeed = seed;
    return out;
  }
  PoolOptions poolFor(std::function<std::string(uint64_t)> textOf) const {
    PoolOptions pool;
    pool.jobs = args.jobs;
    pool.timeoutSeconds = args.timeout;
    pool.work = [this, textOf](uint64_t seed) {
      return runText(textOf(seed), seed, optionsFor(seed));
    };
    return pool;
  }

  const Arguments &args;
  RunOptions run;
  std::vector<Verdict> failures;
  size_t doneCount = 0;
  double maxRatio = 0, totalMs = 0, maxMs = 0;
};

std::string Tester::reduced(const std::string &text, const Verdict &verdict) {
  std::string wanted = verdict.failure->signature();
  auto has = [&](const std::string &candidate) {
    PoolOptions pool = poolFor([&](uint64_t) { return candidate; });
    pool.timeoutSeconds = std::min(args.timeout, 20u);
    Verdict v = runIsolated(verdict.seed, pool);
    return v.failure && v.failure->signature() == wanted;
  };
  ReduceOptions options;
  options.maxSeconds = args.maxReduceSeconds;
  return reduceScript(text, has, options).text;
}

void Tester::report(const Verdict &verdict, const std::string &text) {
  const Failure &f = *verdict.failure;
  llvm::outs() << "seed " << verdict.seed << ": " << f.kind << (f.device.empty() ? "" : " on ")
               << f.device << ": " << llvm::StringRef(f.message).rtrim() << '\n';
  std::string small = args.reduce ? reduced(text, verdict) : "";
  if (!small.empty())
    llvm::outs() << small;
  if (!args.save.empty()) {
    std::string stem = args.save + "/seed-" + std::to_string(verdict.seed);
    if (llvm::sys::fs::create_directories(args.save) || !rt::writeFile(stem + ".py", text) ||
        (!small.empty() && !rt::writeFile(stem + ".reduced.py", small)))
      args.messages.say(DiagId::CannotWrite, "cannot write " + stem + ".py");
  }
  llvm::outs().flush();
}

int Tester::all(const std::vector<uint64_t> &seeds) {
  double start = nowSeconds();
  PoolOptions pool = poolFor(generateProgram);
  pool.done = [&](const Verdict &v) {
    ++doneCount;
    maxRatio = std::max(maxRatio, v.maxRatio);
    totalMs += v.ms;
    maxMs = std::max(maxMs, v.ms);
    if (args.verbose)
      llvm::outs() << llvm::formatv("seed {0}: {1} {2:f0} ms, {3:f3} of the bound\n", v.seed,
                                    v.failure ? v.failure->kind : "ok", v.ms, v.maxRatio);
    if (v.failure)
      failures.push_back(v);
  };
  runPool(seeds, pool);
  llvm::sort(failures, [](const Verdict &a, const Verdict &b) { return a.seed < b.seed; });
  for (const Verdict &v : failures)
    report(v, generateProgram(v.seed));
  std::string summary =
      llvm::formatv("{0} programs on {1}: {2} passed, {3} failed; {4:f1} s "
                    "with {5} jobs, "
                    "{6:f0} ms a program, at most {7:f0} ms; largest error "
                    "{8:f3} of the bound\n",
                    doneCount, args.devices, doneCount - failures.size(), failures.size(),
                    nowSeconds() - start, args.jobs, doneCount ? totalMs / double(doneCount) : 0.0,
                    maxMs, maxRatio)
          .str();
  llvm::outs() << summary;
  if (!args.summary.empty()) {
    std::string text = "seeds " + args.seeds + ": " + summary;
    for (const Verdict &v : failures)
      text += "seed " + std::to_string(v.seed) + ": " + v.failure->signature() + '\n';
    if (!rt::writeFile(args.summary, text))
      return args.messages.failure(DiagId::CannotWrite, "cannot write " + args.summary);
  }
  return failures.empty() && doneCount == seeds.size() ? 0 : 1;
}

int Tester::files() {
  bool ok = true;
  for (const std::string &path : args.files) {
    auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
    if (!buffer)
      return args.messages.failure(DiagId::CannotRead, "cannot read " + path);
    std::string text = (*buffer)->getBuffer().str();
    Verdict verdict = runIsolated(0, poolFor([&](uint64_t) { return text; }));
    if (verdict.failure)
      report(verdict, text);
    else
      llvm::outs() << path << ": agrees on " << args.devices << ", "
                   << llvm::formatv("{0:f3} of the bound\n", verdict.maxRatio);
    ok &= !verdict.failure;
  }
  return ok ? 0 : 1;
}

int run(const Arguments &args) {
  rt::Result<std::vector<Target>> targets = parseTargets(args.devices);
  if (!targets)
    return args.messages.usageError(targets.error().message);
  std::optional<std::vector<uint64_t>> seeds = parseSeeds(args.seeds);
  if (!seeds)
    return args.messages.usageError("--seeds takes FIRST-LAST, found " + args.seeds);
  if (args.print >= 0) {
    llvm::outs() << generateProgram(static_cast<uint64_t>(args.print));
    return 0;
  }
  if (args.listMutants) {
    for (const Mutant &m : allMutants())
      llvm::outs() << llvm::formatv("{0,-24} {1}\n", m.name, m.description);
    return 0;
  }
  if (args.coverage)
    return checkCoverage(*seeds) ? 0 : 1;
  if (args.mutants)
    return checkMutants(*seeds, args.jobs) ? 0 : 1;
  const Mutant *mutant = nullptr;
  if (!args.mutant.empty() && !(mutant = findMutant(args.mutant)))
    return args.messages.usageError("unknown mutant `" + args.mutant + "`; see --list-mutants");
  Tester tester(args, std::move(*targets), mutant);
  return args.files.empty() ? tester.all(*seeds) : tester.files();
}

} // namespace

int main(int argc, char **argv) {
  Messages messages("tilec-diff", argc, argv, /*failed=*/2);
  Arguments args(messages);
  CLI::App app{"tilec-diff: random tile programs must agree on every device"};
  app.set_version_flag("--version", versionOf("tilec-diff", LLVM_VERSION_STRING));
  messages.addOption(app);
  app.add_option("FILE", args.files, "saved programs, instead of seeds");
  app.add_option("--seeds,--seed-range", args.seeds, "FIRST-LAST");
  app.add_option("--devices", args.devices, "of cpu, sim:gfx942, sim:gfx950, ptx, ptx:sm_80, cuda");
  app.add_option("--jobs,-j", args.jobs, "processes")->check(CLI::Range(1, 256));
  app.add_option("--timeout", args.timeout, "seconds for one program");
  app.add_option("--save", args.save, "a folder for programs that fail");
  app.add_option("--summary", args.summary, "a file for the last line and the failures");
  app.add_option("--print", args.print, "print the program of a seed");
  app.add_flag("--reduce", args.reduce, "reduce programs that fail");
  app.add_option("--reduce-seconds", args.maxReduceSeconds, "for one program");
  app.add_flag("--coverage", args.coverage, "check what the programs of the seeds use");
  app.add_flag("--mutants", args.mutants, "check that every mutant is found");
  app.add_flag("--list-mutants", args.listMutants, "the planted compiler faults");
  app.add_option("--mutant", args.mutant, "run with this fault planted");
  app.add_flag("--verbose,-v", args.verbose, "a line for every program");
  if (std::optional<int> status = messages.parse(app, argc, argv))
    return *status;
  return messages.finish(llvm::outs(), run(args));
}
