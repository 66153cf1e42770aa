//===- ScheduleSearch.cpp - plans of loops by trial -----------------------===//
//
// Generations of one size: the best plans so far are varied (VaryPlan.h, BodyOrder.h),
// which keeps them legal, and each is compiled and timed in a child process, as many at
// a time as there are cores. A generation is made of what the ones before gave, whole, and its
// plans come from a fixed sequence of numbers: how fast the machine is changes nothing of what is
// tried. Of one round of a compute unit and a short sample for the
// caches some plans come out ahead that then are no better: so the best few are timed with
// all that the model looks at. What the strategies make is among them, so that nothing worse is
// found, and so are the same programs with other atoms and swizzles, whose loops are others. The
// best is taken if it is good on a chip with other latencies, and computes the same.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "ScheduleSearch.h"

#include "PlanTrial.h"
#include "Workers.h"

#include "tilec/Target/Target.h"
#include "tilec/Transforms/BodyOrder.h"
#include "tilec/Transforms/LoopGraphs.h"
#include "tilec/Transforms/Strategy.h"
#include "tilec/Transforms/VaryPlan.h"

#include "llvm/Support/FormatVariadic.h"

#include <chrono>
#include <numeric>
#include <set>
#include <thread>

namespace tilec {
namespace {

/// Plans of a generation, and parents that it is made from.
constexpr size_t generationSize = 8, parents = 4;
constexpr size_t finalists = 4;      ///< that are timed with the whole model
constexpr double secondsOfOne = 600; ///< after which a candidate has none: a guard as well

/// A candidate's outcome when time was up.
constexpr char notBegun[] = "not begun";

/// Latencies that a plan has to be good with beside the model's.
constexpr double otherLatencies[] = {0.8, 1.3};

/// The plan of each loop of the program, as text; "": what the strategy makes.
using Plans = std::vector<std::string>;

struct Candidate {
  std::string what;
  size_t variant = 0;
  Plans plans;
  double us = 0; ///< 0: not accepted
};

/// The program with some layouts: its loops that plans can be given to.
class Variant {
public:
  Variant(const ScheduleSearchRequest &request, PlanLayouts layouts)
      : layouts(std::move(layouts)), compilation(optionsOf(request, this->layouts)) {}

  /// False where it does not compile, or its loops have the layouts of a variant in `known`.
  bool prepare(const ScheduleSearchRequest &request, std::set<std::string> &known) {
    if (!compilation.open(request.file) || !compilation.runTo(Stage::TileLaidOut))
      return false;
    if (!known.insert(compilation.textOf(Stage::TileLaidOut)).second ||
        !compilation.runTo(Stage::Wave))
      return false;
    loops = loopGraphsOf(compilation.program()->getParentOfType<mlir::ModuleOp>(),
                         targetInfo(request.compile.arch));
    for (LoopGraph &loop : loops)
      bodies.push_back(loop.shape ? std::nullopt : std::optional<LoopBody>(loop.op));
    return true;
  }

  std::string firstError() { return firstErrorOf(compilation); }
  /// "", or ", atoms small, swizzle 1".
  std::string name() const {
    std::string atoms = layouts.atoms.empty() ? "" : ", atoms " + layouts.atoms;
    return atoms + (layouts.swizzle ? ", swizzle " + std::to_string(layouts.swizzle) : "");
  }

  PlanLayouts layouts;
  llvm::SmallVector<LoopGraph> loops;          ///< point into the compilation
  std::vector<std::optional<LoopBody>> bodies; ///< of loops that are no wave.pipeline

private:
  static CompileOptions optionsOf(const ScheduleSearchRequest &request,
                                  const PlanLayouts &layouts) {
    CompileOptions options = request.compile;
    options.cache = nullptr;
    PlanFile plans;
    plans.name = request.name;
    plans.target = nameOf(options.arch);
    plans.model = modelVersion();
    plans.layouts = layouts;
    if (!plans.saysNothing())
      options.planText = plans.str();
    return options;
  }

  Compilation compilation; ///< at Stage::Wave
};

class Search {
  using Clock = PlanTrial::Clock;

public:
  explicit Search(const ScheduleSearchRequest &request)
      : request(request), random(request.seed), trial(request.file, withoutCache(request.compile)) {
  }

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
  static CompileOptions withoutCache(CompileOptions options) {
    options.cache = nullptr;
    return options;
  }

