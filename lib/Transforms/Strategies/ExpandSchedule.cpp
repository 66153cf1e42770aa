//===- ExpandSchedule.cpp - prologue, tail and waits of a plan ------------===//
//
// Rounds ..., -1, 0, 1, ... are the body with tiles moved on; steps whose tile does
// not exist are left out. What remains of the rounds before 0 is the prologue, of
// those that lack a step at the end, the tail. All rules are checked, and waits
// counted, on this straight line; of many equal rounds three stand for all.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Transforms/SchedulePlan.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>

namespace tilec {
namespace {

struct Placed {
  ScheduleStep step; ///< tile from the first of the loop
  int64_t round = 0;
};

class Expansion {
public:
  Expansion(const SchedulePlan &plan, const ScheduleShape &shape) : plan(plan), shape(shape) {}

  llvm::Expected<ExpandedSchedule> run(int64_t tiles);

private:
  using Key = std::array<int64_t, 4>; ///< operand, index, K step, tile

  llvm::Error checkBody();
  void lay(int64_t tiles);
  void index();
  llvm::Error checkMma(size_t at);
  llvm::Error coverRead(size_t at);
  llvm::Error checkDma(size_t at);
  llvm::Error countWait(size_t at);
  /// The first place by which the value that the read at `at` fetches has arrived.
  size_t completionOf(size_t at) const;
  int64_t barriersBetween(size_t from, size_t to) const {
    return barriersBefore[to] - barriersBefore[from];
  }
  llvm::Error broken(const ScheduleStep &step, const llvm::Twine &what) const {
    return llvm::createStringError("schedule `" + plan.strategy + "`: `" + step.name() +
                                   "` of tile " + llvm::Twine(step.tile) + " " + what);
  }

