//===- TuneShardsTest.cpp - a search that many processes share ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "../../../lib/Driver/TuneShards.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include "gtest/gtest.h"

#include <fstream>

using namespace tilec;

namespace {

using Environment = std::map<std::string, std::string>;

std::string shardIn(const Environment &environment, const std::string &text = "auto") {
  auto get = [&](const char *name) -> const char * {
    auto it = environment.find(name);
    return it == environment.end() ? nullptr : it->second.c_str();
  };
  rt::Result<Shard> shard = parseShard(text, get);
  if (!shard)
    return "error: " + shard.error().message;
  std::string out = std::to_string(shard->index) + "/" + std::to_string(shard->count);
  return shard->onHost ? out + " gpu " + std::to_string(*shard->onHost) : out;
}

TEST(TuneShards, LaunchersSayWhichProcessThisIs) {
  Environment array{{"SLURM_ARRAY_TASK_ID", "12"},
                    {"SLURM_ARRAY_TASK_COUNT", "4"},
                    {"SLURM_ARRAY_TASK_MIN", "10"},
                    {"SLURM_ARRAY_TASK_STEP", "2"}};
  EXPECT_EQ(shardIn(array), "1/4");
  Environment step{{"SLURM_PROCID", "5"}, {"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_LOCALID", "1"}};
  EXPECT_EQ(shardIn(step), "5/8 gpu 1");
  // Outside of srun the process of a batch job is number 0, however many tasks the job may have.
  EXPECT_EQ(shardIn({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}}).substr(0, 14),
            "error: --shard");
  Environment both = array;
  both.insert(step.begin(), step.end());
  EXPECT_EQ(shardIn(both), "13/32 gpu 1");
  Environment mpi{{"OMPI_COMM_WORLD_RANK", "2"},
                  {"OMPI_COMM_WORLD_SIZE", "3"},
                  {"OMPI_COMM_WORLD_LOCAL_RANK", "2"}};
  EXPECT_EQ(shardIn(mpi), "2/3 gpu 2");
  // mpirun inside of a job: Slurm's variables are those of the one process that started it.
  mpi.insert(step.begin(), step.end());
  EXPECT_EQ(shardIn(mpi), "2/3 gpu 2");
  EXPECT_EQ(shardIn({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}), "1/2");
  EXPECT_EQ(shardIn({{"RANK", "3"}, {"WORLD_SIZE", "4"}, {"LOCAL_RANK", "3"}}), "3/4 gpu 3");
  EXPECT_EQ(shardIn({{"RANK", "4"}, {"WORLD_SIZE", "4"}}).substr(0, 6), "error:");
}

TEST(TuneShards, GivenShards) {
  EXPECT_EQ(shardIn({}, "2/4"), "2/4");
  for (const char *bad : {"", "4/4", "-1/4", "1", "1/", "a/b", "0/0", "auto "})
    EXPECT_EQ(shardIn({}, bad).substr(0, 15), "error: --shard=") << bad;
}

TEST(TuneShards, CandidatesHaveOneShardEach) {
  // Files of results outlive a build: the same numbers always.
  EXPECT_EQ(shardOf({{"block_M", "64"}, {"stages", "2"}}, 1000),
            shardOf({{"block_M", "64"}, {"stages", "2"}}, 1000));
  std::vector<int> sizes(4);
  for (int m = 0; m < 16; ++m)
    for (int n = 0; n < 25; ++n)
      ++sizes[shardOf({{"block_M", std::to_string(16 * m)}, {"stages", std::to_string(n)}}, 4)];
  for (int size : sizes)
    EXPECT_NEAR(size, 100, 40);
}

class TuneShardFiles : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> made;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("tilec-shards", made));
    folder = made.str().str();
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::unique_ptr<ShardLog> open(unsigned index) {
    auto log = ShardLog::open(folder, {index, 4, {}}, search);
    EXPECT_TRUE(log) << log.error().message;
    return log ? std::move(*log) : nullptr;
  }
  static TuneOutcome outcome(size_t place, double us, double ratio,
                             TuneStatus status = TuneStatus::Ok) {
    TuneOutcome made;
    made.parameters = {{"a", std::to_string(place)}};
    made.place = place;
    made.us = us;
    made.ratio = ratio;
    made.status = status;
    return made;
  }

  std::string folder;
  SharedSearch search{"gemm.py", "gemm(1)", "sm_90a", "cuda", 5, 0x1234};
};

TEST_F(TuneShardFiles, WhatIsKilledGoesOn) {
  {
    auto log = open(1);
    EXPECT_TRUE(log->append(outcome(3, 10, 0.5)));
    EXPECT_TRUE(log->append(outcome(1, 0, 0, TuneStatus::CompileError)));
  }
  // The last line of a process that was killed while it wrote.
  std::ofstream(folder + "/results-1.jsonl", std::ios::app) << "{\"parameters\": {\"a\"";
  auto again = open(1);
  ASSERT_EQ(again->known().size(), 2u);
  EXPECT_EQ(again->known()[0].place, 1u);
  EXPECT_EQ(again->known()[1].ratio, 0.5);
  EXPECT_EQ(again->bestRatio(), 0.5);
  EXPECT_TRUE(again->append(outcome(4, 8, 0.4)));
  EXPECT_TRUE(again->append(outcome(3, 99, 9))); // twice: the first counts
  auto other = open(2);
  EXPECT_EQ(other->known().size(), 3u);
  EXPECT_EQ(other->bestRatio(), 0.4);
  auto all = readShards(folder);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->search, search);
  ASSERT_EQ(all->outcomes.size(), 3u);
  EXPECT_EQ(all->outcomes[1].us, 10);
}

TEST_F(TuneShardFiles, ClocksTenPercentApartAgree) {
  // The second GPU is slower: its times are 1.1 times as long, its ratios the same.
  auto fast = open(0), slow = open(1);
  double ratios[] = {1.00, 0.96, 0.98, 0.95, 1.2};
  for (size_t i = 0; i < 5; ++i)
    EXPECT_TRUE(
        (i % 2 ? slow : fast)->append(outcome(i, 20 * ratios[i] * (i % 2 ? 1.1 : 1), ratios[i])));
  auto all = readShards(folder);
  ASSERT_TRUE(all);
  useRatios(all->outcomes);
  TuneRecord record;
  record.outcomes = all->outcomes;
  EXPECT_EQ(describe(record.best()->parameters), "a=3");
  for (size_t i = 0; i < 5; ++i)
    EXPECT_NEAR(record.outcomes[i].us / record.outcomes[0].us, ratios[i], 1e-12);
}

TEST_F(TuneShardFiles, AnotherSearchIsRefused) {
  EXPECT_FALSE(readShards(folder)) << "no files";
  open(0);
  SharedSearch wider = search;
  wider.candidates = 6;
  auto refused = ShardLog::open(folder, {1, 4, {}}, wider);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("of another search"), std::string::npos);
  std::ofstream(folder + "/results-9.jsonl") << "nonsense\n[1, 2]\n{\"version\": 1}\n";
  EXPECT_TRUE(readShards(folder)) << "lines that say nothing are left out";
}

} // namespace
