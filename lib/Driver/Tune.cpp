//===- Tune.cpp - search the parameters of a kernel -----------------------===//
//
// Compiling uses all cores and no device; measuring uses the device alone, in child
// processes that are forked when the compiling threads have ended.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Tune.h"

#include "Workers.h"

#include "tilec/Driver/Run.h"
#include "tilec/Runtime/Statistics.h"
#ifdef TILEC_HAS_IMPORT
#include "tilec/Script/Autotune.h"
#endif
#include "tilec/SimDevice/SimDevice.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <map>
#include <mutex>
#include <thread>

namespace tilec {
namespace {

/// So many times as slow as the best candidate so far, and a candidate is timed no further.
constexpr double hopelessFactor = 1.3;
/// On a GPU a candidate is timed in turns with the best one so far, in so many rounds, and the
/// fastest candidates once more, all in turns: the clock falls while the device gets warm.
constexpr int quickRounds = 3, firstRounds = 7;
/// An H200 that was idle needs 50 ms of a product until its clock is what it stays at; below that
/// other tiles win than above.
constexpr double quickWarmUpMs = 5, warmUpMs = 60;
constexpr int finalRounds = 15;
/// How far the results of two candidates may be apart, in parts of the root mean square of a row,
/// where there is no reference: they add in different orders.
constexpr double agreementTolerance = 0x1p-6;

struct Candidate {
  TuneOutcome outcome;
  bool isDone = false;          ///< it has an outcome
  std::optional<size_t> sameAs; ///< an earlier candidate with this code
  codegen::Image image;
  rt::Manifest manifest;
  bool isCompiled = false;
  bool isKept = false; ///< a shard's file has it
};

rt::Result<std::vector<TuneParameters>> spaceOf(const TuneRequest &request) {
  std::vector<TuneParameters> configs;
  std::vector<std::pair<std::string, std::vector<std::string>>> axes;
  for (const std::string &text : request.space) {
    if (text != "configs") {
      auto axis = parseTuneOption(text);
      if (!axis)
        return axis.error();
      if (llvm::any_of(axes, [&](auto &other) { return other.first == axis->first; }))
        return rt::Error{"--tune " + text + ": `" + axis->first +
                         "` has values already; write all of them in one list"};
      axes.push_back(std::move(*axis));
      continue;
    }
#ifdef TILEC_HAS_IMPORT
    auto buffer = llvm::MemoryBuffer::getFile(request.file, /*IsText=*/true);
    if (!buffer)
      return rt::Error{"cannot read " + request.file + ": " + buffer.getError().message()};
    SourceManager sources;
    DiagnosticEngine diags(sources);
    uint32_t file = sources.add(request.file, (*buffer)->getBuffer().str());
    auto listed =
        script::listConfigs(sources, file, request.compile.entry, request.compile.arch, diags);
    if (!listed) {
      std::string messages;
      llvm::raw_string_ostream os(messages);
      diags.print(os);
      return rt::Error{"--tune configs:\n" + messages};
    }
    configs = std::move(*listed);
#endif
    if (configs.empty())
      return rt::Error{"--tune configs: the entry's function has no @autotune(configs=...)"};
  }
  return combine(configs, axes);
}

/// The first error of a compilation, without its source line.
std::string firstError(const DiagnosticEngine &diags) {
  for (const Diagnostic &diagnostic : diags.all())
    if (diagnostic.severity == Severity::Error)
      return llvm::StringRef(diagnostic.message).split('\n').first.str();
  return "no message";
}

class Search {
public:
  explicit Search(const TuneRequest &request) : request(request) {}

