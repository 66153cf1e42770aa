//===- Coroutine.cpp - code that waits and goes on later ------------------===//
//
// Takes a function, runs it on a thread of its own that has the word only while somebody resumes
// it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Coroutine.h"

namespace tilec::reference {

Coroutine::Coroutine(std::function<void()> body)
    : thread([this, body = std::move(body)] {
        {
          std::unique_lock lock(mutex);
          changed.wait(lock, [&] { return isBodysTurn; });
        }
        body();
        ended = true;
        give(/*toBody=*/false);
      }) {}

Coroutine::~Coroutine() { thread.join(); }

void Coroutine::give(bool toBody) {
  {
    std::lock_guard lock(mutex);
    isBodysTurn = toBody;
  }
  changed.notify_all();
}

void Coroutine::resume() {
  give(/*toBody=*/true);
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return !isBodysTurn; });
}

void Coroutine::wait() {
  give(/*toBody=*/false);
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return isBodysTurn; });
}

} // namespace tilec::reference
