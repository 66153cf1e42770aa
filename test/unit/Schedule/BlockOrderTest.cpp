//===- BlockOrderTest.cpp - every block once, neighbours together ---------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Transforms/BlockOrder.h"

#include <gtest/gtest.h>

#include <set>

namespace tilec::test {

namespace {

using Place = std::pair<int64_t, int64_t>;

TEST(BlockOrder, IsAPermutationOfAnyGrid) {
  for (int64_t panel : {1, 2, 3, 8, 10})
    for (bool byColumn : {false, true})
      for (int64_t dies : {1, 4, 8})
        for (int64_t x : {1, 2, 7, 8, 16, 33})
          for (int64_t y : {1, 3, 8, 17, 64}) {
            BlockOrder order = BlockOrder::panels(panel, byColumn, dies);
            std::set<Place> seen;
            for (int64_t number = 0; number < x * y; ++number) {
              Place place = blockAt(order, number, x, y);
              EXPECT_TRUE(place.first >= 0 && place.first < x && place.second >= 0 &&
                          place.second < y)
                  << order.str() << " " << number << " of " << x << " x " << y;
              seen.insert(place);
            }
            EXPECT_EQ(seen.size(), size_t(x * y)) << order.str() << " on " << x << " x " << y;
          }
}

TEST(BlockOrder, LaunchOrderChangesNothing) {
  BlockOrder order;
  EXPECT_TRUE(order.isLaunchOrder());
  for (int64_t number = 0; number < 35; ++number)
    EXPECT_EQ(blockAt(order, number, 7, 5), Place(number % 7, number / 7));
}

TEST(BlockOrder, PanelsRunDownTheirRows) {
  BlockOrder rows = BlockOrder::panels(2, false, 1);
  EXPECT_EQ(rows.str(), "panels of 2 rows");
  const Place expected[] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}};
  for (int64_t number = 0; number < 9; ++number) // the last panel has one row
    EXPECT_EQ(blockAt(rows, number, 3, 3), expected[number]) << number;
  BlockOrder columns = BlockOrder::panels(2, true, 1);
  for (int64_t number = 0; number < 9; ++number) {
    auto [x, y] = blockAt(columns, number, 3, 3);
    EXPECT_EQ(Place(y, x), expected[number]) << number;
  }
}

// 8 of 11 rows make a whole deal, a row a die; the others stay.
TEST(BlockOrder, ADieGetsARowOfBlocks) {
  BlockOrder order = BlockOrder::rows(3, 8);
  EXPECT_EQ(order.str(), "launch order, chunks of 3 blocks on each of 8 dies");
  EXPECT_FALSE(order.isLaunchOrder());
  for (int64_t number = 0; number < 24; ++number)
    EXPECT_EQ(blockAt(order, number, 3, 11), Place(number / 8, number % 8)) << number;
  for (int64_t number = 24; number < 33; ++number)
    EXPECT_EQ(blockAt(order, number, 3, 11), Place(number % 3, number / 3)) << number;
}

// Work-group n runs on die n % 8. What one die gets in a deal is a square of blocks.
TEST(BlockOrder, ADieGetsASquareOfBlocks) {
  BlockOrder order = BlockOrder::panels(4, false, 8);
  EXPECT_EQ(order.str(), "panels of 4 rows, chunks of 16 blocks on each of 8 dies");
  for (int64_t die = 0; die < 8; ++die) {
    std::set<int64_t> columns, rows;
    for (int64_t place = 0; place < 16; ++place) {
      auto [x, y] = blockAt(order, place * 8 + die, 32, 32);
      columns.insert(x);
      rows.insert(y);
    }
    EXPECT_EQ(columns.size(), 4u) << die;
    EXPECT_EQ(rows.size(), 4u) << die;
  }
}

TEST(BlockOrder, WhatFillsNoDealStays) {
  // 100 blocks: less than 8 chunks of 64.
  BlockOrder dies = BlockOrder::panels(8, false, 8), panels = BlockOrder::panels(8, false, 1);
  for (int64_t number = 0; number < 100; ++number)
    EXPECT_EQ(blockAt(dies, number, 10, 10), blockAt(panels, number, 10, 10));
}

} // namespace

} // namespace tilec::test