  rt::Result<TuneRecord> run() {
    rt::Result<std::vector<TuneParameters>> space = spaceOf(request);
    if (!space)
      return space.error();
    for (auto [place, parameters] : llvm::enumerate(*space)) {
      // A fault of the command line, not of a candidate.
      if (auto entry = withParameters(request.compile.entry, parameters); !entry)
        return rt::Error{"--tune: " + entry.error().message};
      TuneOutcome &outcome = candidates.emplace_back().outcome;
      outcome.parameters = parameters;
      outcome.place = place;
    }
    if (rt::Status s = probeDevice(); !s)
      return s.error();
    if (request.shard)
      if (rt::Status s = takeShard(*space); !s)
        return s.error();
    holdInterrupts();
    compileAll();
    findSameCode();
    if (!isInterrupted())
      if (rt::Status s = makeArguments(); !s)
        return s.error();
    if (request.shard && request.device != "sim")
      chooseReference(*space);
    measureAll();
    if (request.device != "sim" && !request.shard && !isInterrupted())
      playOff(finalists());
    copyToSameCode();
    if (!logStatus)
      return logStatus.error();
    return takeRecord(candidates.size());
  }

  rt::Result<TuneRecord> merge() {
    rt::Result<SharedOutcomes> shared = readShards(request.folder);
    if (!shared)
      return shared.error();
    SharedSearch wanted = searchOf({});
    wanted.candidates = shared->search.candidates;
    wanted.space = shared->search.space;
    if (wanted != shared->search)
      return rt::Error{"`" + request.folder + "` is a search of " + shared->search.entry + " of " +
                       shared->search.script + " for " + shared->search.target + " on " +
                       shared->search.device + ": give the same --entry, --target and --device"};
    useRatios(shared->outcomes);
    for (TuneOutcome &outcome : shared->outcomes) {
      candidates.emplace_back().outcome = std::move(outcome);
      candidates.back().isDone = true;
    }
    if (request.device != "sim") {
      if (rt::Status s = probeDevice(); !s)
        return s.error();
      holdInterrupts();
      std::vector<size_t> order = finalists();
      llvm::erase_if(order, [&](size_t i) {
        Candidate again; // the outcome has been measured: it stays
        again.outcome.parameters = candidates[i].outcome.parameters;
        compile(again);
        candidates[i].image = std::move(again.image);
        candidates[i].manifest = std::move(again.manifest);
        return !(candidates[i].isCompiled = again.isCompiled);
      });
      if (rt::Status s = makeArguments(); !s)
        return s.error();
      playOff(order);
    }
    return takeRecord(shared->search.candidates);
  }

private:
  TuneRecord takeRecord(size_t all) {
    TuneRecord record;
    record.script = llvm::sys::path::filename(request.file).str();
    record.entry = request.compile.entry;
    record.target = nameOf(request.compile.arch);
    record.device = request.device;
    record.all = all;
    for (Candidate &candidate : candidates)
      if (candidate.isDone)
        record.outcomes.push_back(std::move(candidate.outcome));
    if (request.shard)
      useRatios(record.outcomes);
    return record;
  }

  //===------------------------------------------------------------------===//
  // Shards
  //===------------------------------------------------------------------===//

  SharedSearch searchOf(const std::vector<TuneParameters> &space) const {
    std::string entry = request.compile.entry;
    llvm::erase(entry, ' ');
    return {llvm::sys::path::filename(request.file).str(),
            entry,
            std::string(nameOf(request.compile.arch)),
            request.device,
            space.size(),
            hashOf(space)};
  }

  /// Leaves the candidates of this shard; those that a file has are done.
  rt::Status takeShard(const std::vector<TuneParameters> &space) {
    auto opened = ShardLog::open(request.folder, *request.shard, searchOf(space));
    if (!opened)
      return opened.error();
    log = std::move(*opened);
    llvm::erase_if(candidates, [&](const Candidate &candidate) {
      return shardOf(candidate.outcome.parameters, request.shard->count) != request.shard->index;
    });
    for (Candidate &candidate : candidates)
      for (const TuneOutcome &known : log->known())
        if (known.place == candidate.outcome.place) {
          candidate.outcome = known;
          candidate.isDone = candidate.isKept = true;
        }
    return rt::success();
  }

