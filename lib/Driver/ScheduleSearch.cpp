//===- ScheduleSearch.cpp - plans of loops by trial -----------------------===//
//
// Generations of one size: the best plans so far are varied (VaryPlan.h, BodyOrder.h),
// which keeps them legal, and each is compiled and timed in a child process, as many at
// a time as there are cores. With all that the model looks at: of one round of a
// compute unit or a shorter sample for the caches other plans come out ahead, which then
// are no better. What the strategies make is among them, so that nothing worse is found.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ScheduleSearch.h"

#include "Workers.h"

#include "tilec/Driver/ScheduleCheck.h"
#include "tilec/Report/Scorecard.h"
#include "tilec/Runtime/Launch.h"
#include "tilec/SimDevice/SimDevice.h"
#include "tilec/Target/Target.h"
#include "tilec/Transforms/BodyOrder.h"
#include "tilec/Transforms/LoopGraphs.h"
#include "tilec/Transforms/VaryPlan.h"

#include "llvm/Support/FormatVariadic.h"

#include <chrono>
#include <set>
#include <thread>

namespace tilec {
namespace {

/// Plans of a generation, and parents that it is made from.
constexpr size_t generationSize = 8, parents = 4;
constexpr double secondsOfOne = 120; ///< after which a candidate has none

/// What the machine code of a program says for or against its plans.
struct CodeFacts {
  unsigned spills = 0, moves = 0, waitsForAll = 0, findings = 0, unproved = 0;
  std::string lostOrder;

  /// Why code with these facts is not taken where `base` was there before; "" if it is.
  std::string reasonAgainst(const CodeFacts &base) const {
    if (spills > base.spills)
      return llvm::formatv("spills {0} registers", spills);
    if (moves > base.moves)
      return llvm::formatv("moves accumulators {0} times in a loop", moves);
    if (waitsForAll > base.waitsForAll)
      return "waits for all copies in a loop";
    if (findings > base.findings || unproved > base.unproved)
      return "copies and reads are not proved apart";
    return lostOrder;
  }
};

llvm::Expected<CodeFacts> factsOf(const codegen::Image &image) {
  CodeFacts facts;
  llvm::Expected<report::CodeObject> object = report::disassemble(image.bytes);
  if (!object)
    return object.takeError();
  for (const report::KernelCard &card : report::makeScorecard(*object).kernels) {
    facts.spills += card.facts.vgprSpills + card.facts.sgprSpills;
    facts.findings += card.sharedAudit.findings.size() + card.waitFindings.size();
    facts.unproved += !card.sharedAudit.unproved.empty();
    for (const report::LoopCard &loop : card.loops) {
      if (loop.mfmas() != 0)
        facts.moves += loop.count(report::InstrKind::AccumulatorMove);
      if (loop.count(report::InstrKind::SharedDma) != 0)
        facts.waitsForAll += loop.vmcntZeros;
    }
  }
  llvm::Expected<std::string> lost = lostOrderOf(image);
  if (!lost)
    return lost.takeError();
  facts.lostOrder = *lost;
  return facts;
}

/// The plan of each loop of the program, as text; "": what the strategy makes.
using Plans = std::vector<std::string>;

struct Candidate {
  std::string what;
  std::string schedule; ///< a strategy for all loops instead of plans
  Plans plans;
  double us = 0; ///< 0: not accepted
};

class Search {
public:
  explicit Search(const ScheduleSearchRequest &request)
      : request(request), random(request.seed), graphs(waveOptions(request.compile)) {}

  rt::Result<ScheduleFound> run() {
    if (rt::Status s = prepare(); !s)
      return s.error();
    holdInterrupts();
    evaluate(seeds());
    while (!isOver())
      if (!evaluate(nextGeneration()))
        break;
    return finish();
  }

private:
  static CompileOptions waveOptions(CompileOptions options) {
    options.cache = nullptr;
    return options;
  }

  //===------------------------------------------------------------------===//
  // The program
  //===------------------------------------------------------------------===//

  rt::Status prepare() {
    if (!graphs.open(request.file) || !graphs.runTo(Stage::Wave))
      return rt::Error{firstError(graphs)};
    loops = loopGraphsOf(graphs.program()->getParentOfType<mlir::ModuleOp>(),
                         targetInfo(request.compile.arch));
    if (loops.empty())
      return rt::Error{"--schedule=search: the program has no loop that a plan can be given to"};
    for (LoopGraph &loop : loops)
      bodies.push_back(loop.shape ? std::nullopt : std::optional<LoopBody>(loop.op));
    Compilation base(waveOptions(request.compile));
    if (!base.open(request.file) || !base.runTo(Stage::Binary))
      return rt::Error{firstError(base)};
    llvm::Expected<CodeFacts> facts = factsOf(base.image());
    if (!facts)
      return rt::Error{llvm::toString(facts.takeError())};
    baseFacts = *facts;
    baseFacts.lostOrder.clear();
    rt::Result<rt::ArgumentSet> made = rt::makeArguments(base.manifest(), request.arguments);
    if (!made)
      return made.error();
    arguments = std::move(*made);
    return rt::success();
  }

