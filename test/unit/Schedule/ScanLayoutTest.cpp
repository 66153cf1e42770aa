//===- ScanLayoutTest.cpp - where a scan wants its elements ---------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/ScanLayout.h"

#include <gtest/gtest.h>

#include <map>

namespace tilec::test {

// Whatever the shape, dimension and number of waves: every element has a place, and along the
// dimension registers, lanes, repetitions and waves follow each other.
TEST(ScanLayout, HoldsEveryElementInOrder) {
  for (Coords shape :
       {Coords{1000}, Coords{64, 96}, Coords{1, 5000}, Coords{3, 37}, Coords{7, 5, 33}})
    for (int64_t dim = 0; dim < int64_t(shape.size()); ++dim)
      for (int64_t lanes : {32, 64})
        for (int64_t waves : {1, 3, 4, 8})
          for (int64_t bytes : {2, 4, 8}) {
            FragmentLayout layout = scanLayout(shape, dim, 16 / bytes, lanes, waves);
            ASSERT_TRUE(isScannable(layout, dim)) << layout.str();
            EXPECT_EQ(layout.lanes(), lanes);
            EXPECT_EQ(layout.numWaves(), waves);
            int64_t total = 1;
            for (int64_t size : shape)
              total *= size;
            std::map<Coords, int> places;
            for (int64_t wave = 0; wave < waves; ++wave)
              for (int64_t lane = 0; lane < lanes; ++lane)
                for (int64_t reg = 0; reg < layout.numRegs(); ++reg) {
                  Coords at = layout.coords(reg, lane, wave);
                  if (layout.isInside(at))
                    ++places[at];
                }
            EXPECT_EQ(int64_t(places.size()), total) << layout.str();
          }
}

// A long row is spread over all lanes, 16 bytes each; a column over registers and waves.
TEST(ScanLayout, FollowsMemory) {
  EXPECT_EQ(scanLayout({1024}, 0, 4, 64, 4).numRegs(), 4);
  EXPECT_EQ(scanLayout({1024}, 0, 4, 64, 4).coords(1, 1, 1), (Coords{256 + 4 + 1}));
  FragmentLayout columns = scanLayout({64, 256}, 0, 4, 64, 4);
  EXPECT_EQ(columns.coords(1, 1, 0), (Coords{0, 5}));
  EXPECT_EQ(columns.coords(4, 0, 1), (Coords{17, 0}));
}

// Places that do not follow each other along the dimension are refused: lanes before registers.
TEST(ScanLayout, RefusesOtherOrders) {
  LinearLayout atom(1, {{"register", {{4}}}, {"lane", {{1}, {2}}}});
  EXPECT_FALSE(isScannable(FragmentLayout({8}, atom, {}, {}), 0));
  LinearLayout ordered(1, {{"register", {{1}}}, {"lane", {{2}, {4}}}});
  EXPECT_TRUE(isScannable(FragmentLayout({8}, ordered, {}, {}), 0));
}

} // namespace tilec::test