  /// The first candidate that works, the entry as it is before all others: the same in every shard.
  void chooseReference(const std::vector<TuneParameters> &space) {
    if (llvm::none_of(candidates, [](const Candidate &c) { return c.isCompiled; }))
      return; // nothing to measure
    std::vector<TuneParameters> tries{{}};
    llvm::append_range(tries, space);
    for (TuneParameters &parameters : tries) {
      if (isInterrupted())
        return;
      reference.emplace();
      reference->outcome.parameters = std::move(parameters);
      compile(*reference);
      if (reference->isCompiled && referenceRuns())
        return;
      reference.reset();
    }
  }

  bool referenceRuns() {
    bool runs = false;
    measureInChildren(
        {0}, request.timeoutSeconds,
        [&](size_t) {
          Measured measured;
          rt::ArgumentSet after = before;
          if (openGpu() && trials->run(alternative(*reference), after))
            measured.outcome.status = TuneStatus::Ok;
          return measured;
        },
        [&](size_t, TuneOutcome outcome) { runs = outcome.status == TuneStatus::Ok; });
    return runs;
  }

  /// The least ratio that any shard has found; 0 where there is none.
  double leastRatio() const {
    double others = log->bestRatio();
    return bestRatio > 0 && others > 0 ? std::min(bestRatio, others) : std::max(bestRatio, others);
  }

  rt::Status timeBesideReference(const Candidate &candidate, TuneOutcome &outcome) {
    for (auto [rounds, warmUp] :
         {std::pair(quickRounds, quickWarmUpMs), std::pair(firstRounds, warmUpMs)}) {
      auto both =
          trials->timeInTurns({alternative(candidate), alternative(*reference)}, rounds, warmUp);
      if (!both)
        return both.error();
      std::vector<double> times = rt::timesFromRounds(*both);
      outcome.us = times[0];
      outcome.ratio = times[0] / times[1];
      outcome.status = TuneStatus::Ok;
      if (double least = leastRatio(); least > 0 && outcome.ratio > least * hopelessFactor) {
        outcome.status = TuneStatus::Hopeless;
        break;
      }
    }
    return rt::success();
  }

  /// In the shard's file, as soon as there is an outcome.
  void keep(Candidate &candidate) {
    if (!log || !candidate.isDone || candidate.isKept)
      return;
    candidate.isKept = true;
    if (rt::Status s = log->append(candidate.outcome); !s && logStatus)
      logStatus = std::move(s);
  }

  /// A device that is not there is said before anything is compiled, not of each candidate. In a
  /// child: this process must not have opened a driver when it forks.
  rt::Status probeDevice() {
    if (request.device == "sim")
      return rt::success();
    rt::Status answer;
    measureInChildren(
        {0}, request.timeoutSeconds,
        [&](size_t) {
          Measured measured;
          rt::Result<rt::Device> device = openDevice();
          measured.outcome.status = device ? TuneStatus::Ok : TuneStatus::LaunchError;
          if (!device)
            measured.outcome.message = device.error().message;
          return measured;
        },
        [&](size_t, TuneOutcome outcome) {
          if (outcome.status != TuneStatus::Ok)
            answer = rt::Error{outcome.message};
        });
    return answer;
  }

  void compile(Candidate &candidate) const {
    CompileOptions options = request.compile;
    options.entry = *withParameters(options.entry, candidate.outcome.parameters);
    if (std::string schedule = scheduleOf(candidate.outcome.parameters); !schedule.empty())
      options.schedule = schedule;
    Compilation compilation(options);
    if (!compilation.open(request.file) || !compilation.runTo(Stage::Binary)) {
      candidate.outcome.message = firstError(compilation.diagnostics());
      candidate.isDone = !isInterrupted(); // which ends the assembler, too
      return;
    }
    candidate.isCompiled = true;
    candidate.image = compilation.image();
    candidate.manifest = compilation.manifest();
    for (const codegen::KernelFacts &facts : candidate.image.kernels) {
      unsigned registers = facts.registers ? facts.registers : facts.vgprs + facts.agprs;
      candidate.outcome.registers = std::max(candidate.outcome.registers, registers);
      candidate.outcome.spillBytes +=
          facts.spillStoreBytes + facts.spillLoadBytes + 4 * facts.vgprSpills;
    }
  }