  static std::string firstError(Compilation &compilation) {
    for (const Diagnostic &diagnostic : compilation.diagnostics().all())
      if (diagnostic.severity == Severity::Error)
        return diagnostic.message;
    return "no message";
  }

  //===------------------------------------------------------------------===//
  // Candidates
  //===------------------------------------------------------------------===//

  /// What the strategies make, and where a loop has none, what is there, in LLVM's order and in its
  /// own.
  std::vector<Candidate> seeds() {
    std::vector<Candidate> list;
    list.push_back({"auto", "", Plans(loops.size())});
    for (const ScheduleStrategy &strategy : scheduleStrategies()) {
      Plans plans;
      for (LoopGraph &loop : loops)
        plans.push_back(planOf(strategy.name, loop));
      if (llvm::any_of(plans, [](const std::string &plan) { return !plan.empty(); }))
        list.push_back({strategy.name.str(), "", plans});
    }
    for (bool keeps : {false, true}) {
      Plans plans;
      for (auto [n, loop] : llvm::enumerate(loops)) {
        plans.emplace_back();
        if (!bodies[n])
          continue;
        BodyOrder order = bodies[n]->asWritten();
        order.keepsOrder = keeps;
        plans[n] = order.str();
      }
      if (llvm::any_of(plans, [](const std::string &plan) { return !plan.empty(); }))
        list.push_back({keeps ? "as written" : "as written, by LLVM", "", plans});
    }
    for (const Candidate &candidate : list)
      known.insert(candidate.plans);
    return list;
  }

  static std::string planOf(llvm::StringRef strategy, const LoopGraph &loop) {
    if (!loop.shape)
      return "";
    llvm::Expected<SchedulePlan> plan = planSchedule(strategy, *loop.shape);
    if (plan)
      return plan->str();
    llvm::consumeError(plan.takeError());
    return "";
  }

  std::vector<Candidate> nextGeneration() {
    std::vector<size_t> order = ranked(true);
    order.resize(std::min(order.size(), parents));
    std::vector<Candidate> list;
    constexpr size_t mostTries = 64;
    for (size_t tries = 0; list.size() < generationSize && tries < mostTries && !order.empty();
         ++tries) {
      const Candidate &parent = candidates[order[random.below(order.size())]];
      Candidate child{"varied " + std::to_string(candidates.size() + list.size()), "",
                      parent.plans};
      size_t n = random.below(loops.size());
      child.plans[n] = varied(n, parent.plans[n]);
      if (!child.plans[n].empty() && known.insert(child.plans).second)
        list.push_back(std::move(child));
    }
    return list;
  }

  /// Of the accepted, the fastest first; with `withPlans` only those that have plans to vary.
  std::vector<size_t> ranked(bool withPlans) const {
    std::vector<size_t> order;
    for (auto [i, candidate] : llvm::enumerate(candidates))
      if (candidate.us > 0 &&
          (!withPlans || llvm::any_of(candidate.plans, [](auto &plan) { return !plan.empty(); })))
        order.push_back(i);
    llvm::sort(order, [&](size_t a, size_t b) {
      return std::pair(candidates[a].us, a) < std::pair(candidates[b].us, b);
    });
    return order;
  }

  std::string varied(size_t loop, const std::string &plan) {
    if (bodies[loop]) {
      BodyOrder order =
          plan.empty() ? bodies[loop]->asWritten() : llvm::cantFail(BodyOrder::parse(plan));
      std::optional<BodyOrder> other = variedOrder(order, *bodies[loop], random);
      return other ? other->str() : "";
    }
    const std::string &text = plan.empty() ? planOf("auto", loops[loop]) : plan;
    if (text.empty())
      return "";
    std::optional<SchedulePlan> other =
        variedPlan(llvm::cantFail(SchedulePlan::parse(text)), *loops[loop].shape, random);
    return other ? other->str() : "";
  }

  //===------------------------------------------------------------------===//
  // Evaluation
  //===------------------------------------------------------------------===//

  PlanFile fileOf(const Plans &plans) const {
    PlanFile file;
    file.name = request.name;
    file.target = nameOf(request.compile.arch);
    file.model = modelVersion();
    for (auto [loop, plan] : llvm::zip(loops, plans))
      if (wave::KernelOp kernel = loop.kernel; !plan.empty())
        file.loops.push_back({kernel.getSymName().str(), loop.hash, plan, 0, 0});
    return file;
  }

