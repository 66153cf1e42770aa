//===- Reporter.h - collecting findings -----------------------------------===//
//
// Takes findings, keeps one for each instruction and kind with a count, and gives them with the
// result.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Sim/Simulator.h"

#include <atomic>
#include <map>
#include <mutex>

namespace tilec::sim {

/// Thread-safe. One finding for each instruction, kind and class; repetitions are counted. Kinds
/// and classes take no room from each other: lints hide no error.
class Reporter {
public:
  explicit Reporter(uint32_t maxFindings) : maxFindings(maxFindings) {}
  void add(Finding finding);
  bool stopped() const { return stop.load(std::memory_order_relaxed); }
  void requestStop() { stop.store(true, std::memory_order_relaxed); }
  /// Whether a finding of this instruction and kind exists; counts the repetition if so.
  bool countAgain(CheckKind kind, FindingClass cls, uint64_t address);
  void moveTo(RunResult &result);
  /// Adds what an instruction of a finished work-group cost.
  void addLdsUse(uint32_t pc, const LdsUse &use);
  std::map<uint32_t, LdsUse> ldsUse; ///< by program counter

private:
  using Kind = std::pair<CheckKind, FindingClass>;

  uint32_t maxFindings; ///< of a kind
  std::atomic<bool> stop = false;
  std::mutex mutex;
  std::map<std::pair<uint64_t, Kind>, size_t> known;
  std::map<Kind, uint32_t> kept;
  std::vector<Finding> findings;
  uint64_t dropped = 0, errorsDropped = 0;
};

} // namespace tilec::sim