  unsigned threads() const {
    unsigned cores = std::thread::hardware_concurrency();
    return request.threads ? request.threads : std::max(cores, 1u);
  }

  void compileAll() {
    struct Work {
      std::atomic<size_t> next = 0, done = 0;
      std::mutex changing;
      bool isOver = false; ///< what a thread still compiles is of no use
    };
    auto work = std::make_shared<Work>();
    unsigned count = std::max<size_t>(std::min<size_t>(threads(), candidates.size()), 1);
    bool haveEnded = runUntilInterrupted(count, [this, work] {
      for (size_t i; (i = work->next++) < candidates.size() && !isInterrupted();) {
        Candidate candidate = candidates[i];
        if (!candidate.isDone)
          compile(candidate);
        std::lock_guard<std::mutex> lock(work->changing);
        if (work->isOver)
          return;
        candidates[i] = std::move(candidate);
        keep(candidates[i]);
        show(llvm::formatv("compiling: {0} of {1}", ++work->done, candidates.size()));
      }
    });
    std::lock_guard<std::mutex> lock(work->changing);
    work->isOver = !haveEnded;
  }

  /// Parameters that make no difference to the code are not measured again: `auto` beside the
  /// schedule that it takes, more stages than shared memory holds.
  void findSameCode() {
    std::map<std::string, size_t> first;
    for (auto [i, candidate] : llvm::enumerate(candidates)) {
      if (!candidate.isCompiled)
        continue;
      const std::vector<uint8_t> &bytes = candidate.image.bytes;
      std::string code =
          printManifest(candidate.manifest) + std::string(bytes.begin(), bytes.end());
      auto [at, isNew] = first.emplace(std::move(code), i);
      if (!isNew)
        candidate.sameAs = at->second;
    }
  }

  void copyToSameCode() {
    for (Candidate &candidate : candidates) {
      if (!candidate.sameAs || !candidates[*candidate.sameAs].isDone)
        continue;
      const TuneOutcome &other = candidates[*candidate.sameAs].outcome;
      candidate.isDone = true;
      candidate.outcome.status = other.status;
      candidate.outcome.us = other.us;
      candidate.outcome.rounds = other.rounds;
      candidate.outcome.message = "the same code as " + describe(other.parameters);
      candidate.outcome.ratio = other.ratio;
      keep(candidate);
    }
  }

  /// One set for all: parameters of the search change how a kernel computes, not what.
  rt::Status makeArguments() {
    const Candidate *first = nullptr;
    for (const Candidate &candidate : candidates)
      if (candidate.isCompiled && !first)
        first = &candidate;
    if (!first)
      return rt::success(); // nothing to measure
    rt::Result<rt::ArgumentSet> made = rt::makeArguments(first->manifest, request.arguments);
    if (!made)
      return made.error();
    before = std::move(*made);
    if (!request.check)
      return rt::success();
    show("running the cpu reference");
    using Results = rt::Result<std::vector<Expected>>;
    auto results = std::make_shared<std::optional<Results>>();
    bool haveEnded = runUntilInterrupted(1, [this, first, results] {
      CompileOptions options = request.compile;
      options.entry = *withParameters(options.entry, first->outcome.parameters);
      options.cache = nullptr;
      Compilation compilation(options);
      if (!compilation.open(request.file) || !compilation.runTo(Stage::Wave))
        *results = rt::Error{firstError(compilation.diagnostics())};
      else
        *results = expectedResults(compilation, before);
    });
    if (!haveEnded)
      return rt::success(); // nothing will be measured
    if (!**results)
      return (*results)->error();
    expected = std::move(***results);
    return rt::success();
  }