  //===------------------------------------------------------------------===//
  // The program
  //===------------------------------------------------------------------===//

  rt::Status prepare() {
    std::set<std::string> known;
    constexpr int64_t mostSwizzles = 3;
    for (const char *atoms : {"", "large", "small"})
      for (int64_t swizzle = 0; swizzle < mostSwizzles; ++swizzle) {
        auto variant = std::make_unique<Variant>(request, PlanLayouts{atoms, swizzle});
        if (variant->prepare(request, known))
          variants.push_back(std::move(variant));
        else if (variant->layouts.isDefault())
          return rt::Error{variant->firstError()};
      }
    if (variants.front()->loops.empty())
      return rt::Error{"--schedule=search: the program has no loop that a plan can be given to"};
    return trial.prepare(request.arguments);
  }

  //===------------------------------------------------------------------===//
  // Candidates
  //===------------------------------------------------------------------===//

  /// What the strategies make, and where a loop has none, what is there, in LLVM's order and in its
  /// own; then what they make of the other variants.
  std::vector<Candidate> seeds() {
    std::vector<Candidate> list;
    Variant &plain = *variants.front();
    list.push_back({"auto", 0, Plans(plain.loops.size())});
    for (const Strategy &strategy : strategies()) {
      if (!strategy.order)
        continue;
      Plans plans;
      for (LoopGraph &loop : plain.loops)
        plans.push_back(planOf(strategy.name, loop));
      if (llvm::any_of(plans, [](const std::string &plan) { return !plan.empty(); }))
        list.push_back({strategy.name.str(), 0, plans});
    }
    for (bool keeps : {false, true}) {
      Plans plans;
      for (auto [n, loop] : llvm::enumerate(plain.loops)) {
        plans.emplace_back();
        if (!plain.bodies[n])
          continue;
        BodyOrder order = plain.bodies[n]->asWritten();
        order.keepsOrder = keeps;
        plans[n] = order.str();
      }
      if (llvm::any_of(plans, [](const std::string &plan) { return !plan.empty(); }))
        list.push_back({keeps ? "as written" : "as written, by LLVM", 0, plans});
    }
    for (size_t v = 1; v < variants.size(); ++v)
      list.push_back({"auto" + variants[v]->name(), v, Plans(variants[v]->loops.size())});
    for (const Candidate &candidate : list)
      known.insert({candidate.variant, candidate.plans});
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
    std::vector<size_t> order = ranked();
    order.resize(std::min(order.size(), parents));
    std::vector<Candidate> list;
    constexpr size_t mostTries = 64;
    for (size_t tries = 0; list.size() < generationSize && tries < mostTries && !order.empty();
         ++tries) {
      const Candidate &parent = candidates[order[random.below(order.size())]];
      Variant &variant = *variants[parent.variant];
      Candidate child{"varied " + std::to_string(candidates.size() + list.size()) + variant.name(),
                      parent.variant, parent.plans};
      if (variant.loops.empty())
        continue;
      size_t n = random.below(variant.loops.size());
      child.plans[n] = varied(variant, n, parent.plans[n]);
      if (!child.plans[n].empty() && known.insert({child.variant, child.plans}).second)
        list.push_back(std::move(child));
    }
    return list;
  }

  /// Of the accepted, the fastest first.
  std::vector<size_t> ranked() const {
    std::vector<size_t> order;
    for (auto [i, candidate] : llvm::enumerate(candidates))
      if (candidate.us > 0)
        order.push_back(i);
    llvm::sort(order, [&](size_t a, size_t b) {
      return std::pair(candidates[a].us, a) < std::pair(candidates[b].us, b);
    });
    return order;
  }

  std::string varied(Variant &variant, size_t loop, const std::string &plan) {
    if (std::optional<LoopBody> &body = variant.bodies[loop]) {
      BodyOrder order = plan.empty() ? body->asWritten() : llvm::cantFail(BodyOrder::parse(plan));
      std::optional<BodyOrder> other = variedOrder(order, *body, random);
      return other ? other->str() : "";
    }
    const std::string &text = plan.empty() ? planOf("auto", variant.loops[loop]) : plan;
    if (text.empty())
      return "";
    std::optional<SchedulePlan> other =
        variedPlan(llvm::cantFail(SchedulePlan::parse(text)), *variant.loops[loop].shape, random);
    return other ? other->str() : "";
  }

