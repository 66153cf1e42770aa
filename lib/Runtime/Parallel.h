//===- Parallel.h - loops over large arrays on all cores ------------------===//
//
// Takes a count and a function of a range, calls it on all cores.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace tilec::rt {

/// Where to cut [0, count) for `parallelFor`: the ends of the parts, the last one `count`. Parts
/// are multiples of `step` long, and as many as there are cores, but none for less than
/// `worthwhile`.
inline std::vector<int64_t> partEnds(int64_t count, int64_t step, int64_t worthwhile) {
  int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  int64_t parts = std::clamp<int64_t>(count / std::max<int64_t>(worthwhile, 1), 1, cores);
  int64_t length = ((count + parts - 1) / parts + step - 1) / step * step;
  std::vector<int64_t> ends;
  for (int64_t end = length; end < count; end += length)
    ends.push_back(end);
  ends.push_back(count);
  return ends;
}

/// Calls `body(part, begin, end)` for all parts at once and returns when all are done.
template <typename Body> void parallelFor(const std::vector<int64_t> &ends, Body body) {
  std::vector<std::thread> running;
  for (size_t part = 1; part < ends.size(); ++part)
    running.emplace_back([&, part] { body(part, ends[part - 1], ends[part]); });
  body(0, 0, ends[0]);
  for (std::thread &thread : running)
    thread.join();
}

} // namespace tilec::rt
