//===- StageWatch.cpp - says which stage of a long compile is running -----===//
//
// A thread that sleeps until the patience is over; it says what it was told last.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Support/StageWatch.h"

#include "llvm/Support/FormatVariadic.h"

#include <cstdio>
#include <cstdlib>

namespace tilec {

static thread_local StageWatch *current = nullptr;

StageWatch::StageWatch(llvm::StringRef tool, std::chrono::milliseconds patience,
                       llvm::unique_function<void(llvm::StringRef)> say)
    : tool(tool), stage("script"), patience(patience), say(std::move(say)), outer(current) {
  current = this;
  if (patience.count() > 0)
    thread = std::thread([this] { watch(); });
}

std::chrono::milliseconds StageWatch::usualPatience() {
  const char *given = std::getenv("TILEC_PATIENCE");
  unsigned seconds;
  if (!given || llvm::StringRef(given).getAsInteger(10, seconds))
    seconds = 2;
  return std::chrono::seconds(seconds);
}

StageWatch::~StageWatch() {
  {
    std::lock_guard lock(mutex);
    isOver = true;
  }
  changed.notify_one();
  if (thread.joinable())
    thread.join();
  current = outer;
}

void StageWatch::enter(llvm::StringRef stage) {
  if (!current)
    return;
  {
    std::lock_guard lock(current->mutex);
    current->stage = stage.str();
    current->entered = Clock::now();
    current->isSaid = false;
  }
  current->changed.notify_one();
}

void StageWatch::watch() {
  std::unique_lock lock(mutex);
  while (!isOver) {
    // The first line is due by the age of the compile, later ones by that of their stage.
    Clock::time_point due = (hasSaid ? entered : start) + patience;
    if (isSaid) {
      changed.wait(lock);
      continue;
    }
    if (Clock::now() < due) {
      changed.wait_until(lock, due);
      continue;
    }
    isSaid = hasSaid = true;
    double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    std::string line =
        llvm::formatv("{0}: compiling for {1:f1} s; running: {2}\n", tool, seconds, stage).str();
    if (say)
      say(line);
    else
      std::fputs(line.c_str(), stderr); // errs() belongs to the compile's thread
  }
}

} // namespace tilec
