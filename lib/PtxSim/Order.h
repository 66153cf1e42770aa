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

/// How an access touches its words.
enum class Touch : uint32_t {
  Whole,
  Part, ///< narrower than a word: the other bytes of it may be somebody else's
  Atomic,
};

/// One access: who, when by the agent's time, and how.
struct Epoch {
  static constexpr uint32_t agentBits = 10, touchBits = 2, clockBits = 20;
  static constexpr uint32_t mostClock = (1u << clockBits) - 1;
  uint32_t bits = 0;

  static Epoch make(uint32_t agent, uint32_t clock, Touch touch = Touch::Whole) {
    return {agent << (clockBits + touchBits) | uint32_t(touch) << clockBits |
            std::min(clock, mostClock)};
  }
  bool exists() const { return bits != 0; }
  uint32_t agent() const { return bits >> (clockBits + touchBits); }
  Touch touch() const { return Touch(bits >> clockBits & ((1u << touchBits) - 1)); }
  uint32_t clock() const { return bits & mostClock; }
  Epoch as(Touch touch) const { return make(agent(), clock(), touch); }
  bool operator==(const Epoch &) const = default;
};

inline Touch touchOf(unsigned bytes, bool isAtomic) {
  return isAtomic ? Touch::Atomic : bytes < 4 ? Touch::Part : Touch::Whole;
}

/// Whether two accesses of a word need an order, one of which writes. `hasSwaps`: of the program.
inline bool clash(Epoch a, Epoch b, bool bothWrite, bool hasSwaps) {
  Touch x = a.touch(), y = b.touch();
  if (x == Touch::Whole && y == Touch::Whole)
    return true;
  // Loops of compare-and-swap begin with a plain read, which may be old (LLVM's AtomicExpand).
  if (x == Touch::Whole || y == Touch::Whole)
    return bothWrite || !hasSwaps || (x != Touch::Atomic && y != Touch::Atomic);
  return false; // other bytes perhaps, or both atomic
}

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