  //===------------------------------------------------------------------===//
  // Evaluation
  //===------------------------------------------------------------------===//

  PlanFile fileOf(size_t variant, const Plans &plans) const {
    PlanFile file;
    file.name = request.name;
    file.target = nameOf(request.compile.arch);
    file.model = modelVersion();
    file.layouts = variants[variant]->layouts;
    for (auto [loop, plan] : llvm::zip(variants[variant]->loops, plans))
      if (wave::KernelOp kernel = loop.kernel; !plan.empty())
        file.loops.push_back({kernel.getSymName().str(), loop.hash, plan, 0, 0});
    return file;
  }
  PlanFile fileOf(const Candidate &candidate) const {
    return fileOf(candidate.variant, candidate.plans);
  }

  static Measured outcomeOf(const rt::Result<double> &us) {
    Measured measured;
    measured.outcome.status = us ? TuneStatus::Ok : TuneStatus::CompileError;
    if (us)
      measured.outcome.us = *us;
    else
      measured.outcome.message = us.error().message;
    return measured;
  }

  unsigned atOnce() const {
    return request.atOnce ? request.atOnce : std::max(std::thread::hardware_concurrency(), 1u);
  }

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  bool isOver() const {
    return isInterrupted() || isTimeUp() || candidates.size() >= request.evaluations;
  }

  /// A guard against machines and programs on which the evaluations have no end, and no budget.
  bool isTimeUp() const { return seconds() > request.seconds; }

  /// Times the list, as many at once as there are cores, until the search is over. False where
  /// there was nothing.
  bool evaluate(std::vector<Candidate> list) {
    size_t first = candidates.size();
    if (list.size() > request.evaluations - first)
      list.resize(request.evaluations - first);
    if (list.empty())
      return false;
    for (Candidate &candidate : list) {
      trials.push_back({candidate.what, 0, "no result"});
      candidates.push_back(std::move(candidate));
    }
    size_t begun = time(first);
    candidates.resize(begun);
    trials.resize(begun);
    return true;
  }

  /// Times the candidates from `first` on, and beside the first ones of all what the strategies
  /// make, by the whole model. The number of candidates that were begun before time was up.
  size_t time(size_t first) {
    constexpr size_t whole = SIZE_MAX;
    std::vector<size_t> looks(candidates.size() - first);
    std::iota(looks.begin(), looks.end(), first);
    if (first == 0)
      looks.insert(looks.begin(), whole);
    size_t done = first, begun = candidates.size();
    measureAtOnce(
        looks, atOnce(), secondsOfOne,
        [&](size_t i) {
          if (i == whole)
            return outcomeOf(trial.timeOf(fileOf(candidates[0]), Clock::Whole));
          Measured measured;
          measured.outcome.message = notBegun;
          return i > 0 && isTimeUp() ? measured
                                     : outcomeOf(trial.timeOf(fileOf(candidates[i]), Clock::Quick));
        },
        [&](size_t i, TuneOutcome outcome) {
          if (i == whole) {
            before = outcome.status == TuneStatus::Ok ? outcome.us : 0;
            whyNot = outcome.message;
          } else if (outcome.message == notBegun) {
            begun = std::min(begun, i);
          } else {
            noteEnded(outcome);
            candidates[i].us = outcome.status == TuneStatus::Ok ? outcome.us : 0;
            trials[i].us = candidates[i].us;
            trials[i].reason = outcome.message;
            show(++done);
          }
        });
    return begun;
  }

  /// The fastest candidates that are faster than the strategies' plans.
  std::vector<size_t> finalistsOf() const {
    std::vector<size_t> best;
    for (size_t i : ranked())
      if (best.size() < finalists && candidates[i].us < candidates[0].us)
        best.push_back(i);
    return best;
  }

  /// Of some candidates the times by the whole model, the fastest first.
  std::vector<std::pair<double, size_t>> wholeTimes(const std::vector<size_t> &some) {
    std::vector<std::pair<double, size_t>> times;
    measureAtOnce(
        some, atOnce(), secondsOfOne,
        [&](size_t i) { return outcomeOf(trial.timeOf(fileOf(candidates[i]), Clock::Whole)); },
        [&](size_t i, TuneOutcome outcome) {
          noteEnded(outcome);
          if (outcome.status == TuneStatus::Ok)
            times.push_back({outcome.us, i});
        });
    llvm::sort(times);
    return times;
  }

