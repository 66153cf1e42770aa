//===- LayoutTest.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Layout/FragmentLayout.h"
#include "tilec/Layout/SharedLayout.h"

#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace tilec;

namespace {

// D of v_mfma_f32_16x16x16_f16: four consecutive rows per lane, columns along the lanes.
LinearLayout mfmaD() {
  return LinearLayout(2, {{"register", {{1, 0}, {2, 0}}},
                          {"lane", {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {4, 0}, {8, 0}}}});
}

std::map<std::pair<int64_t, int64_t>, int> countElements(const FragmentLayout &layout) {
  std::map<std::pair<int64_t, int64_t>, int> seen;
  for (int64_t w = 0; w < layout.numWaves(); ++w)
    for (int64_t l = 0; l < layout.lanes(); ++l)
      for (int64_t r = 0; r < layout.numRegs(); ++r) {
        Coords c = layout.coords(r, l, w);
        if (layout.isInside(c))
          ++seen[{c[0], c[1]}];
      }
  return seen;
}

} // namespace

TEST(LinearLayout, PreimageInvertsApply) {
  LinearLayout d = mfmaD();
  EXPECT_TRUE(d.isInjective());
  EXPECT_TRUE(d.isSurjective());
  for (int64_t r = 0; r < 4; ++r)
    for (int64_t l = 0; l < 64; ++l) {
      auto back = d.preimage(d.apply({r, l}));
      ASSERT_TRUE(back.has_value());
      EXPECT_EQ((*back)[0], r);
      EXPECT_EQ((*back)[1], l);
    }
}

TEST(LinearLayout, PreimageOfDependentBases) {
  // Two equal bases: not injective, and (1) is still reached by the smaller input.
  LinearLayout copies(1, {{"lane", {{1}, {1}, {2}}}});
  EXPECT_FALSE(copies.isInjective());
  auto values = copies.preimage({1});
  ASSERT_TRUE(values.has_value());
  EXPECT_EQ((*values)[0], 1);
}

// Whatever the factors, each element of the tile sits in exactly one place.
TEST(FragmentLayout, CoversOddTilesOnce) {
  for (Coords shape : {Coords{96, 160}, Coords{100, 40}, Coords{16, 16}, Coords{1, 33}}) {
    int64_t m = (shape[0] + 31) / 32, n = (shape[1] + 47) / 48;
    FragmentLayout layout(shape, mfmaD(), {{1, n}, {0, m}}, {{1, 3}, {0, 2}});
    auto seen = countElements(layout);
    EXPECT_EQ(seen.size(), size_t(shape[0] * shape[1]));
    for (auto &[point, times] : seen)
      EXPECT_EQ(times, 1) << point.first << "," << point.second;
  }
}

TEST(FragmentLayout, RegHoldingInvertsCoords) {
  FragmentLayout layout({96, 96}, mfmaD(), {{1, 2}, {0, 3}}, {{1, 3}, {0, 2}});
  for (int64_t w = 0; w < layout.numWaves(); ++w)
    for (int64_t l = 0; l < 64; l += 5)
      for (int64_t r = 0; r < layout.numRegs(); ++r)
        EXPECT_EQ(layout.regHolding(layout.coords(r, l, w), l, w), r);
}

TEST(FragmentLayout, WithoutDimKeepsOneRegisterPerRow) {
  FragmentLayout layout({64, 64}, mfmaD(), {{1, 2}, {0, 2}}, {{1, 2}, {0, 2}});
  FragmentLayout rows = layout.withoutDim(1);
  EXPECT_EQ(rows.rank(), 1u);
  EXPECT_EQ(rows.numRegs(), 8); // 4 rows an atom, 2 repetitions along M
  EXPECT_EQ(rows.numWaves(), 4);
  // Lane 17 of wave 0 held rows 4.. and keeps them.
  EXPECT_EQ(rows.coords(1, 17, 0), Coords({5}));
}

TEST(FragmentLayout, ASplitDimensionHoldsTheSameElements) {
  // Waves along both dimensions, rows of 128 columns as 2 x 64, 4 x 32 and 64 x 2.
  for (const FragmentLayout &layout :
       {FragmentLayout({32, 128}, mfmaD(), {{1, 4}}, {{1, 2}, {0, 2}}),
        FragmentLayout({32, 128}, mfmaD(), {{1, 8}}, {{0, 2}})})
    for (int64_t inner : {2, 32, 64}) {
      std::optional<FragmentLayout> split = layout.withSplitDim(1, inner);
      ASSERT_TRUE(split) << layout.str();
      EXPECT_EQ(split->shape(), Coords({32, 128 / inner, inner}));
      for (int64_t w = 0; w < layout.numWaves(); ++w)
        for (int64_t l = 0; l < 64; ++l)
          for (int64_t r = 0; r < layout.numRegs(); ++r) {
            Coords whole = layout.coords(r, l, w), parts = split->coords(r, l, w);
            EXPECT_EQ(whole, Coords({parts[0], parts[1] * inner + parts[2]}));
          }
      if (std::optional<FragmentLayout> merged = split->withMergedDims(1)) {
        for (int64_t l = 0; l < 64; ++l)
          for (int64_t r = 0; r < layout.numRegs(); ++r)
            EXPECT_EQ(merged->coords(r, l, 1), layout.coords(r, l, 1));
      }
    }
}

