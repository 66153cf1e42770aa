//===- VaryPlan.cpp - plans near another one ------------------------------===//
//
// Changes are made to the body for one tile, seen as a ring: a step that leaves it at
// one end comes in at the other, for the tile before or after. What they make is
// mostly illegal, which `checkSchedule` tells in a fraction of what a compilation takes.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Transforms/VaryPlan.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace tilec {

SchedulePlan shortestPeriod(const SchedulePlan &plan) {
  for (int64_t times = plan.tilesPerRound; times > 1; --times) {
    if (plan.tilesPerRound % times != 0 || plan.body.size() % times != 0)
      continue;
    SchedulePlan part = plan;
    part.tilesPerRound /= times;
    part.body.resize(plan.body.size() / times);
    if (part.repeated(times) == plan)
      return part;
  }
  return plan;
}

namespace {

/// The farthest that a step is moved at once, as a part of the body.
constexpr size_t farthest = 4;
constexpr size_t mostChanges = 4, mostTries = 24;

using Body = std::vector<ScheduleStep>;

/// Places of the steps that `wanted` takes.
template <typename Predicate> std::vector<size_t> placesOf(const Body &body, Predicate wanted) {
  std::vector<size_t> places;
  for (auto [at, step] : llvm::enumerate(body))
    if (wanted(step))
      places.push_back(at);
  return places;
}

/// Moves the step at `from` by `by` places around the ring of a body for `tiles` tiles.
void moveStep(Body &body, size_t from, int64_t by, int64_t tiles) {
  ScheduleStep step = body[from];
  body.erase(body.begin() + static_cast<int64_t>(from));
  int64_t size = static_cast<int64_t>(body.size()), to = static_cast<int64_t>(from) + by;
  int64_t rounds = to < 0 ? 1 : to > size ? -1 : 0;
  to += rounds * size;
  if (step.isWork()) // a round before it works for a later tile of that one
    step.tile += rounds * tiles;
  body.insert(body.begin() + std::clamp<int64_t>(to, 0, size), step);
}

int64_t distance(const Body &body, PlanRandom &random) {
  int64_t by = 1 + static_cast<int64_t>(random.below(std::max<size_t>(body.size() / farthest, 1)));
  return random.below(2) ? by : -by;
}

/// One copy or read elsewhere.
bool moveMemory(SchedulePlan &plan, PlanRandom &random) {
  bool copies = random.below(2) == 0;
  std::vector<size_t> places = placesOf(plan.body, [&](const ScheduleStep &step) {
    return step.kind == (copies ? ScheduleStep::Dma : ScheduleStep::Read);
  });
  if (places.empty())
    return false;
  moveStep(plan.body, places[random.below(places.size())], distance(plan.body, random),
           plan.tilesPerRound);
  return true;
}

/// All copies, or all reads of one operand, by the same few places.
bool moveGroup(SchedulePlan &plan, PlanRandom &random) {
  bool copies = random.below(2) == 0;
  MmaOperand operand = random.below(2) ? MmaOperand::A : MmaOperand::B;
  int64_t by = distance(plan.body, random) / 2;
  auto wanted = [&](const ScheduleStep &step) {
    return step.kind == (copies ? ScheduleStep::Dma : ScheduleStep::Read) &&
           step.operand == operand;
  };
  std::vector<size_t> places = placesOf(plan.body, wanted);
  if (places.empty() || by == 0)
    return false;
  // From the end that they move to, so that none passes another.
  if (by > 0)
    std::reverse(places.begin(), places.end());
  for (size_t place : places)
    moveStep(plan.body, place, by, plan.tilesPerRound);
  return true;
}

/// A barrier with the wait in front of it, or a wait alone.
bool moveWait(SchedulePlan &plan, PlanRandom &random) {
  std::vector<size_t> places = placesOf(plan.body, [](const ScheduleStep &step) {
    return step.kind == ScheduleStep::Barrier || step.kind == ScheduleStep::Wait;
  });
  if (places.empty())
    return false;
  size_t at = places[random.below(places.size())];
  int64_t by = distance(plan.body, random) / 2;
  bool isPair = plan.body[at].kind == ScheduleStep::Barrier && at > 0 &&
                plan.body[at - 1].kind == ScheduleStep::Wait;
  int64_t to = static_cast<int64_t>(at) + by;
  if (by == 0 || to < 1 || to >= static_cast<int64_t>(plan.body.size()))
    return false;
  if (!isPair) {
    moveStep(plan.body, at, by, plan.tilesPerRound);
    return true;
  }
  Body pair(plan.body.begin() + static_cast<int64_t>(at) - 1,
            plan.body.begin() + static_cast<int64_t>(at) + 1);
  plan.body.erase(plan.body.begin() + static_cast<int64_t>(at) - 1,
                  plan.body.begin() + static_cast<int64_t>(at) + 1);
  to = std::clamp<int64_t>(to - 1, 0, static_cast<int64_t>(plan.body.size()));
  plan.body.insert(plan.body.begin() + to, pair.begin(), pair.end());
  return true;
}

/// Priority 1 for a run of steps; where there are priorities already, mostly one level less.
bool changePriority(SchedulePlan &plan, PlanRandom &random) {
  std::vector<size_t> places = placesOf(
      plan.body, [](const ScheduleStep &step) { return step.kind == ScheduleStep::Priority; });
  if (!places.empty() && random.below(3) != 0) {
    if (random.below(2)) {
      llvm::erase_if(plan.body,
                     [](const ScheduleStep &s) { return s.kind == ScheduleStep::Priority; });
      return true;
    }
    moveStep(plan.body, places[random.below(places.size())], distance(plan.body, random) / 4,
             plan.tilesPerRound);
    return true;
  }
  size_t first = random.below(plan.body.size()), last = random.below(plan.body.size());
  if (first > last)
    std::swap(first, last);
  plan.body.insert(plan.body.begin() + static_cast<int64_t>(last), ScheduleStep::priority(0));
  plan.body.insert(plan.body.begin() + static_cast<int64_t>(first), ScheduleStep::priority(1));
  return true;
}

/// The matrix instructions between two other kinds of steps keep their places and change their
/// order: by columns instead of rows, or back and forth, so that neighbours share an operand.
bool reorderMmas(SchedulePlan &plan, PlanRandom &random) {
  std::vector<size_t> places =
      placesOf(plan.body, [](const ScheduleStep &step) { return step.kind == ScheduleStep::Mma; });
  if (places.size() < 4)
    return false;
  size_t half = random.below(3); // 0: all, 1: the first half, 2: the second
  size_t begin = half == 2 ? places.size() / 2 : 0;
  size_t end = half == 1 ? places.size() / 2 : places.size();
  Body steps;
  for (size_t n = begin; n < end; ++n)
    steps.push_back(plan.body[places[n]]);
  size_t form = random.below(3);
  llvm::sort(steps, [&](const ScheduleStep &a, const ScheduleStep &b) {
    auto key = [&](const ScheduleStep &s) {
      int64_t outer = form == 1 ? s.j : s.i, inner = form == 1 ? s.i : s.j;
      return std::tuple(s.tile, s.k, outer, form == 2 && outer % 2 != 0 ? -inner : inner);
    };
    return key(a) < key(b);
  });
  for (size_t n = begin; n < end; ++n)
    plan.body[places[n]] = steps[n - begin];
  return true;
}

/// The second half of the waves so many barriers behind the first.
bool changePhase(SchedulePlan &plan, const ScheduleShape &shape, PlanRandom &random) {
  constexpr size_t mostBarriers = 3;
  if (shape.waves < 2)
    return false;
  plan.stagger = int64_t(random.below(mostBarriers + 1));
  return true;
}

bool change(SchedulePlan &plan, const ScheduleShape &shape, PlanRandom &random) {
  switch (random.below(9)) {
  case 0:
  case 1:
  case 2:
    return moveMemory(plan, random);
  case 3:
  case 4:
    return moveGroup(plan, random);
  case 5:
    return moveWait(plan, random);
  case 6:
    return changePriority(plan, random);
  case 7:
    return changePhase(plan, shape, random);
  default:
    return reorderMmas(plan, random);
  }
}

} // namespace

std::optional<SchedulePlan> variedPlan(const SchedulePlan &plan, const ScheduleShape &shape,
                                       PlanRandom &random) {
  SchedulePlan whole = shortestPeriod(plan);
  int64_t times = plan.tilesPerRound / whole.tilesPerRound;
  for (size_t n = 0; n < mostTries; ++n) {
    SchedulePlan tried = whole;
    tried.strategy = "found";
    size_t changes = 1 + random.below(mostChanges);
    for (size_t c = 0; c < changes; ++c)
      change(tried, shape, random);
    bool isOfPast = llvm::any_of(
        tried.body, [](const ScheduleStep &step) { return step.isWork() && step.tile < 0; });
    if (isOfPast || (tried.body == whole.body && tried.stagger == whole.stagger))
      continue;
    tried = tried.repeated(times);
    if (llvm::Error error = checkSchedule(tried, shape))
      llvm::consumeError(std::move(error));
    else
      return tried;
  }
  return std::nullopt;
}

} // namespace tilec
