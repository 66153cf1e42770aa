//===- Workers.cpp - measure in child processes ---------------------------===//
//
// Takes candidates of a search and a function that measures one, forks processes for them, and
// gives outcomes also of those that crash or do not end.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Workers.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <memory>
#include <mutex>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tilec {
namespace {

volatile std::sig_atomic_t wasInterrupted = 0;

/// Status, time, ratio, and the message up to the end of the line.
std::string toLine(const TuneOutcome &outcome) {
  std::string message = outcome.message;
  std::replace(message.begin(), message.end(), '\n', ' ');
  char numbers[96];
  std::snprintf(numbers, sizeof numbers, "%d %.17g %.17g ", static_cast<int>(outcome.status),
                outcome.us, outcome.ratio);
  return numbers + message + "\n";
}

TuneOutcome fromLine(llvm::StringRef line) {
  TuneOutcome outcome;
  auto [status, rest] = line.split(' ');
  auto [us, behind] = rest.split(' ');
  auto [ratio, message] = behind.split(' ');
  int number = 0;
  if (status.getAsInteger(10, number) || us.getAsDouble(outcome.us) ||
      ratio.getAsDouble(outcome.ratio)) {
    outcome.status = TuneStatus::Crashed;
    outcome.message = "the measuring process said `" + line.str() + "`";
    return outcome;
  }
  outcome.status = static_cast<TuneStatus>(number);
  outcome.message = message.str();
  return outcome;
}

class Worker {
public:
  /// Measures from `first` on.
  Worker(const std::vector<size_t> &indices, size_t first,
         const std::function<Measured(size_t)> &measure) {
    int ends[2];
    if (pipe(ends) != 0)
      return;
    std::fflush(nullptr); // or both would print what is buffered
    child = fork();
    if (child == 0) {
      // The parent ends it, or its own end does. A group of its own: what it runs ends with it.
      std::signal(SIGINT, SIG_IGN);
      std::signal(SIGTERM, SIG_IGN);
      setpgid(0, 0);
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      close(ends[0]);
      work(indices, first, measure, ends[1]);
    }
    if (child > 0)
      setpgid(child, child); // whoever comes first
    close(ends[1]);
    input = ends[0];
  }
  ~Worker() {
    if (child > 0) {
      kill(-child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
    if (input >= 0)
      close(input);
  }

  int file() const { return input; }
  static TuneOutcome tooSlow(double seconds) {
    char text[80];
    std::snprintf(text, sizeof text, "no result after %g s (--tune-timeout)", seconds);
    return failure(TuneStatus::Timeout, text);
  }

  /// The next outcome. `isOver`: there will be no further one from this worker.
  TuneOutcome next(double timeoutSeconds, bool &isOver) {
    if (child <= 0)
      return isOver = true, failure(TuneStatus::Crashed, "cannot start a measuring process");
    auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(timeoutSeconds);
    while (true) {
      if (size_t at = buffer.find('\n'); at != std::string::npos) {
        TuneOutcome outcome = fromLine(llvm::StringRef(buffer).take_front(at));
        buffer.erase(0, at + 1);
        return outcome;
      }
      auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          end - std::chrono::steady_clock::now());
      pollfd file{input, POLLIN, 0};
      // In slices: another thread may have got the interrupt.
      int64_t slice = std::clamp<int64_t>(left.count(), 0, 100);
      int ready = poll(&file, 1, static_cast<int>(slice));
      if (isInterrupted())
        return isOver = true, TuneOutcome();
      if ((ready < 0 && errno == EINTR) || (ready == 0 && left.count() > slice))
        continue;
      if (ready == 0)
        return isOver = true, tooSlow(timeoutSeconds);
      char bytes[4096];
      ssize_t count = read(input, bytes, sizeof bytes);
      if (count <= 0)
        return isOver = true, failure(TuneStatus::Crashed, howItEnded());
      buffer.append(bytes, count);
    }
  }

private:
  [[noreturn]] static void work(const std::vector<size_t> &indices, size_t first,
                                const std::function<Measured(size_t)> &measure, int output) {
    for (size_t at = first; at < indices.size(); ++at) {
      Measured measured = measure(indices[at]);
      std::string line = toLine(measured.outcome);
      for (size_t sent = 0; sent < line.size();) {
        ssize_t count = write(output, line.data() + sent, line.size() - sent);
        if (count <= 0)
          _exit(1);
        sent += count;
      }
      if (measured.endsWorker)
        break;
    }
    _exit(0); // nothing of the parent's is to be destroyed here
  }

  static TuneOutcome failure(TuneStatus status, std::string message) {
    TuneOutcome outcome;
    outcome.status = status;
    outcome.message = std::move(message);
    return outcome;
  }

  std::string howItEnded() {
    int status = 0;
    waitpid(child, &status, 0);
    child = -1;
    if (WIFSIGNALED(status))
      return std::string("the measuring process died: ") + strsignal(WTERMSIG(status));
    return "the measuring process ended with code " + std::to_string(WEXITSTATUS(status));
  }

  pid_t child = -1;
  int input = -1;
  std::string buffer;
};

} // namespace

void holdInterrupts() {
  wasInterrupted = 0;
  struct sigaction action = {};
  action.sa_handler = [](int) { wasInterrupted = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool isInterrupted() { return wasInterrupted != 0; }

namespace {
std::atomic<bool> goOn = false; ///< threads that an interrupt has left alone
} // namespace

bool runUntilInterrupted(unsigned threads, std::function<void()> work) {
  constexpr auto slice = std::chrono::milliseconds(50);
  constexpr int slicesOfGrace = 10;
  struct State {
    std::mutex mutex;
    std::condition_variable ended;
    unsigned running;
  };
  auto state = std::make_shared<State>();
  state->running = threads;
  std::vector<std::thread> started;
  for (unsigned i = 0; i < threads; ++i)
    started.emplace_back([state, work] {
      work();
      std::lock_guard<std::mutex> lock(state->mutex);
      --state->running;
      state->ended.notify_all();
    });
  std::unique_lock<std::mutex> lock(state->mutex);
  int slices = 0;
  while (state->running > 0 && slices < slicesOfGrace) {
    state->ended.wait_for(lock, slice);
    slices += isInterrupted();
  }
  bool haveEnded = state->running == 0;
  lock.unlock();
  for (std::thread &thread : started)
    haveEnded ? thread.join() : thread.detach();
  goOn = goOn || !haveEnded;
  return haveEnded;
}

bool hasThreadsLeft() { return goOn; }

int endProcess(int code) {
  if (!goOn)
    return code;
  llvm::outs().flush();
  std::fflush(nullptr);
  _exit(code);
}

void measureAtOnce(const std::vector<size_t> &indices, unsigned atOnce, double timeoutSeconds,
                   const std::function<Measured(size_t)> &measure,
                   const std::function<void(size_t, TuneOutcome)> &done) {
  using Clock = std::chrono::steady_clock;
  struct Running {
    size_t index;
    std::unique_ptr<Worker> worker;
    Clock::time_point end;
  };
  std::vector<Running> running;
  auto allowed =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeoutSeconds));
  for (size_t at = 0; (at < indices.size() || !running.empty()) && !isInterrupted();) {
    for (; at < indices.size() && running.size() < std::max(atOnce, 1u); ++at)
      running.push_back({indices[at],
                         std::make_unique<Worker>(std::vector<size_t>{indices[at]}, 0, measure),
                         Clock::now() + allowed});
    std::vector<pollfd> files;
    for (const Running &one : running)
      files.push_back({one.worker->file(), POLLIN, 0});
    (void)poll(files.data(), files.size(), 100);
    for (size_t n = running.size(); n-- > 0;) {
      bool isReady = files[n].fd < 0 || files[n].revents != 0;
      if (!isReady && Clock::now() < running[n].end)
        continue;
      bool isOver = false;
      TuneOutcome outcome = isReady ? running[n].worker->next(timeoutSeconds, isOver)
                                    : Worker::tooSlow(timeoutSeconds);
      size_t index = running[n].index;
      running.erase(running.begin() + n);
      if (!isInterrupted())
        done(index, std::move(outcome));
    }
  }
}

void measureInChildren(const std::vector<size_t> &indices, double timeoutSeconds,
                       const std::function<Measured(size_t)> &measure,
                       const std::function<void(size_t, TuneOutcome)> &done) {
  size_t at = 0;
  while (at < indices.size()) {
    Worker worker(indices, at, measure);
    bool isOver = false, hasResult = false;
    while (!isOver && at < indices.size()) {
      TuneOutcome outcome = worker.next(timeoutSeconds, isOver);
      if (isInterrupted())
        return;
      // A worker that ended by itself after a fault had told all it had to say.
      if (isOver && hasResult && outcome.status == TuneStatus::Crashed &&
          llvm::StringRef(outcome.message).ends_with("code 0"))
        break;
      hasResult = true;
      done(indices[at++], std::move(outcome));
    }
  }
}

} // namespace tilec
