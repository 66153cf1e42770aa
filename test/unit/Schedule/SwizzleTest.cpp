//===- SwizzleTest.cpp - operand reads without bank conflicts -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Layouts/Swizzle.h"

#include <gtest/gtest.h>

namespace tilec::test {

namespace {

struct Operand {
  Arch arch;
  DType dtype, accumulator;
  bool kIsRow;
};

std::string nameOf(const Operand &operand) {
  return std::string(tilec::nameOf(operand.arch)) + " " +
         std::string(tilec::nameOf(operand.dtype)) + (operand.kIsRow ? " K x rows" : " rows x K");
}

/// Two repetitions of the atom and as many K steps as the tile has.
FragmentLayout layoutOf(const MmaAtom &atom, int64_t rows, int64_t k) {
  return FragmentLayout({rows, k}, atom.aLayout, {{1, k / atom.k}, {0, 2}},
                        {{0, rows / atom.m / 2}});
}

} // namespace

// By the measured bank tables: every tile of a usual size is read at the full rate of LDS.
TEST(Swizzle, ReadsMeetNoBankTwice) {
  unsigned others = 0;
  const Operand operands[] = {{Arch::Gfx942, DType::BF16, DType::F32, false},
                              {Arch::Gfx942, DType::F16, DType::F32, false},
                              {Arch::Gfx942, DType::E4M3FNUZ, DType::F32, false},
                              {Arch::Gfx942, DType::I8, DType::I32, false},
                              {Arch::Gfx950, DType::BF16, DType::F32, false},
                              {Arch::Gfx950, DType::E4M3FN, DType::F32, false},
                              {Arch::Gfx950, DType::I8, DType::I32, false},
                              {Arch::Gfx950, DType::BF16, DType::F32, true},
                              {Arch::Gfx950, DType::E4M3FN, DType::F32, true},
                              {Arch::Gfx950, DType::I8, DType::I32, true}};
  for (const Operand &operand : operands) {
    const TargetInfo &target = targetInfo(operand.arch);
    const MmaAtom *atom = target.findAtom(operand.dtype, operand.dtype, operand.accumulator);
    ASSERT_NE(atom, nullptr) << nameOf(operand);
    for (int64_t rows : {64, 128, 256})
      for (int64_t k : {32, 64, 128}) {
        if (k % atom->k != 0)
          continue;
        auto reads =
            sharedReads(layoutOf(*atom, rows, k), operand.kIsRow, 1, operand.dtype, target);
        ASSERT_TRUE(reads.has_value()) << nameOf(operand);
        EXPECT_EQ(reads->isTransposed, operand.kIsRow);
        Coords shape = operand.kIsRow ? Coords{k, rows} : Coords{rows, k};
        SharedLayout layout = chooseSwizzle(shape, *reads);
        EXPECT_EQ(conflictsOf(*reads, layout), 0)
            << nameOf(operand) << " " << rows << ", " << k << ": " << layout.str();
        // Others are passed on in order, and have no conflicts either.
        SharedLayout other = chooseSwizzle(shape, *reads, 1);
        EXPECT_EQ(conflictsOf(*reads, other), 0) << nameOf(operand) << ": " << other.str();
        others += !(other == layout);
        // Without a swizzle the same reads are slower: the count counts.
        if (k * bitsOf(operand.dtype) >= 512 && rows * bitsOf(operand.dtype) >= 2048)
          EXPECT_GT(conflictsOf(*reads, SharedLayout::plain(shape)), 0)
              << nameOf(operand) << " " << rows << ", " << k;
      }
  }
  EXPECT_GT(others, 0U);
}

TEST(Swizzle, ElementsThatAreReadOneByOneHaveNoSay) {
  const TargetInfo &target = targetInfo(Arch::Gfx942);
  const MmaAtom *atom = target.findAtom(DType::BF16, DType::BF16, DType::F32);
  EXPECT_FALSE(sharedReads(layoutOf(*atom, 128, 32), true, 1, DType::BF16, target).has_value());
}

// Rows that are fetched together for one k and turned in registers: 2, 4 or 8 bytes a lane.
TEST(Swizzle, RowsThatAreReadTogetherMeetNoBankTwice) {
  const TargetInfo &target = targetInfo(Arch::Gfx942);
  for (DType dtype : {DType::BF16, DType::E4M3FNUZ}) {
    const MmaAtom *atom = target.findAtom(dtype, dtype, DType::F32);
    for (int64_t together : {2, 4, 8}) {
      if (together * bytesOf(dtype) > 8 || together * bytesOf(dtype) < 4)
        continue;
      // As GemmPlan makes it: the rows of a lane are registers behind those of k.
      llvm::SmallVector<LayoutInput, 3> inputs(atom->aLayout.inputs());
      for (LayoutInput &in : inputs)
        for (Coords &base : in.bases)
          base[0] *= together;
      for (int64_t row = 1; row < together; row *= 2)
        inputs[0].bases.push_back({row, 0});
      for (int64_t rows : {64, 128, 256})
        for (int64_t k : {32, 64}) {
          // In rows of 64 bytes no swizzle keeps two k apart that are read at once.
          if (rows < 16 * together || rows * bytesOf(dtype) < 128)
            continue;
          FragmentLayout layout({rows, k}, LinearLayout(2, inputs), {{1, k / atom->k}},
                                {{0, rows / (16 * together)}});
          auto reads = sharedReads(layout, true, together, dtype, target);
          ASSERT_TRUE(reads.has_value());
          EXPECT_EQ(reads->bytesPerLane, together * bytesOf(dtype));
          EXPECT_EQ(conflictsOf(*reads, chooseSwizzle({k, rows}, *reads)), 0)
              << nameOf(dtype) << " " << together << " of " << rows << ", " << k;
        }
    }
  }
}

} // namespace tilec::test
