//===- Order.h - what happens before what ---------------------------------===//
//
// Vector clocks over the agents of one cluster. A warp is an agent, and so is each
// kind of asynchronous work that it starts: what a warp knows of its own copies is
// what it has waited for. Lanes of one warp are not told apart.
//
// Beside the clock of what happened before, each carries the clock of what is visible
// to the asynchronous proxy: a proxy fence copies the first into the second (PTX ISA
// 9.0, "Causality order" and "Proxies").
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tilec::ptx {

/// The agents of a warp.
enum AgentKind : uint32_t {
  ThreadsAgent,   ///< its own loads and stores
  WgmmaAgent,     ///< of the warp group; that of its first warp
  BulkLoadAgent,  ///< TMA into shared memory
  BulkStoreAgent, ///< TMA out of shared memory
  CopyAgent,      ///< cp.async: generic proxy
  agentsPerWarp,
};

inline bool isAsyncProxy(uint32_t agent) {
  uint32_t kind = agent % agentsPerWarp;
  return kind == WgmmaAgent || kind == BulkLoadAgent || kind == BulkStoreAgent;
}

/// One access: who, and the agent's time. `isLoose`: narrower than a word, or an atomic: not
/// compared with other accesses of threads.
struct Epoch {
  static constexpr uint32_t agentBits = 10, clockBits = 21;
  uint32_t bits = 0;

  static Epoch make(uint32_t agent, uint32_t clock, bool isLoose = false) {
    return {agent << (clockBits + 1) | uint32_t(isLoose) << clockBits |
            std::min(clock, (1u << clockBits) - 1)};
  }
  bool exists() const { return bits != 0; }
  uint32_t agent() const { return bits >> (clockBits + 1); }
  bool isLoose() const { return bits >> clockBits & 1; }
  uint32_t clock() const { return bits & ((1u << clockBits) - 1); }
  bool operator==(const Epoch &) const = default;
};

struct Clock {
  std::vector<uint32_t> before;  ///< by agent: the last time that is known to be over
  std::vector<uint32_t> visible; ///< the same, to the asynchronous proxy

  explicit Clock(size_t agents = 0) : before(agents), visible(agents) {}

  void join(const Clock &other) {
    if (before.size() < other.before.size()) {
      before.resize(other.before.size());
      visible.resize(other.before.size());
    }
    for (size_t i = 0; i < other.before.size(); ++i) {
      before[i] = std::max(before[i], other.before[i]);
      visible[i] = std::max(visible[i], other.visible[i]);
    }
  }
  bool knows(Epoch e) const { return e.clock() <= before[e.agent()]; }
  bool sees(Epoch e) const { return e.clock() <= visible[e.agent()]; }
  void clear() {
    std::fill(before.begin(), before.end(), 0);
    std::fill(visible.begin(), visible.end(), 0);
  }
};

} // namespace tilec::ptx