  const SchedulePlan &plan;
  const ScheduleShape &shape;
  std::vector<Placed> line;
  int64_t rounds = 0, shownRounds = 0;
  std::map<Key, size_t> dmaAt, readAt;
  std::vector<int64_t> barriersBefore, dmasBefore, readsBefore;
  std::vector<size_t> waitAt, completions, waitedFor;
  std::vector<int64_t> needed; ///< for each wait: one past the last copy that must have landed
};

llvm::Error Expansion::checkBody() {
  if (plan.tilesPerRound % shape.slots != 0)
    return llvm::createStringError(
        "schedule `" + plan.strategy + "`: a round has " + llvm::Twine(plan.tilesPerRound) +
        " K tiles, which is no multiple of the " + llvm::Twine(shape.slots) + " slots");
  std::map<std::pair<std::string, int64_t>, int64_t> times;
  for (const ScheduleStep &step : plan.body) {
    bool isWait = step.kind == ScheduleStep::Wait;
    if (isWait && (step.vm > shape.mostOpen || step.lgkm > shape.mostOpenReads))
      return broken(step, "leaves more in flight than the target counts");
    if (step.kind == ScheduleStep::Priority && step.i > shape.mostPriority)
      return broken(step,
                    "is above the target's highest priority, " + llvm::Twine(shape.mostPriority));
    if (!step.isWork())
      continue;
    int64_t reps = step.kind == ScheduleStep::Dma    ? shape.dmas[static_cast<int>(step.operand)]
                   : step.kind == ScheduleStep::Read ? shape.reps(step.operand)
                                                     : shape.repsM;
    int64_t alongK = step.kind == ScheduleStep::Dma    ? 1
                     : step.kind == ScheduleStep::Read ? shape.readsAlongK()
                                                       : shape.kSteps;
    bool exists = step.i < reps && step.k < alongK &&
                  (step.kind != ScheduleStep::Mma || step.j < shape.repsN);
    if (!exists)
      return broken(step, "does not exist in this loop");
    if (++times[{step.name(), step.tile % plan.tilesPerRound}] > 1)
      return broken(step, "is there twice");
  }
  int64_t perTile = shape.dmasPerTile() + shape.readsPerTile() + shape.mmasPerTile();
  if (int64_t(times.size()) != perTile * plan.tilesPerRound)
    return llvm::createStringError("schedule `" + plan.strategy + "`: has " +
                                   llvm::Twine(times.size()) + " of " +
                                   llvm::Twine(perTile * plan.tilesPerRound) + " steps of a round");
  return llvm::Error::success();
}

void Expansion::lay(int64_t tiles) {
  int64_t perRound = plan.tilesPerRound, ahead = plan.lookahead();
  rounds = tiles > ahead ? (tiles - 1 - ahead) / perRound + 1 : 0;
  // Three rounds behave like any number.
  shownRounds = std::min<int64_t>(rounds, 3);
  int64_t shown = tiles - (rounds - shownRounds) * perRound;
  for (int64_t round = -(ahead / perRound); round * perRound < shown; ++round)
    for (const ScheduleStep &step : plan.body) {
      Placed placed{step, round};
      if (step.isWork()) {
        placed.step.tile += round * perRound;
        if (placed.step.tile < 0 || placed.step.tile >= shown)
          continue;
      }
      line.push_back(placed);
    }
}

void Expansion::index() {
  int64_t barriers = 0, dmas = 0, reads = 0;
  for (auto [at, placed] : llvm::enumerate(line)) {
    const ScheduleStep &step = placed.step;
    barriersBefore.push_back(barriers);
    dmasBefore.push_back(dmas);
    readsBefore.push_back(reads);
    Key key = {static_cast<int64_t>(step.operand), step.i, step.k, step.tile};
    if (step.kind == ScheduleStep::Dma)
      dmaAt[key] = at, ++dmas;
    else if (step.kind == ScheduleStep::Read)
      readAt[key] = at, ++reads;
    else if (step.kind == ScheduleStep::Barrier)
      ++barriers;
    else if (step.kind == ScheduleStep::Wait)
      waitAt.push_back(at);
  }
  barriersBefore.push_back(barriers);
  dmasBefore.push_back(dmas);
  readsBefore.push_back(reads);
  needed.assign(line.size(), 0);
  // Reads have arrived where a matrix instruction takes them, or where a wait says so.
  completions.assign(line.size(), line.size());
  for (auto [at, placed] : llvm::enumerate(line)) {
    const ScheduleStep &step = placed.step;
    if (step.kind != ScheduleStep::Mma)
      continue;
    int64_t k = step.k / shape.kStepsPerRead;
    for (MmaOperand operand : {MmaOperand::A, MmaOperand::B}) {
      auto [first, end] = shape.groupOf(operand, operand == MmaOperand::A ? step.i : step.j);
      for (int64_t rep = first; rep < end; ++rep) {
        auto read = readAt.find({static_cast<int64_t>(operand), rep, k, step.tile});
        if (read != readAt.end() && read->second < at)
          completions[read->second] = std::min(completions[read->second], at);
      }
    }
  }
  waitedFor.assign(line.size(), line.size());
  for (size_t wait : waitAt) {
    int64_t lgkm = line[wait].step.lgkm;
    if (lgkm == ScheduleStep::noCount)
      continue;
    for (size_t at = 0; at < wait; ++at)
      if (line[at].step.kind == ScheduleStep::Read && readsBefore[wait] - readsBefore[at] > lgkm) {
        completions[at] = std::min(completions[at], wait);
        waitedFor[at] = std::min(waitedFor[at], wait);
      }
  }
}

size_t Expansion::completionOf(size_t at) const { return completions[at]; }

llvm::Error Expansion::checkMma(size_t at) {
  const ScheduleStep &step = line[at].step;
  int64_t k = step.k / shape.kStepsPerRead;
  for (MmaOperand operand : {MmaOperand::A, MmaOperand::B}) {
    auto [first, end] = shape.groupOf(operand, operand == MmaOperand::A ? step.i : step.j);
    for (int64_t rep = first; rep < end; ++rep) {
      std::string name = ScheduleStep::read(operand, rep, k, step.tile).name();
      auto read = readAt.find({static_cast<int64_t>(operand), rep, k, step.tile});
      if (read == readAt.end() || read->second > at)
        return broken(step, "comes before `" + name + "`");
      if (!plan.autoLgkm && waitedFor[read->second] > at)
        return broken(step,
                      "follows `" + name +
                          "` without a `wait lgkm` for it, and the schedule is not `lgkm auto`");
    }
  }
  return llvm::Error::success();
}

llvm::Error Expansion::coverRead(size_t at) {
  const ScheduleStep &step = line[at].step;
  uint64_t copies = shape.covers(step.operand, step.i, step.k);
  int64_t last = 0; // one past the last copy, in order of issue
  for (int64_t d = 0; d < shape.dmas[static_cast<int>(step.operand)]; ++d) {
    if (!((copies >> d) & 1))
      continue;
    auto dma = dmaAt.find({static_cast<int64_t>(step.operand), d, 0, step.tile});
    if (dma == dmaAt.end() || dma->second > at)
      return broken(step, "comes before `" + ScheduleStep::dma(step.operand, d, 0).name() + "`");
    last = std::max(last, dmasBefore[dma->second] + 1);
  }
  // The latest wait that all waves have passed when this wave reads.
  for (size_t wait : llvm::reverse(waitAt)) {
    if (wait > at || line[wait].step.vm == ScheduleStep::noCount ||
        barriersBetween(wait, at) < 1 + plan.stagger)
      continue;
    if (dmasBefore[wait] < last)
      break;
    needed[wait] = std::max(needed[wait], last);
    return llvm::Error::success();
  }
  return broken(step, "has no `wait vm` and barrier between it and its copies");
}

llvm::Error Expansion::checkDma(size_t at) {
  const ScheduleStep &step = line[at].step;
  int64_t old = step.tile - shape.slots;
  if (old < 0)
    return llvm::Error::success();
  for (int64_t rep = 0; rep < shape.reps(step.operand); ++rep)
    for (int64_t k = 0; k < shape.readsAlongK(); ++k) {
      if (!((shape.covers(step.operand, rep, k) >> step.i) & 1))
        continue;
      auto read = readAt.find({static_cast<int64_t>(step.operand), rep, k, old});
      std::string name = ScheduleStep::read(step.operand, rep, k, 0).name();
      if (read == readAt.end() || read->second > at)
        return broken(step, "overwrites what `" + name + "` of tile " + llvm::Twine(old) +
                                " has not read yet");
      size_t done = completionOf(read->second);
      if (done >= at || barriersBetween(done, at) < 1 + plan.stagger)
        return broken(step, "follows `" + name + "` of tile " + llvm::Twine(old) +
                                " without a barrier behind its arrival");
    }
  return llvm::Error::success();
}

llvm::Error Expansion::countWait(size_t at) {
  ScheduleStep &step = line[at].step;
  if (step.vm == ScheduleStep::noCount)
    return llvm::Error::success();
  if (!needed[at]) {
    if (step.vm == ScheduleStep::autoCount)
      step.vm = ScheduleStep::noCount;
    return llvm::Error::success();
  }
  int64_t open = std::min<int64_t>(dmasBefore[at] - needed[at], shape.mostOpen);
  if (step.vm == ScheduleStep::autoCount)
    step.vm = open;
  else if (step.vm > open)
    return broken(step, "is too weak: vm(" + llvm::Twine(open) + ") is needed");
  return llvm::Error::success();
}

llvm::Expected<ExpandedSchedule> Expansion::run(int64_t tiles) {
  if (llvm::Error error = checkBody())
    return error;
  lay(tiles);
  index();
  using Check = llvm::Error (Expansion::*)(size_t);
  for (auto [kind, check] :
       {std::pair<ScheduleStep::Kind, Check>{ScheduleStep::Mma, &Expansion::checkMma},
        {ScheduleStep::Read, &Expansion::coverRead},
        {ScheduleStep::Dma, &Expansion::checkDma},
        {ScheduleStep::Wait, &Expansion::countWait}})
    for (size_t at = 0; at < line.size(); ++at)
      if (line[at].step.kind == kind)
        if (llvm::Error error = (this->*check)(at))
          return error;

  ExpandedSchedule result;
  result.rounds = rounds;
  bool hasRead = false; // before the first wait for a read nothing has to be in step
  size_t inRound = 0;
  int64_t currentRound = 0;
  for (const Placed &placed : line) {
    ScheduleStep step = placed.step;
    bool isEmptyWait = step.kind == ScheduleStep::Wait && step.vm == ScheduleStep::noCount &&
                       step.lgkm == ScheduleStep::noCount;
    if (placed.round < 0) {
      hasRead |= step.kind == ScheduleStep::Wait && step.vm != ScheduleStep::noCount;
      bool isIdle = !step.isWork() && step.kind != ScheduleStep::Mark && !hasRead;
      if (!isEmptyWait && !isIdle && step.kind != ScheduleStep::Priority)
        result.prologue.push_back(step);
      continue;
    }
    if (placed.round < shownRounds) {
      if (placed.round != currentRound)
        inRound = 0, currentRound = placed.round;
      if (step.isWork())
        step.tile -= placed.round * plan.tilesPerRound;
      // Waits that differ between rounds take the strictest count.
      if (placed.round == 0)
        result.body.push_back(step);
      else if (step.kind == ScheduleStep::Wait && step.vm != ScheduleStep::noCount) {
        int64_t &vm = result.body[inRound].vm;
        vm = vm == ScheduleStep::noCount ? step.vm : std::min(vm, step.vm);
      }
      ++inRound;
      continue;
    }
    if (step.isWork())
      step.tile -= shownRounds * plan.tilesPerRound;
    if (!isEmptyWait)
      result.tail.push_back(step);
  }
  llvm::erase_if(result.body, [](const ScheduleStep &step) {
    return step.kind == ScheduleStep::Wait && step.vm == ScheduleStep::noCount &&
           step.lgkm == ScheduleStep::noCount;
  });
  // Behind the last matrix instruction nothing is left to order.
  while (!result.tail.empty() && !result.tail.back().isWork() &&
         result.tail.back().kind != ScheduleStep::Priority && plan.stagger == 0)
    result.tail.pop_back();
  return result;
}

} // namespace

llvm::Expected<ExpandedSchedule> expandSchedule(const SchedulePlan &plan,
                                                const ScheduleShape &shape, int64_t tiles) {
  return Expansion(plan, shape).run(tiles);
}

/// Waits become the stricter ones of both; false where other steps differ.
static bool takeStricter(std::vector<ScheduleStep> &steps, const std::vector<ScheduleStep> &other) {
  if (steps.size() != other.size())
    return false;
  for (auto [step, with] : llvm::zip(steps, other)) {
    int64_t vm = with.vm == ScheduleStep::noCount   ? step.vm
                 : step.vm == ScheduleStep::noCount ? with.vm
                                                    : std::min(step.vm, with.vm);
    step.vm = with.vm;
    if (!(step == with))
      return false;
    step.vm = vm;
  }
  return true;
}

llvm::Expected<RuntimeSchedule> expandForRuntime(const SchedulePlan &plan,
                                                 const ScheduleShape &shape) {
  constexpr int64_t mostRounds = 3; // which behave like any number
  RuntimeSchedule result;
  result.fewest = plan.lookahead() + 1;
  for (int64_t left = 0; left < plan.tilesPerRound; ++left)
    for (int64_t rounds = 1; rounds <= mostRounds; ++rounds) {
      int64_t tiles = result.fewest + left + (rounds - 1) * plan.tilesPerRound;
      llvm::Expected<ExpandedSchedule> one = expandSchedule(plan, shape, tiles);
      if (!one)
        return one.takeError();
      bool isFirst = left == 0 && rounds == 1;
      if (isFirst) {
        result.prologue = one->prologue;
        result.body = one->body;
      }
      if (rounds == 1)
        result.tails.push_back(one->tail);
      if (one->rounds != rounds || !takeStricter(result.prologue, one->prologue) ||
          !takeStricter(result.body, one->body) || !takeStricter(result.tails.back(), one->tail))
        return llvm::createStringError("schedule `" + plan.strategy +
                                       "`: its steps depend on the number of K tiles");
    }
  return result;
}

llvm::Error checkSchedule(const SchedulePlan &plan, const ScheduleShape &shape) {
  int64_t most = plan.lookahead() + 3 * plan.tilesPerRound;
  for (int64_t tiles = 1; tiles <= most; ++tiles) {
    llvm::Expected<ExpandedSchedule> expanded = expandSchedule(plan, shape, tiles);
    if (!expanded)
      return expanded.takeError();
  }
  return llvm::Error::success();
}

} // namespace tilec
