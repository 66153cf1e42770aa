//===- Coroutine.h - code that waits and goes on later --------------------===//
//
// A coroutine has a thread of its own for its stack; of it and who resumes it only one
// ever runs.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace tilec::reference {

class Coroutine {
public:
  /// `body` runs when resume() is called first.
  explicit Coroutine(std::function<void()> body);
  /// The body must have ended.
  ~Coroutine();

  /// The body runs until it waits or ends.
  void resume();
  /// Called by the body: whoever resumed it goes on.
  void wait();
  bool hasEnded() const { return ended; }

private:
  void give(bool toBody);

  std::mutex mutex;
  std::condition_variable changed;
  bool isBodysTurn = false;
  bool ended = false;
  std::thread thread;
};

} // namespace tilec::reference
