//===- StageWatchTest.cpp - who is told what about a long compile ---------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Support/StageWatch.h"

#include "gtest/gtest.h"

#include <vector>

using namespace tilec;
using namespace std::chrono_literals;

namespace {

/// Lines arrive from another thread.
struct Lines {
  std::mutex mutex;
  std::vector<std::string> list;

  auto listener() {
    return [this](llvm::StringRef line) {
      std::lock_guard lock(mutex);
      list.push_back(line.str());
    };
  }
  /// How many there are once `count` are or 10 s have passed.
  size_t await(size_t count) {
    for (int i = 0; i < 1000; ++i, std::this_thread::sleep_for(10ms))
      if (std::lock_guard lock(mutex); list.size() >= count)
        return list.size();
    return list.size();
  }
};

TEST(StageWatch, NamesEachStageThatTakesLongOnce) {
  Lines lines;
  StageWatch watch("tool", 20ms, lines.listener());
  StageWatch::enter("tile");
  ASSERT_EQ(lines.await(1), 1u);
  std::this_thread::sleep_for(60ms);
  StageWatch::enter("ptxas");
  ASSERT_EQ(lines.await(2), 2u);
  std::lock_guard lock(lines.mutex);
  EXPECT_TRUE(llvm::StringRef(lines.list[0]).starts_with("tool: compiling for "));
  EXPECT_TRUE(llvm::StringRef(lines.list[0]).ends_with("s; running: tile\n"));
  EXPECT_TRUE(llvm::StringRef(lines.list[1]).ends_with("s; running: ptxas\n"));
}

TEST(StageWatch, SaysNothingOfAFastCompile) {
  Lines lines;
  {
    StageWatch watch("tool", 10s, lines.listener());
    StageWatch::enter("tile");
    StageWatch::enter("wave");
  }
  StageWatch::enter("nobody watches");
  EXPECT_TRUE(lines.list.empty());
}

} // namespace