  void measureAll() {
    std::vector<size_t> indices;
    for (auto [i, candidate] : llvm::enumerate(candidates))
      if (candidate.isCompiled && !candidate.sameAs)
        indices.push_back(i);
    size_t count = 0;
    auto measureOne = [this](size_t i) { return measure(i); };
    auto done = [&](size_t i, TuneOutcome outcome) {
      TuneOutcome &kept = candidates[i].outcome;
      candidates[i].isDone = true;
      kept.status = outcome.status;
      kept.message = std::move(outcome.message);
      kept.us = outcome.us;
      kept.ratio = outcome.ratio;
      keep(candidates[i]);
      noteBest(i, kept);
      show(llvm::formatv("timing: {0} of {1}, best {2:f2} us with {3}", ++count, indices.size(),
                         bestUs, bestText));
    };
    show(llvm::formatv("timing: 0 of {0}", indices.size()));
    // The model's clock does not mind what else the machine does; with a check its helpers take
    // all cores anyway.
    if (request.device == "sim")
      measureAtOnce(indices, request.check ? 1 : threads(), request.timeoutSeconds, measureOne,
                    done);
    else
      measureInChildren(indices, request.timeoutSeconds, measureOne, done);
  }

  std::vector<size_t> finalists() const {
    std::vector<const TuneOutcome *> outcomes;
    std::vector<size_t> indices;
    for (auto [i, candidate] : llvm::enumerate(candidates))
      if (!candidate.sameAs) {
        outcomes.push_back(&candidate.outcome);
        indices.push_back(i);
      }
    std::vector<size_t> order = finalistsOf(outcomes, request.finalists);
    for (size_t &i : order)
      i = indices[i];
    return order;
  }

  /// The fastest candidates in turns, in one more child.
  void playOff(const std::vector<size_t> &order) {
    if (order.size() < 2)
      return;
    show(llvm::formatv("timing the best {0} in turns", order.size()));
    std::map<size_t, Measured> measured; // of the child: all at its first call
    measureInChildren(
        order, request.timeoutSeconds,
        [&](size_t i) {
          if (measured.empty())
            measured = measureInTurns(order);
          return measured[i];
        },
        [&](size_t i, TuneOutcome outcome) {
          if (outcome.status != TuneStatus::Ok)
            return; // what was measured before still counts
          candidates[i].outcome.us = outcome.us;
          candidates[i].outcome.rounds = finalRounds;
        });
  }

  std::map<size_t, Measured> measureInTurns(const std::vector<size_t> &indices) {
    std::map<size_t, Measured> measured;
    std::vector<rt::Alternative> programs;
    for (size_t i : indices)
      programs.push_back(alternative(candidates[i]));
    auto samples = [&]() -> rt::Result<std::vector<std::vector<double>>> {
      if (rt::Status opened = openGpu(); !opened)
        return opened.error();
      return trials->timeInTurns(programs, finalRounds, warmUpMs);
    }();
    std::vector<double> times;
    if (samples)
      times = rt::timesFromRounds(*samples);
    for (auto [at, i] : llvm::enumerate(indices)) {
      TuneOutcome &outcome = measured[i].outcome;
      outcome.status = samples ? TuneStatus::Ok : TuneStatus::LaunchError;
      outcome.us = samples ? times[at] : 0;
    }
    return measured;
  }

  void noteBest(size_t index, const TuneOutcome &outcome) {
    if (outcome.status == TuneStatus::Ok && outcome.ratio > 0 &&
        (bestRatio == 0 || outcome.ratio < bestRatio))
      bestRatio = outcome.ratio;
    if (outcome.status != TuneStatus::Ok || (bestUs > 0 && outcome.us >= bestUs))
      return;
    bestUs = outcome.us;
    bestIndex = index;
    bestText = describe(outcome.parameters);
  }

  /// In a child process.
  Measured measure(size_t index) {
    const Candidate &candidate = candidates[index];
    Measured measured;
    measured.outcome.parameters = candidate.outcome.parameters;
    rt::Status status = request.device == "sim" ? measureOnModel(candidate, measured.outcome)
                                                : measureOnGpu(candidate, measured.outcome);
    if (!status) {
      measured.outcome.status = TuneStatus::LaunchError;
      measured.outcome.message = status.error().message;
      measured.endsWorker = true;
    }
    noteBest(index, measured.outcome);
    return measured;
  }

