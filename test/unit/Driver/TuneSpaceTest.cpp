//===- TuneSpaceTest.cpp - candidates, and the file of results ------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "../../../lib/Driver/TuneRecord.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"

#include "gtest/gtest.h"

#include <fstream>

using namespace tilec;

namespace {

std::string listed(const std::vector<TuneParameters> &all) {
  std::string text;
  for (const TuneParameters &parameters : all)
    text += describe(parameters) + "\n";
  return text;
}

TEST(TuneSpace, ReadsAnAxis) {
  auto axis = parseTuneOption("block_M=64, 128,256");
  ASSERT_TRUE(axis);
  EXPECT_EQ(axis->first, "block_M");
  EXPECT_EQ(axis->second, (std::vector<std::string>{"64", "128", "256"}));
  EXPECT_EQ(parseTuneOption("t=(1, 2),[3,4],'a,b'")->second,
            (std::vector<std::string>{"(1, 2)", "[3,4]", "'a,b'"}));
  for (const char *bad : {"", "block", "=1", "1x=2", "a=", "a=1,,2", "a b=1"})
    EXPECT_FALSE(parseTuneOption(bad)) << bad;
}

TEST(TuneSpace, CombinesAxesAndConfigurations) {
  EXPECT_EQ(listed(combine({}, {{"a", {"1", "2"}}, {"b", {"x", "y"}}})),
            "a=1, b=x\na=1, b=y\na=2, b=x\na=2, b=y\n");
  EXPECT_EQ(listed(combine({{{"a", "1"}, {"c", "7"}}, {{"a", "2"}}}, {{"b", {"x"}}})),
            "a=1, c=7, b=x\na=2, b=x\n");
  // An axis wins over a configuration, and what comes out the same is tried once.
  EXPECT_EQ(listed(combine({{{"a", "1"}}, {{"a", "2"}}}, {{"a", {"3", "4"}}})), "a=3\na=4\n");
  EXPECT_EQ(listed(combine({}, {})), "(as it is)\n");
}

TEST(TuneSpace, TheFastestMeetAgain) {
  std::vector<TuneOutcome> outcomes(8);
  double times[] = {10.9, 10, 3, 12, 10.4, 10.2, 10.1, 10.3};
  for (size_t i = 0; i < outcomes.size(); ++i) {
    outcomes[i].us = times[i];
    outcomes[i].status = i == 2 ? TuneStatus::Hopeless : TuneStatus::Ok;
  }
  auto finalists = [&](size_t count) {
    std::vector<const TuneOutcome *> pointers;
    for (size_t i = 0; i < count; ++i)
      pointers.push_back(&outcomes[i]);
    return finalistsOf(pointers);
  };
  EXPECT_EQ(finalists(8), (std::vector<size_t>{1, 6, 5, 7})) << "four at most";
  EXPECT_EQ(finalists(4), (std::vector<size_t>{1, 0})) << "12 is too far behind";
  EXPECT_TRUE(finalists(0).empty());

  // Who was timed in turns counts, whatever others had on a colder device.
  TuneRecord record;
  record.outcomes = outcomes;
  EXPECT_EQ(record.best()->us, 10);
  record.outcomes[6].us = 10.6, record.outcomes[6].rounds = 15;
  record.outcomes[1].us = 10.7, record.outcomes[1].rounds = 15;
  EXPECT_EQ(record.best()->us, 10.6);
  EXPECT_EQ(toJson(*record.best())["rounds"], 15);
}

TEST(TuneSpace, PutsKeywordsIntoTheEntry) {
  auto with = [](const char *entry, const TuneParameters &parameters) {
    auto text = withParameters(entry, parameters);
    return text ? *text : "error: " + text.error().message;
  };
  TuneParameters two = {{"a", "1"}, {"schedule", "'ping_pong'"}, {"b", "[2]"}};
  EXPECT_EQ(with("f(8, 9)", two), "f(8, 9, a=1, b=[2])");
  EXPECT_EQ(with("f(8, )", two), "f(8, a=1, b=[2])");
  EXPECT_EQ(with("f()", two), "f(a=1, b=[2])");
  EXPECT_EQ(with(" f ", two), "f(a=1, b=[2])");
  EXPECT_EQ(with("", two), "(a=1, b=[2])");
  EXPECT_EQ(with("f(8)", {{"schedule", "x"}}), "f(8)");
  EXPECT_EQ(scheduleOf(two), "ping_pong");
  EXPECT_EQ(with("f(aa=1, x.a==2)", two), "f(aa=1, x.a==2, a=1, b=[2])");
  EXPECT_EQ(with("f(8, a = 3)", two), "error: the entry gives `a` already: `f(8, a = 3)`");
  EXPECT_EQ(with("f(8) + 1", two), "error: the entry `f(8) + 1` is no call");
}

TuneRecord record(const char *entry, const char *device, double fast) {
  TuneRecord record{"gemm.py", entry, "sm_90a", device, {}};
  TuneOutcome slow, good, broken, late;
  slow.parameters = {{"a", "1"}};
  slow.status = TuneStatus::Ok;
  slow.us = 9;
  good.parameters = {{"a", "2"}, {"b", "'x'"}};
  good.status = TuneStatus::Ok;
  good.us = fast;
  broken.parameters = {{"a", "3"}};
  broken.message = "needs 300000 bytes of shared memory";
  late.parameters = {{"a", "4"}};
  late.status = TuneStatus::Hopeless;
  late.us = 1; // however fast its first samples were: it was not chosen
  record.outcomes = {slow, good, broken, late};
  return record;
}

class TuneFile : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> name;
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("tune", "json", name));
    path = std::string(name);
    llvm::sys::fs::remove(path);
  }
  void TearDown() override { llvm::sys::fs::remove(path); }
  std::string path;
};

