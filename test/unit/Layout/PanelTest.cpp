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

TEST(Panels, RefuseRowsThatNoSwizzleHas) {
  EXPECT_FALSE(SharedLayout::panelled({64, 24}, 16)); // 48 bytes
  EXPECT_FALSE(SharedLayout::panelled({64, 96}, 16)); // 192 bytes
  EXPECT_FALSE(SharedLayout::panelled({12, 64}, 16)); // rows: no multiple of 8
  EXPECT_FALSE(SharedLayout::panelled({64, 64}, 32)); // 4-byte elements
}

} // namespace
