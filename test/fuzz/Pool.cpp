//===- Pool.cpp - programs in child processes -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Pool.h"

#include <atomic>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilec::fuzz {
namespace {

constexpr char fieldEnd = '\x1f', recordEnd = '\x1e';
/// Writes of at most PIPE_BUF bytes (POSIX: 512 or more, 4096 on Linux) are not
/// mixed up.
constexpr size_t maxMessageBytes = 3500;

/// What children share. `current[w]` is 1 + the index that worker w is at; 0:
/// none.
struct Shared {
  std::atomic<uint64_t> next;
  std::atomic<uint64_t> current[256];
};

std::string encode(const Verdict &v) {
  Failure f = v.failure.value_or(Failure{});
  std::string message = f.message.substr(0, maxMessageBytes);
  std::string out;
  for (const std::string &field : {std::to_string(v.seed), std::to_string(v.maxRatio),
                                   std::to_string(v.ms), f.kind, f.device, message})
    out += field + fieldEnd;
  return out + recordEnd;
}

Verdict decode(const std::string &record) {
  std::vector<std::string> fields(1);
  for (char c : record) {
    if (c == fieldEnd)
      fields.emplace_back();
    else
      fields.back() += c;
  }
  fields.resize(7);
  Verdict v;
  v.seed = std::strtoull(fields[0].c_str(), nullptr, 10);
  v.maxRatio = std::strtod(fields[1].c_str(), nullptr);
  v.ms = std::strtod(fields[2].c_str(), nullptr);
  if (!fields[3].empty())
    v.failure = Failure{fields[3], fields[4], fields[5]};
  return v;
}

class Pool {
public:
  Pool(const std::vector<uint64_t> &seeds, const PoolOptions &options)
      : seeds(seeds), options(options) {}

  void run();

private:
  void start(unsigned worker);
  [[noreturn]] void child(unsigned worker);
  void readRecords();
  bool reap();

  const std::vector<uint64_t> &seeds;
  const PoolOptions &options;
  Shared *shared = nullptr;
  int pipeEnds[2] = {-1, -1};
  std::vector<pid_t> children;
  std::string pending;
};

void Pool::child(unsigned worker) {
  // What programs print (T.print on the cpu device) is not for the report.
  if (int null = open("/dev/null", O_WRONLY); null >= 0)
    dup2(null, STDOUT_FILENO);
  for (uint64_t i; (i = shared->next++) < seeds.size();) {
    shared->current[worker] = i + 1;
    alarm(options.timeoutSeconds);
    std::string record = encode(options.work(seeds[i]));
    alarm(0);
    if (write(pipeEnds[1], record.data(), record.size()) < 0)
      _exit(3);
    shared->current[worker] = 0;
  }
  _exit(0);
}

void Pool::start(unsigned worker) {
  pid_t pid = fork();
  if (pid == 0)
    child(worker);
  children[worker] = pid;
}

void Pool::readRecords() {
  char buffer[65536];
  for (ssize_t n; (n = read(pipeEnds[0], buffer, sizeof buffer)) > 0;)
    pending.append(buffer, static_cast<size_t>(n));
  for (size_t end; (end = pending.find(recordEnd)) != std::string::npos;) {
    options.done(decode(pending.substr(0, end)));
    pending.erase(0, end + 1);
  }
}

/// Collects children that have ended; false when all have.
bool Pool::reap() {
  bool isAnyLeft = false;
  for (unsigned worker = 0; worker < children.size(); ++worker) {
    if (children[worker] <= 0)
      continue;
    int status = 0;
    if (waitpid(children[worker], &status, WNOHANG) != children[worker]) {
      isAnyLeft = true;
      continue;
    }
    children[worker] = -1;
    uint64_t at = shared->current[worker].exchange(0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
      continue;
    readRecords();
    bool isTimeout = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    Verdict verdict;
    verdict.seed = at ? seeds[at - 1] : 0;
    verdict.failure =
        Failure{isTimeout ? "timeout" : "crash", "",
                WIFSIGNALED(status) ? strsignal(WTERMSIG(status))
                                    : "exit status " + std::to_string(WEXITSTATUS(status))};
    if (at)
      options.done(verdict);
    start(worker);
    isAnyLeft = true;
  }
  return isAnyLeft;
}

void Pool::run() {
  void *memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || pipe(pipeEnds) != 0)
    return options.done({0, Failure{"crash", "", "no memory or pipe for child processes"}, 0, 0});
  shared = new (memory) Shared();
  fcntl(pipeEnds[0], F_SETFL, O_NONBLOCK);
  children.assign(std::min<size_t>({options.jobs, seeds.size(), 256}), -1);
  for (unsigned worker = 0; worker < children.size(); ++worker)
    start(worker);
  for (bool isAnyLeft = true; isAnyLeft;) {
    pollfd wait{pipeEnds[0], POLLIN, 0};
    poll(&wait, 1, /*ms=*/20);
    readRecords();
    isAnyLeft = reap();
  }
  readRecords();
  close(pipeEnds[0]);
  close(pipeEnds[1]);
  munmap(memory, sizeof(Shared));
}

} // namespace

void runPool(const std::vector<uint64_t> &seeds, const PoolOptions &options) {
  Pool(seeds, options).run();
}

Verdict runIsolated(uint64_t seed, const PoolOptions &options) {
  Verdict result;
  PoolOptions one = options;
  one.jobs = 1;
  one.done = [&](const Verdict &verdict) { result = verdict; };
  runPool({seed}, one);
  return result;
}

} // namespace tilec::fuzz