TEST_F(TuneFile, KeepsTheBestOfEachSearch) {
  ASSERT_TRUE(saveRecord(path, record("gemm(8, 8)", "cuda", 5)));
  ASSERT_TRUE(saveRecord(path, record("gemm(16, 16)", "cuda", 6)));
  auto best = tunedParameters(path, "gemm.py", "gemm( 8,8 )", "sm_90a");
  ASSERT_TRUE(best) << best.error().message;
  EXPECT_EQ(describe(*best), "a=2, b='x'");
  // A new search of the same takes the place of the old one.
  TuneRecord again = record("gemm(8, 8)", "cuda", 20);
  ASSERT_TRUE(saveRecord(path, again));
  EXPECT_EQ(describe(*tunedParameters(path, "gemm.py", "gemm(8, 8)", "sm_90a")), "a=1");
  std::ifstream in(path);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(nlohmann::json::parse(text)["results"].size(), 2u);
  EXPECT_NE(text.find("needs 300000 bytes"), std::string::npos) << "failures are kept";
  EXPECT_NE(text.find("\"compile error\""), std::string::npos);
}

TEST_F(TuneFile, SaysWhatIsMissing) {
  auto errorOf = [&](const char *entry) {
    auto found = tunedParameters(path, "gemm.py", entry, "sm_90a");
    return found ? "found" : found.error().message;
  };
  EXPECT_NE(errorOf("gemm(8, 8)").find("cannot open"), std::string::npos);
  TuneRecord nothing = record("gemm(8, 8)", "cuda", 5);
  nothing.outcomes.erase(nothing.outcomes.begin(), nothing.outcomes.begin() + 2);
  EXPECT_EQ(nothing.best(), nullptr);
  ASSERT_TRUE(saveRecord(path, nothing));
  EXPECT_NE(errorOf("gemm(8, 8)").find("no result for `gemm(8, 8)`"), std::string::npos);
  std::ofstream(path, std::ios::trunc) << "{}";
  EXPECT_NE(errorOf("gemm(8, 8)").find("no file of tuning results"), std::string::npos);
  EXPECT_FALSE(saveRecord(path, nothing)) << "what is not ours is not overwritten";
  std::ofstream(path, std::ios::trunc)
      << "{\"version\": 1, \"results\": [7, {\"script\": \"gemm.py\", \"entry\": \"gemm(8, 8)\", "
         "\"target\": \"sm_90a\", \"best\": {\"a\": 1}}]}";
  EXPECT_NE(errorOf("gemm(8, 8)").find("`a` is no parameter"), std::string::npos);
}

} // namespace