  /// Processes of one host take its GPUs by their numbers there. Where a launcher shows each of
  /// them fewer (its own one, as a rule), the last of these.
  rt::Result<rt::Device> openDevice() const {
    auto open = [&](unsigned gpu) {
      int index = static_cast<int>(gpu);
      return request.device == "cuda" ? rt::openCuda(index) : rt::openHip(index);
    };
    unsigned gpu = request.shard ? request.shard->onHost.value_or(0) : 0;
    rt::Result<rt::Device> device = open(gpu);
    while (!device && gpu > 0)
      device = open(--gpu);
    return device;
  }

  rt::Status openGpu() {
    if (trials)
      return rt::success();
    rt::Result<rt::Device> opened = openDevice();
    if (!opened)
      return opened.error();
    trials = std::make_unique<rt::Trials>(std::move(*opened), before);
    return rt::success();
  }

  static rt::Alternative alternative(const Candidate &candidate) {
    return {&candidate.manifest, candidate.image.bytes};
  }

  rt::Status measureOnGpu(const Candidate &candidate, TuneOutcome &outcome) {
    if (rt::Status opened = openGpu(); !opened)
      return opened;
    if (results.list.empty())
      results = before;
    if (reference && !request.check && !firstResult) {
      // What all shards compare with.
      if (rt::Status ran = trials->run(alternative(*reference), results); !ran)
        return ran;
      if (rt::Status judged = judge(results, outcome); !judged)
        return judged;
    }
    if (rt::Status ran = trials->run(alternative(candidate), results); !ran)
      return ran;
    if (rt::Status judged = judge(results, outcome); !judged || outcome.status == TuneStatus::Wrong)
      return judged;
    if (reference)
      return timeBesideReference(candidate, outcome);
    auto alone = trials->timeInTurns({alternative(candidate)}, quickRounds, quickWarmUpMs);
    if (!alone)
      return alone.error();
    outcome.us = rt::median(alone->front());
    outcome.status = TuneStatus::Ok;
    if (bestUs == 0)
      return rt::success();
    if (outcome.us > bestUs * hopelessFactor) {
      outcome.status = TuneStatus::Hopeless;
      return rt::success();
    }
    auto both = trials->timeInTurns({alternative(candidate), alternative(candidates[bestIndex])},
                                    firstRounds, warmUpMs);
    if (!both)
      return both.error();
    std::vector<double> times = rt::timesFromRounds(*both);
    outcome.us = bestUs * times[0] / times[1];
    return rt::success();
  }

  rt::Status measureOnModel(const Candidate &candidate, TuneOutcome &outcome) {
    if (request.check) {
      rt::Result<rt::Device> simulator = openSim(request.compile.arch);
      if (!simulator)
        return simulator.error();
      rt::ArgumentSet after = before;
      auto ran = rt::launchProgram(*simulator, candidate.manifest, candidate.image.bytes, after);
      if (!ran)
        return ran.error();
      if (rt::Status s = judge(after, outcome); !s || outcome.status == TuneStatus::Wrong)
        return s;
    }
    outcome.status = TuneStatus::Ok;
    // One round a CU first: twice as far away does not come back with more of them.
    for (uint32_t rounds : {1, 2}) {
      SimDeviceOptions options;
      options.timing.roundsPerCu = rounds;
      options.timing.keepEvents = false;
      outcome.us = 0;
      options.onTimed = [&](const std::string &, const sim::TimingResult &result) {
        outcome.us += result.kernelMicroseconds();
      };
      rt::Result<rt::Device> model = openSim(request.compile.arch, options);
      if (!model)
        return model.error();
      rt::ArgumentSet after = before;
      auto ran = rt::launchProgram(*model, candidate.manifest, candidate.image.bytes, after);
      if (!ran)
        return ran.error();
      if (bestUs > 0 && outcome.us > bestUs * hopelessFactor) {
        outcome.status = TuneStatus::Hopeless;
        break;
      }
    }
    return rt::success();
  }

