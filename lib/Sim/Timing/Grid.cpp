//===- Grid.cpp - where work-groups run, and for how long -----------------===//
//
// Takes how long work-groups take beside how many others, gives the time of the whole grid.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Grid.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <set>

namespace tilec::sim {
namespace {

constexpr uint64_t sampleGroups = 512;

template <class Field> uint64_t sumOf(const GridWork &work, Field field) {
  if (work.isEqual())
    return work.typical.*field * work.groups;
  uint64_t sum = 0;
  for (const GroupWork &group : work.of)
    sum += group.*field;
  return sum;
}

/// A CU and the groups that share it. A group asks for a part of what the CU can do: shared /
/// alone. While all ask for more than there is, each gets less in proportion.
struct SharedCu {
  struct Resident {
    double left;  ///< clocks, were it alone
    double asked; ///< part of the CU
  };
  std::vector<Resident> residents;
  std::vector<uint64_t> all;
  double now = 0;
  uint64_t version = 0; ///< counts changes, so that old events are known

  double rate() const {
    double asked = 0;
    for (const Resident &resident : residents)
      asked += resident.asked;
    return asked > 1 ? 1 / asked : 1;
  }
  void advance(double to) {
    double done = (to - now) * rate();
    for (Resident &resident : residents)
      resident.left -= done;
    now = to;
  }
  std::vector<Resident>::iterator first() {
    return std::min_element(residents.begin(), residents.end(),
                            [](auto &a, auto &b) { return a.left < b.left; });
  }
};

} // namespace

uint64_t GridWork::instructions() const { return sumOf(*this, &GroupWork::instructions); }
uint64_t GridWork::matrixPasses() const { return sumOf(*this, &GroupWork::matrixPasses); }

std::vector<uint64_t> sampleOfGrid(Dim3 grid) {
  uint64_t groups = static_cast<uint64_t>(grid[0]) * grid[1] * grid[2];
  std::set<uint64_t> ids;
  if (groups <= 2 * sampleGroups) {
    for (uint64_t id = 0; id < groups; ++id)
      ids.insert(id);
    return {ids.begin(), ids.end()};
  }
  for (unsigned corner = 0; corner < 8; ++corner) {
    uint64_t at[3];
    for (unsigned i = 0; i < 3; ++i)
      at[i] = corner >> i & 1 ? grid[i] - 1 : 0;
    ids.insert((at[2] * grid[1] + at[1]) * grid[0] + at[0]);
  }
  uint64_t state = groups; // a Weyl sequence through the finaliser of MurmurHash3
  while (ids.size() < sampleGroups) {
    uint64_t bits = state += 0x9e3779b97f4a7c15ull;
    bits = (bits ^ bits >> 33) * 0xff51afd7ed558ccdull;
    bits = (bits ^ bits >> 33) * 0xc4ceb9fe1a85ec53ull;
    ids.insert((bits ^ bits >> 33) % groups);
  }
  return {ids.begin(), ids.end()};
}

bool isAlike(const GroupWork &a, const GroupWork &b) {
  constexpr double tolerance = 0.03;
  auto near = [](uint64_t x, uint64_t y) {
    return static_cast<double>(std::max(x, y)) <=
           (1 + tolerance) * static_cast<double>(std::min(x, y));
  };
  return near(a.instructions, b.instructions) && near(a.matrixPasses, b.matrixPasses);
}

Durations::Durations(std::vector<Point> given) : points(std::move(given)) {
  std::sort(points.begin(), points.end(),
            [](auto &a, auto &b) { return a.instructions < b.instructions; });
}

Durations::Point Durations::at(double instructions) const {
  auto above = std::find_if(points.begin(), points.end(),
                            [&](const Point &p) { return p.instructions >= instructions; });
  if (above == points.begin() || above == points.end()) {
    const Point &end = above == points.end() ? points.back() : *above;
    double part = instructions / end.instructions;
    return {instructions, end.alone * part, end.shared * part};
  }
  const Point &low = above[-1];
  double part = (instructions - low.instructions) / (above->instructions - low.instructions);
  return {instructions, low.alone + part * (above->alone - low.alone),
          low.shared + part * (above->shared - low.shared)};
}

Dispatch dispatch(const Placement &placement,
                  llvm::function_ref<Durations::Point(uint64_t)> durationOf, double startClk) {
  struct Event {
    double clk;
    uint64_t cu, version;
    bool operator>(const Event &other) const {
      return clk != other.clk ? clk > other.clk : cu > other.cu;
    }
  };
  std::vector<SharedCu> cus(placement.cus);
  std::vector<uint64_t> nextOf(placement.xcds); // work-group of the XCD's queue
  for (uint64_t xcd = 0; xcd < placement.xcds; ++xcd)
    nextOf[xcd] = xcd;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  auto announce = [&](uint64_t cu) {
    SharedCu &unit = cus[cu];
    ++unit.version;
    if (!unit.residents.empty())
      events.push({unit.now + std::max(0.0, unit.first()->left) / unit.rate(), cu, unit.version});
  };
  auto start = [&](uint64_t cu, double wait) {
    uint64_t &next = nextOf[cu % placement.xcds];
    if (next >= placement.groups)
      return;
    Durations::Point duration = durationOf(next);
    cus[cu].residents.push_back({wait + duration.alone, duration.shared / duration.alone});
    cus[cu].all.push_back(next);
    next += placement.xcds;
  };
  for (uint64_t place = 0; place < placement.places; ++place)
    for (uint64_t cu = 0; cu < placement.cus; ++cu)
      start(cu, 0);
  for (uint64_t cu = 0; cu < placement.cus; ++cu)
    announce(cu);
  Dispatch result;
  uint64_t last = 0;
  while (!events.empty()) {
    Event event = events.top();
    events.pop();
    SharedCu &unit = cus[event.cu];
    if (event.version != unit.version)
      continue;
    unit.advance(event.clk);
    unit.residents.erase(unit.first());
    result.clk = event.clk;
    last = event.cu;
    start(event.cu, startClk);
    announce(event.cu);
  }
  result.lastCu = std::move(cus[last].all);
  return result;
}

} // namespace tilec::sim
