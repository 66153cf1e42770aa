//===- StageWatch.h - says which stage of a long compile is running -------===//
//
// Is told which stage begins, and prints a line when a compile takes longer than its patience.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/FunctionExtras.h"
#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace tilec {

/// While it lives, a compile in this thread that takes longer than `patience` says so: one line
/// that names the stage which is running, and one for each later stage that takes as long by
/// itself. A compile that is faster says nothing.
class StageWatch {
public:
  /// `say` is called from another thread. Without one lines go to stderr, as `tool: ...`. No
  /// patience at all: nothing is said.
  explicit StageWatch(llvm::StringRef tool, std::chrono::milliseconds patience = usualPatience(),
                      llvm::unique_function<void(llvm::StringRef)> say = nullptr);
  ~StageWatch();
  StageWatch(const StageWatch &) = delete;

  /// 2 s, or the seconds that TILEC_PATIENCE says: 0 where nobody is to be told, as in tests.
  static std::chrono::milliseconds usualPatience();

  /// The stage that begins now; nothing where no watch lives in this thread.
  static void enter(llvm::StringRef stage);

private:
  using Clock = std::chrono::steady_clock;
  void watch();

  std::string tool, stage;
  std::chrono::milliseconds patience;
  llvm::unique_function<void(llvm::StringRef)> say;
  Clock::time_point start = Clock::now(), entered = start;
  bool isSaid = false, hasSaid = false, isOver = false; ///< of this stage; anything; the compile
  std::mutex mutex;
  std::condition_variable changed;
  StageWatch *outer;
  std::thread thread;
};

} // namespace tilec