  /// The first of the finalists that is faster than the strategies by the whole model too, and
  /// against which nothing speaks, and its time; where there is none, the strategies' plans.
  std::pair<double, size_t> winner() {
    for (auto [us, i] : wholeTimes(finalistsOf())) {
      if (us >= before || isInterrupted())
        break;
      trials[i].reason = reasonAgainst(candidates[i]);
      if (trials[i].reason.empty())
        return {us, i};
      trials[i].us = 0;
    }
    return {before, 0};
  }

  /// What speaks against a candidate that is faster than the strategies; "" where nothing does.
  std::string reasonAgainst(const Candidate &candidate) {
    constexpr size_t scales = std::size(otherLatencies), check = 2 * scales;
    std::vector<size_t> looks(check + 1);
    std::iota(looks.begin(), looks.end(), 0);
    std::vector<WithLatencies> times;
    for (double scale : otherLatencies)
      times.push_back({scale, 0, 0});
    std::string reason;
    measureAtOnce(
        looks, atOnce(), secondsOfOne,
        [&](size_t look) {
          if (look != check) // of the strategies first, then the candidate's
            return outcomeOf(trial.timeOf(fileOf(look < scales ? candidates[0] : candidate),
                                          Clock::Quick, otherLatencies[look % scales]));
          std::string difference = trial.differenceOf(fileOf(candidate));
          return outcomeOf(difference.empty() ? rt::Result<double>(0.0) : rt::Error{difference});
        },
        [&](size_t look, TuneOutcome outcome) {
          noteEnded(outcome);
          if (outcome.status != TuneStatus::Ok)
            reason = outcome.message;
          else if (look != check)
            (look < scales ? times[look].strategies : times[look - scales].found) = outcome.us;
        });
    return reason.empty() ? tilec::reasonAgainst(times) : reason;
  }

  void noteEnded(const TuneOutcome &outcome) { ended += outcome.status == TuneStatus::Timeout; }

  void show(size_t done) const {
    if (!request.progress)
      return;
    std::vector<size_t> order = ranked();
    std::string best = order.empty() ? "none yet"
                                     : llvm::formatv("best {0:f2} us ({1}), strategies {2:f2} us",
                                                     candidates[order[0]].us,
                                                     candidates[order[0]].what, candidates[0].us)
                                           .str();
    request.progress(llvm::formatv("searching plans: {0} of {1} tried, {2:f0} s, {3}", done,
                                   request.evaluations, seconds(), best));
  }

  rt::Result<ScheduleFound> finish() {
    if (before == 0 || candidates.empty() || candidates[0].us == 0)
      return rt::Error{"--schedule=search: the program as it is has no time in the model: " +
                       (before == 0      ? whyNot
                        : trials.empty() ? std::string("interrupted")
                                         : trials[0].reason)};
    bool wasTimeUp = isTimeUp(); // what has been tried is still looked at
    auto [after, best] = winner();
    ScheduleFound found;
    found.trials = trials;
    found.ended = ended;
    found.isTimeUp = ended != 0 || (wasTimeUp && candidates.size() < request.evaluations);
    found.before = before;
    found.after = after;
    found.plans = fileOf(candidates[best].variant, asText(candidates[best]));
    return found;
  }

  /// The plans of a candidate; where it has none, what `auto` takes, as text.
  Plans asText(const Candidate &candidate) const {
    Plans plans;
    const Variant &variant = *variants[candidate.variant];
    for (auto [n, loop] : llvm::enumerate(variant.loops))
      plans.push_back(!candidate.plans[n].empty() ? candidate.plans[n]
                      : loop.shape                ? planOf("auto", loop)
                                                  : variant.bodies[n]->asWritten().str());
    return plans;
  }

  const ScheduleSearchRequest &request;
  PlanRandom random;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  unsigned ended = 0; ///< looks at candidates that took longer than secondsOfOne
  double before = 0;  ///< microseconds of the strategies' plans
  std::string whyNot; ///< they have none
  PlanTrial trial;
  std::vector<std::unique_ptr<Variant>> variants; ///< the program as it is first
  std::vector<Candidate> candidates;
  std::vector<ScheduleTrial> trials;
  std::set<std::pair<size_t, Plans>> known;
};

} // namespace

rt::Result<ScheduleFound> searchSchedules(const ScheduleSearchRequest &request) {
  return Search(request).run();
}

} // namespace tilec
