//===- ProfileTest.cpp - the page and the trace events hold the timing ----===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Sim/Profile.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <map>

using namespace tilec;
using namespace tilec::sim;

namespace {

/// Two work-groups of one wave each: a load, its wait and a matrix instruction.
TimingResult exampleTiming() {
  TimingResult t;
  t.clockGhz = 2;
  t.cuClk = 600;
  t.kernelClk = 5000;
  t.groupsPerCu = 2;
  t.trace.arch = Arch::Gfx950;
  t.trace.kernel = "</script><b>k";
  auto add = [&](uint64_t address, const char *text, TimedKind kind, uint64_t stall) {
    TimedInstruction i;
    i.address = address;
    i.where = "k+" + std::to_string(address);
    i.text = text;
    i.kind = kind;
    i.executions = 2;
    i.stallClk = stall;
    i.stallByReason[static_cast<unsigned>(StallReason::Vmcnt)] = stall;
    t.trace.instructions.push_back(i);
  };
  add(0, "global_load_dword v1, v0, s[0:1]", TimedKind::VmemLoad, 0);
  add(8, "s_waitcnt vmcnt(0)", TimedKind::Wait, 900);
  add(12, "v_mfma_f32_16x16x4_f32 v[4:7], v1, v1, 0", TimedKind::Mfma, 0);
  for (uint64_t group : {7, 8}) {
    uint64_t start = group == 7 ? 0 : 100;
    WaveTimeline w;
    w.group = group;
    w.simd = 1;
    w.startClk = start;
    w.endClk = start + 500;
    w.events = {{0, StallReason::None, start, start, start + 440},
                {1, StallReason::Vmcnt, start + 4, start + 454, start + 454},
                {2, StallReason::None, start + 460, start + 460, start + 492}};
    t.trace.waves.push_back(w);
  }
  t.stallByReason[static_cast<unsigned>(StallReason::Vmcnt)] = 900;
  return t;
}

std::string pageOf(const TimingResult &timing, const ProfileOptions &options = {}) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeProfile(timing, os, options);
  return text;
}
llvm::json::Value dataOf(llvm::StringRef page) {
  llvm::StringRef data = page.split("const data = ").second.split(";\n").first;
  auto parsed = llvm::json::parse(data);
  EXPECT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
  return parsed ? std::move(*parsed) : llvm::json::Value(nullptr);
}

TEST(Profile, ThePageHoldsTheTimingAndNeedsNothingElse) {
  std::string page = pageOf(exampleTiming());
  EXPECT_EQ(page.find("http"), std::string::npos); // nothing is fetched
  EXPECT_EQ(page.find("/*DATA*/"), std::string::npos);
  EXPECT_EQ(page.find("</script><b>"), std::string::npos); // a name cannot end the script
  llvm::json::Value data = dataOf(page);
  const llvm::json::Object &root = *data.getAsObject();
  EXPECT_EQ(*root.getString("kernel"), "</script><b>k");
  EXPECT_EQ(root.getArray("kinds")->size(), numTimedKinds);
  EXPECT_EQ(root.getArray("reasons")->size(), numStallReasons);
  const llvm::json::Array &instructions = *root.getArray("instructions");
  ASSERT_EQ(instructions.size(), 3u);
  auto number = [&](size_t instruction, size_t field) {
    return *(*instructions[instruction].getAsArray())[field].getAsInteger();
  };
  EXPECT_EQ(number(1, 4), 2);   // times
  EXPECT_EQ(number(1, 5), 912); // clk: from 4 to 460, twice
  EXPECT_EQ(number(1, 6), 900); // of these stalled
  EXPECT_EQ(number(2, 5), 80);  // to the end of the wave
  const llvm::json::Array &waves = *root.getArray("waves");
  ASSERT_EQ(waves.size(), 2u);
  const llvm::json::Array &events = *waves[1].getAsObject()->getArray("events");
  std::vector<int64_t> numbers;
  for (const llvm::json::Value &value : events)
    numbers.push_back(*value.getAsInteger());
  EXPECT_EQ(numbers, (std::vector<int64_t>{0, 100, 0, 0, 440, 1, 4, 450, 1, 0, 2, 456, 0, 0, 32}));
}

