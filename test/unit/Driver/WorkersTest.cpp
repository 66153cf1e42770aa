//===- WorkersTest.cpp - what becomes of the measuring process ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "../../../lib/Driver/Workers.h"

#include "gtest/gtest.h"

#include <csignal>
#include <map>
#include <thread>
#include <unistd.h>

using namespace tilec;

namespace {

Measured ok(double us) {
  Measured measured;
  measured.outcome.status = TuneStatus::Ok;
  measured.outcome.us = us;
  return measured;
}

std::map<size_t, TuneOutcome> measureAll(size_t count, double timeout,
                                         const std::function<Measured(size_t)> &measure) {
  std::vector<size_t> indices;
  for (size_t i = 0; i < count; ++i)
    indices.push_back(10 + i);
  std::map<size_t, TuneOutcome> outcomes;
  std::vector<size_t> order;
  measureInChildren(indices, timeout, measure, [&](size_t i, TuneOutcome outcome) {
    outcomes[i] = std::move(outcome);
    order.push_back(i);
  });
  EXPECT_EQ(order, indices) << "each once, in order";
  return outcomes;
}

TEST(Workers, BringResultsBack) {
  pid_t parent = getpid();
  auto outcomes = measureAll(3, 10, [&](size_t i) {
    Measured measured = ok(i + 0.125);
    measured.outcome.message = getpid() == parent ? "in the parent" : "two\nlines";
    return measured;
  });
  EXPECT_EQ(outcomes[10].us, 10.125);
  EXPECT_EQ(outcomes[12].us, 12.125);
  EXPECT_EQ(outcomes[11].message, "two lines");
}

// Children at the same time, each of which knows what was done before it started.
TEST(Workers, AtOnceGiveEachItsOutcome) {
  std::map<size_t, TuneOutcome> outcomes;
  size_t known = 0;
  auto measure = [&](size_t i) -> Measured {
    if (i == 3)
      raise(SIGKILL);
    if (i == 4)
      std::this_thread::sleep_for(std::chrono::seconds(60));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    Measured measured = ok(i + 0.5);
    measured.outcome.message = std::to_string(known);
    return measured;
  };
  auto start = std::chrono::steady_clock::now();
  measureAtOnce({0, 1, 2, 3, 4, 5, 6, 7}, 4, 2, measure, [&](size_t i, TuneOutcome outcome) {
    EXPECT_EQ(outcomes.count(i), 0u);
    outcomes[i] = std::move(outcome);
    ++known;
  });
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
  ASSERT_EQ(outcomes.size(), 8u);
  for (size_t i : {0, 1, 2, 5, 6, 7}) {
    EXPECT_EQ(outcomes[i].status, TuneStatus::Ok) << outcomes[i].message;
    EXPECT_EQ(outcomes[i].us, i + 0.5);
  }
  EXPECT_EQ(outcomes[3].status, TuneStatus::Crashed);
  EXPECT_EQ(outcomes[4].status, TuneStatus::Timeout);
  EXPECT_EQ(outcomes[0].message, "0");
  EXPECT_NE(outcomes[7].message, "0");
}

// The first interrupt, or request to end, ends the search, not the process; what was measured is
// kept.
class WorkersEnd : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Signals, WorkersEnd, testing::Values(SIGINT, SIGTERM));
TEST_P(WorkersEnd, ASignalLeavesTheRestOut) {
  holdInterrupts();
  std::thread user([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    kill(getpid(), GetParam());
  });
  std::map<size_t, TuneOutcome> outcomes;
  auto start = std::chrono::steady_clock::now();
  measureInChildren(
      {0, 1, 2}, 60,
      [](size_t i) {
        if (i == 1)
          std::this_thread::sleep_for(std::chrono::seconds(60));
        return ok(1);
      },
      [&](size_t i, TuneOutcome outcome) { outcomes[i] = std::move(outcome); });
  user.join();
  EXPECT_TRUE(isInterrupted());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].status, TuneStatus::Ok);
  holdInterrupts();
  EXPECT_FALSE(isInterrupted());
}

TEST(Workers, SurviveACrashAndAHang) {
  auto outcomes = measureAll(6, 0.5, [](size_t i) -> Measured {
    if (i == 11)
      raise(SIGKILL);
    if (i == 12)
      _exit(3);
    if (i == 14)
      std::this_thread::sleep_for(std::chrono::seconds(60));
    return ok(1);
  });
  EXPECT_EQ(outcomes[10].status, TuneStatus::Ok);
  EXPECT_EQ(outcomes[11].status, TuneStatus::Crashed);
  EXPECT_NE(outcomes[11].message.find("Killed"), std::string::npos) << outcomes[11].message;
  EXPECT_EQ(outcomes[12].status, TuneStatus::Crashed);
  EXPECT_NE(outcomes[12].message.find("code 3"), std::string::npos) << outcomes[12].message;
  EXPECT_EQ(outcomes[13].status, TuneStatus::Ok);
  EXPECT_EQ(outcomes[14].status, TuneStatus::Timeout);
  EXPECT_EQ(outcomes[15].status, TuneStatus::Ok);
}

/// After a fault the device is unusable in that process: the next candidate gets a new one.
TEST(Workers, AFaultEndsTheProcessButNotTheSearch) {
  static int faults = 0;
  auto outcomes = measureAll(4, 10, [](size_t i) -> Measured {
    if (faults)
      return ok(999);
    if (i == 13)
      return ok(1);
    ++faults;
    Measured measured;
    measured.outcome.status = TuneStatus::LaunchError;
    measured.outcome.message = "illegal address";
    measured.endsWorker = true;
    return measured;
  });
  for (size_t i : {10, 11, 12}) {
    EXPECT_EQ(outcomes[i].status, TuneStatus::LaunchError);
    EXPECT_EQ(outcomes[i].message, "illegal address");
  }
  EXPECT_EQ(outcomes[13].us, 1);
}

} // namespace