TEST(FragmentLayout, WhatReachesAcrossACutIsNotSplit) {
  // Three waves of 32 columns; padding; a cut that is no power of two.
  FragmentLayout waves({16, 96}, mfmaD(), {{1, 2}}, {{1, 3}});
  EXPECT_FALSE(waves.withSplitDim(1, 48));
  EXPECT_TRUE(waves.withSplitDim(1, 32));
  FragmentLayout padded({16, 80}, mfmaD(), {{1, 2}}, {{1, 3}});
  EXPECT_FALSE(padded.withSplitDim(1, 16));
}

TEST(FragmentLayout, BlockedCoversEverything) {
  for (Coords shape : {Coords{128, 128}, Coords{7, 24}, Coords{1, 8}, Coords{33, 512}})
    for (int64_t waves : {1, 2, 3, 4, 8})
      for (int64_t lanesOnRows : {1, 2, 8}) {
        FragmentLayout layout = blockedLayout(shape, 64, waves, 8, lanesOnRows);
        EXPECT_EQ(layout.numWaves(), waves);
        EXPECT_EQ(countElements(layout).size(), size_t(shape[0] * shape[1]));
      }
}

TEST(FragmentLayout, LanesOnRowsOfTheirOwn) {
  FragmentLayout layout = blockedLayout({1, 64, 1, 192}, 32, 4, 8, 8);
  EXPECT_EQ(layout.coords(0, 7, 0), Coords({0, 7, 0, 0}));
  EXPECT_EQ(layout.coords(0, 8, 0), Coords({0, 0, 0, 8}));
  EXPECT_EQ(blockedLayout({1, 64, 1, 192}, 32, 4, 8).coords(0, 7, 0), Coords({0, 0, 0, 56}));
}

TEST(SharedLayout, OffsetAndPointAreInverse) {
  for (Coords shape :
       {Coords{64, 64}, Coords{128, 32}, Coords{32, 128}, Coords{48, 96}, Coords{5, 7}}) {
    for (SharedLayout layout :
         {SharedLayout::swizzled(shape, 16), SharedLayout::transposed(shape, 16),
          SharedLayout::transposed(shape, 8)}) {
      std::set<int64_t> used;
      for (int64_t r = 0; r < shape[0]; ++r)
        for (int64_t c = 0; c < shape[1]; ++c) {
          int64_t at = layout.offset({r, c});
          EXPECT_TRUE(used.insert(at).second);
          EXPECT_EQ(*layout.pointAt(at), Coords({r, c}));
        }
      EXPECT_LE(*used.rbegin(), layout.numElems() - 1);
    }
  }
}

// Rows 0-3 and 8-11, and 4-7 and 12-15, at 16 columns: what 32 lanes of a transposing read of
// 16-bit elements take at once. They fill the 256 bytes of the banks.
TEST(SharedLayout, TransposedRowsFillTheBanks) {
  for (int64_t cols : {64, 128, 256}) {
    SharedLayout layout = SharedLayout::transposed({64, cols}, 16);
    EXPECT_TRUE(layout.isGray);
    EXPECT_EQ(layout.vecElems, 16);
    for (int64_t first : {0, 4, 16, 20}) {
      std::set<int64_t> places;
      for (int64_t row : {0, 1, 2, 3, 8, 9, 10, 11})
        places.insert(layout.offset({first + row, 32}) * 2 % 256);
      EXPECT_EQ(places.size(), 8u) << cols << " columns, row " << first;
    }
  }
}

TEST(SharedLayout, LinearViewAgrees) {
  SharedLayout layout = SharedLayout::swizzled({64, 64}, 16);
  ASSERT_EQ(layout.phases, 8);
  for (const SharedLayout &each : {layout, SharedLayout::transposed({64, 128}, 16)}) {
    auto linear = each.linear();
    ASSERT_TRUE(linear.has_value());
    EXPECT_TRUE(linear->isInjective());
    for (int64_t offset = 0; offset < each.periodRows() * each.pitchElems; ++offset)
      EXPECT_EQ(linear->apply({offset}), *each.pointAt(offset));
  }
}