TEST(Profile, ShowsTheSourcesThatTheCodeNames) {
  TimingResult timing = exampleTiming();
  timing.trace.instructions[1].where = "k+8 (a/k.py:2)";
  ProfileOptions options;
  options.sources = {{"a/k.py", "one\ntwo </script>\n"}, {"other.py", "no\n"}};
  options.occupancy = "2 waves a SIMD";
  llvm::json::Value data = dataOf(pageOf(timing, options));
  const llvm::json::Array &sources = *data.getAsObject()->getArray("sources");
  ASSERT_EQ(sources.size(), 1u);
  EXPECT_EQ(*(*sources[0].getAsArray())[0].getAsString(), "a/k.py");
  EXPECT_EQ(*(*(*sources[0].getAsArray())[1].getAsArray())[1].getAsString(), "two </script>");
  EXPECT_EQ(*data.getAsObject()->getString("occupancy"), "2 waves a SIMD");
}

TEST(Profile, AdviceIsAboutWhatCostsMost) {
  TimingResult timing = exampleTiming();
  EXPECT_NE(adviceFor(timing).find("Only 0 of 256 compute units"), std::string::npos);
  timing.activeCus = 256;
  EXPECT_EQ(adviceFor(timing), "Waves spend 90 % of their time waiting for loads from memory: load "
                               "earlier (more `num_stages`, a longer loop body) or less often.");
  timing.trace.instructions[1].where = "k+8 (a/k.py:2)";
  EXPECT_NE(adviceFor(timing).find(", most of it at k.py:2: load earlier"), std::string::npos);
  timing.mfmaUtilisation = 0.9;
  EXPECT_NE(adviceFor(timing).find("The matrix unit is busy 90 %"), std::string::npos);
  timing.mfmaUtilisation = 0;
  timing.stallByReason[static_cast<unsigned>(StallReason::Vmcnt)] = 50;
  EXPECT_NE(adviceFor(timing).find("No wait stands out"), std::string::npos);
}

TEST(Profile, KeepsWholeWorkGroupsWithinItsLimit) {
  ProfileOptions options;
  options.maxEvents = 4;
  llvm::json::Value data = dataOf(pageOf(exampleTiming(), options));
  EXPECT_EQ(data.getAsObject()->getArray("waves")->size(), 1u);
  EXPECT_EQ(*data.getAsObject()->getInteger("wavesInAll"), 2);
}

TEST(Profile, TraceEventsAreWellFormed) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeTrace(exampleTiming(), os);
  auto parsed = llvm::json::parse(text);
  ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
  std::map<int64_t, double> endOf; // of the last slice of a work-group's wave
  std::map<int64_t, int> open;
  std::map<std::string, int> phases;
  double stalled = 0;
  for (const llvm::json::Value &value : *parsed->getAsObject()->getArray("traceEvents")) {
    const llvm::json::Object &event = *value.getAsObject();
    std::string phase = event.getString("ph")->str();
    ++phases[phase];
    int64_t group = *event.getInteger("pid");
    EXPECT_TRUE(group == 7 || group == 8);
    EXPECT_EQ(*event.getInteger("tid"), 0);
    if (phase == "X") {
      double ts = *event.getNumber("ts"), dur = *event.getNumber("dur");
      EXPECT_GE(ts, endOf[group] - 1e-9) << "slices of a thread overlap";
      EXPECT_GT(dur, 0);
      endOf[group] = ts + dur;
      if (*event.getString("cat") == "stall")
        stalled += dur;
    } else if (phase == "b" || phase == "e") {
      open[*event.getInteger("id")] += phase == "b" ? 1 : -1;
    }
  }
  EXPECT_EQ(phases["M"], 4);
  EXPECT_EQ(phases["X"], 8); // three instructions and a stall, twice
  EXPECT_EQ(phases["b"], 2); // the loads
  for (auto [id, count] : open)
    EXPECT_EQ(count, 0) << id;
  EXPECT_NEAR(stalled, 900 / 2000.0, 1e-9); // microseconds at 2 GHz
  EXPECT_NEAR(endOf[8], (100 + 500) / 2000.0, 1e-9);
}

} // namespace
