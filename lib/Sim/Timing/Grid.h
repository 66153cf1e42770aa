//===- Grid.h - where work-groups run, and for how long -------------------===//
//
// Work-group i goes to XCD i modulo 8, and there, in order, to the first CU that has a
// place. Groups on a CU share it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Recorder.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilec::sim {

struct Placement {
  uint64_t groups, cus, xcds, places;

  uint64_t activeCus() const { return std::min(groups, cus); }
  uint64_t resident() const { return std::min(groups, cus * places); }
  /// Work-groups of the first CU, in the order in which they run there, when all take as long.
  std::vector<uint64_t> onFirstCu(uint64_t atMost) const {
    std::vector<uint64_t> ids;
    for (uint64_t id = 0; id < groups && ids.size() < atMost; id += cus)
      ids.push_back(id);
    return ids;
  }
  uint64_t countOnFirstCu() const { return (groups + cus - 1) / cus; }
};

/// How much every work-group of a grid does.
struct GridWork {
  std::vector<GroupWork> of; ///< empty: each as much as `typical`
  GroupWork typical;
  uint64_t groups = 0;
  std::string assumed; ///< why work-groups were taken as equal without knowing

  bool isEqual() const { return of.empty(); }
  uint64_t instructions() const;
  uint64_t matrixPasses() const;
};

/// Work-groups that show whether all of a grid do the same: its corners and some between.
std::vector<uint64_t> sampleOfGrid(Dim3 grid);
/// Differences of this size are those of a mask or a branch, not of the number of rounds.
bool isAlike(const GroupWork &a, const GroupWork &b);

/// How long a work-group takes by its instructions, between those that were timed.
class Durations {
public:
  struct Point {
    double instructions;
    double alone;  ///< clocks of a group that has a CU for itself
    double shared; ///< clocks of a CU full of groups like it, a group
  };
  explicit Durations(std::vector<Point> points);
  Point at(double instructions) const;

private:
  std::vector<Point> points; ///< ascending
};

struct Dispatch {
  double clk = 0;               ///< until the last work-group ends
  std::vector<uint64_t> lastCu; ///< work-groups of the CU that ends last, in order
};
/// `startClk`: from the end of a group to the start of the next one in its place.
Dispatch dispatch(const Placement &placement,
                  llvm::function_ref<Durations::Point(uint64_t)> durationOf, double startClk);

} // namespace tilec::sim
