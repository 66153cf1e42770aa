//===- PanelTest.cpp - shared tiles as TMA writes and wgmma reads them ----===//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Layout/SharedLayout.h"

#include <gtest/gtest.h>
#include <set>

using namespace tilec;

namespace {

// CUDA's 128-byte swizzle permutes 16-byte chunks by address bits: bits 4-6 are XORed with bits
// 7-9. A panel of 64 halves has exactly 128 bytes a row.
TEST(Panels, AreCudas128ByteSwizzle) {
  std::optional<SharedLayout> layout = SharedLayout::panelled({32, 192}, 16);
  ASSERT_TRUE(layout.has_value());
  EXPECT_EQ(layout->panels(), 3);
  for (int64_t row = 0; row < 32; ++row)
    for (int64_t col = 0; col < 192; ++col) {
      int64_t linear = (col / 64) * 32 * 128 + row * 128 + (col % 64) * 2; // bytes, not swizzled
      int64_t swizzled = linear ^ ((linear >> 7 & 7) << 4);
      EXPECT_EQ(layout->offset({row, col}) * 2, swizzled) << row << "," << col;
    }
}

TEST(Panels, OffsetAndPointAreInverseInRingsToo) {
  for (Coords shape : {Coords{64, 256}, Coords{3, 24, 128}, Coords{2, 40, 64}, Coords{16, 32}}) {
    std::optional<SharedLayout> layout = SharedLayout::panelled(shape, 16);
    ASSERT_TRUE(layout.has_value());
    std::set<Coords> seen;
    for (int64_t offset = 0; offset < layout->numElems(); ++offset) {
      std::optional<Coords> point = layout->pointAt(offset);
      ASSERT_TRUE(point.has_value());
      EXPECT_EQ(layout->offset(*point), offset);
      EXPECT_TRUE(seen.insert(*point).second);
    }
  }
}

// Within 64 bytes bits 4 and 5 are XORed with bits 7 and 8 (PTX ISA 9.0, "Tensor swizzling").
TEST(Panels, OfOtherRowsAreNarrowerOrPadded) {
  struct Row {
    int64_t cols, panelElems, panels;
  };
  for (Row row : {Row{96, 32, 3}, Row{80, 32, 3}, Row{112, 64, 2}, Row{160, 64, 3}, Row{224, 64, 4},
                  Row{40, 16, 3}, Row{48, 16, 3}}) {
    std::optional<SharedLayout> layout = SharedLayout::panelled({16, row.cols}, 16);
    ASSERT_TRUE(layout.has_value()) << row.cols;
    EXPECT_EQ(layout->panelElems, row.panelElems) << row.cols;
    EXPECT_EQ(layout->panels(), row.panels) << row.cols;
    EXPECT_EQ(layout->numElems(), 16 * row.panels * row.panelElems);
    int64_t span = row.panelElems * 2, mask = span / 16 - 1;
    int64_t seen = 0;
    for (int64_t r = 0; r < 16; ++r)
      for (int64_t col = 0; col < row.cols; ++col) {
        int64_t linear = col / row.panelElems * 16 * span + r * span + col % row.panelElems * 2;
        int64_t swizzled = linear ^ (linear >> 7 & mask) << 4;
        EXPECT_EQ(layout->offset({r, col}) * 2, swizzled) << r << "," << col;
      }
    for (int64_t offset = 0; offset < layout->numElems(); ++offset)
      if (std::optional<Coords> point = layout->pointAt(offset)) {
        EXPECT_EQ(layout->offset(*point), offset);
        ++seen;
      }
    EXPECT_EQ(seen, 16 * row.cols);
  }
}

TEST(Panels, RefuseRowsThatNoSwizzleHas) {
  EXPECT_FALSE(SharedLayout::panelled({64, 24}, 16)); // 48 bytes: a third would be padding
  EXPECT_FALSE(SharedLayout::panelled({64, 20}, 16)); // 40 bytes: no multiple of 16
  EXPECT_FALSE(SharedLayout::panelled({12, 64}, 16)); // rows: no multiple of 8
  EXPECT_FALSE(SharedLayout::panelled({64, 64}, 64)); // 8-byte elements
}

} // namespace