  static bool isResult(const rt::Argument &argument) {
    return argument.param.kind == rt::ParamKind::Tensor &&
           argument.param.access != rt::Access::Read;
  }

  /// With the reference, else with what the first candidate of this process left.
  rt::Status judge(const rt::ArgumentSet &after, TuneOutcome &outcome) {
    if (!request.check && !firstResult) {
      firstResult.emplace();
      for (const rt::Argument &argument : after.list)
        if (isResult(argument))
          firstResult->list.push_back(argument);
      return rt::success();
    }
    auto differs = [&](const std::string &name, const rt::HostTensor &reference,
                       const std::vector<double> &spread,
                       const rt::CheckOptions &rule) -> rt::Result<bool> {
      const rt::Argument *argument = after.find(name);
      auto report = rt::compare(argument->tensor, reference, spread, rule);
      if (!report)
        return report.error();
      if (report->passed())
        return false;
      outcome.status = TuneStatus::Wrong;
      outcome.message = rt::describe(name, argument->param.dtype, *report);
      return true;
    };
    rt::CheckOptions rule;
    if (request.check) {
      for (const Expected &result : expected) {
        rule.exact = result.isExact;
        if (auto answer = differs(result.name, result.value, result.spread, rule); !answer)
          return answer.error();
      }
      return rt::success();
    }
    for (const rt::Argument &argument : firstResult->list) {
      auto answer = differs(argument.param.name, argument.tensor,
                            rt::rowTolerance(argument.tensor, agreementTolerance), rule);
      if (!answer)
        return answer.error();
      if (*answer)
        outcome.message =
            (reference ? "differs from the reference: " : "differs from the first candidate: ") +
            outcome.message;
    }
    return rt::success();
  }

  void show(const std::string &text) const {
    if (request.progress)
      request.progress(text);
  }

  const TuneRequest &request;
  std::vector<Candidate> candidates;
  rt::ArgumentSet before, results;
  std::vector<Expected> expected;
  std::optional<rt::ArgumentSet> firstResult;
  std::unique_ptr<rt::Trials> trials;
  double bestUs = 0;
  size_t bestIndex = 0;
  std::string bestText = "(none yet)";
  std::unique_ptr<ShardLog> log;      ///< of a shard
  rt::Status logStatus;               ///< the first line that could not be kept
  std::optional<Candidate> reference; ///< of shards on a GPU: what times are ratios to
  double bestRatio = 0;
};

} // namespace

rt::Result<TuneRecord> tune(const TuneRequest &request) {
  auto search = std::make_unique<Search>(request);
  rt::Result<TuneRecord> record = search->run();
  if (hasThreadsLeft())
    (void)search.release();
  return record;
}
rt::Result<TuneRecord> mergeShards(const TuneRequest &request) { return Search(request).merge(); }

std::string printRecord(const TuneRecord &record) {
  std::vector<const TuneOutcome *> order;
  for (const TuneOutcome &outcome : record.outcomes)
    order.push_back(&outcome);
  llvm::sort(order, [](const TuneOutcome *a, const TuneOutcome *b) {
    // Those with a time by their times: one that was the best when it was timed may be slower than
    // one that had no hope later.
    auto rank = [](const TuneOutcome *o) {
      bool isTimed = o->status == TuneStatus::Hopeless;
      return std::tuple(isTimed ? TuneStatus::Ok : o->status, -o->rounds, o->us, o);
    };
    return rank(a) < rank(b);
  });
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const TuneOutcome *outcome : order) {
    os << llvm::formatv("  {0,-14}", nameOf(outcome->status));
    if (outcome->us > 0)
      os << llvm::formatv(" {0,12:f2} us", outcome->us);
    if (outcome->rounds)
      os << " (in turns)";
    os << "  " << describe(outcome->parameters);
    if (outcome->spillBytes)
      os << "  (" << outcome->spillBytes << " bytes of spills)";
    if (!outcome->message.empty())
      os << ": " << outcome->message;
    os << '\n';
  }
  return text;
}

} // namespace tilec