  /// In a child process.
  Measured measure(const Candidate &candidate) {
    Measured measured;
    auto refuse = [&](const std::string &reason) {
      measured.outcome.status = TuneStatus::CompileError;
      measured.outcome.message = reason;
      return measured;
    };
    CompileOptions options = waveOptions(request.compile);
    PlanFile file = fileOf(candidate.plans);
    if (!file.loops.empty()) {
      options.planText = file.str();
      options.planFile = "found";
    }
    Compilation compilation(options);
    if (!compilation.open(request.file) || !compilation.runTo(Stage::Binary))
      return refuse(firstError(compilation));
    llvm::Expected<CodeFacts> facts = factsOf(compilation.image());
    if (!facts)
      return refuse(llvm::toString(facts.takeError()));
    if (std::string reason = facts->reasonAgainst(baseFacts);
        !reason.empty() && !file.loops.empty())
      return refuse(reason);
    rt::Result<double> us = timeOf(compilation);
    if (!us)
      return refuse(us.error().message);
    measured.outcome.us = *us;
    measured.outcome.status = TuneStatus::Ok;
    return measured;
  }

  rt::Result<double> timeOf(Compilation &compilation) {
    SimDeviceOptions options;
    options.timing.keepEvents = false;
    double us = 0;
    options.onTimed = [&](const std::string &, const sim::TimingResult &result) {
      us += result.kernelMicroseconds();
    };
    rt::Result<rt::Device> model = openSim(request.compile.arch, options);
    if (!model)
      return model.error();
    // This process ends with the candidate: nobody else wants the arguments.
    auto ran =
        rt::launchProgram(*model, compilation.manifest(), compilation.image().bytes, arguments);
    if (!ran)
      return ran.error();
    return us;
  }

  unsigned atOnce() const {
    return request.atOnce ? request.atOnce : std::max(std::thread::hardware_concurrency(), 1u);
  }

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  bool isOver() const {
    if (isInterrupted() || (request.evaluations && candidates.size() >= request.evaluations))
      return true;
    return seconds() > request.seconds;
  }

  /// Times the list, as many at once as there are cores, until the search is over. False where
  /// there was nothing.
  bool evaluate(std::vector<Candidate> list) {
    for (size_t first = 0; first < list.size(); first += atOnce()) {
      if (!candidates.empty() && isOver())
        break;
      size_t most = request.evaluations ? request.evaluations - candidates.size() : list.size();
      std::vector<size_t> indices;
      for (size_t n = first; n < std::min(list.size(), first + std::min<size_t>(atOnce(), most));
           ++n) {
        indices.push_back(candidates.size());
        trials.push_back({list[n].what, 0, "no result"});
        candidates.push_back(std::move(list[n]));
      }
      time(indices);
    }
    return !list.empty();
  }

  void time(const std::vector<size_t> &indices) {
    size_t done = indices.front();
    measureAtOnce(
        indices, atOnce(), secondsOfOne, [&](size_t i) { return measure(candidates[i]); },
        [&](size_t i, TuneOutcome outcome) {
          candidates[i].us = outcome.status == TuneStatus::Ok ? outcome.us : 0;
          trials[i].us = candidates[i].us;
          trials[i].reason = outcome.message;
          show(++done);
        });
  }

  void show(size_t done) const {
    if (!request.progress)
      return;
    std::vector<size_t> order = ranked(false);
    std::string best = order.empty() ? "none yet"
                                     : llvm::formatv("best {0:f2} us ({1}), strategies {2:f2} us",
                                                     candidates[order[0]].us,
                                                     candidates[order[0]].what, candidates[0].us)
                                           .str();
    request.progress(llvm::formatv("searching plans: {0} tried, {1:f0} of {2:f0} s, {3}", done,
                                   seconds(), request.seconds, best));
  }

  rt::Result<ScheduleFound> finish() {
    if (candidates.empty() || candidates[0].us == 0)
      return rt::Error{"--schedule=search: the program as it is has no time in the model: " +
                       (trials.empty() ? std::string("interrupted") : trials[0].reason)};
    size_t best = ranked(false).front();
    if (candidates[best].us == candidates[0].us)
      best = 0;
    ScheduleFound found;
    found.trials = trials;
    found.hasEnded = request.evaluations && candidates.size() >= request.evaluations;
    found.before = candidates[0].us;
    found.after = candidates[best].us;
    found.plans = fileOf(best == 0 ? plansOfStrategies() : candidates[best].plans);
    return found;
  }

  /// What `auto` takes, as text: to be kept where nothing better was found.
  Plans plansOfStrategies() const {
    Plans plans;
    for (auto [n, loop] : llvm::enumerate(loops))
      plans.push_back(loop.shape ? planOf("auto", loop) : bodies[n]->asWritten().str());
    return plans;
  }

  const ScheduleSearchRequest &request;
  PlanRandom random;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  Compilation graphs; ///< at Stage::Wave: `loops` point into it
  llvm::SmallVector<LoopGraph> loops;
  std::vector<std::optional<LoopBody>> bodies; ///< of loops that are no wave.pipeline
  CodeFacts baseFacts;
  rt::ArgumentSet arguments;
  std::vector<Candidate> candidates;
  std::vector<ScheduleTrial> trials;
  std::set<Plans> known;
};

} // namespace

rt::Result<ScheduleFound> searchSchedules(const ScheduleSearchRequest &request) {
  return Search(request).run();
}

} // namespace tilec
