//===- TargetTest.cpp - what chips say of themselves agrees ---------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Target/Target.h"

#include <gtest/gtest.h>

using namespace tilec;

namespace {

class EachTarget : public testing::TestWithParam<ArchName> {
protected:
  const TargetInfo &chip = targetInfo(GetParam().arch);
};

std::string caseName(const testing::TestParamInfo<ArchName> &info) {
  return std::string(info.param.name);
}

} // namespace

INSTANTIATE_TEST_SUITE_P(Target, EachTarget,
                         testing::ValuesIn(allArchs().begin(), allArchs().end()), caseName);

TEST_P(EachTarget, IsItsRow) {
  EXPECT_EQ(chip.arch, GetParam().arch);
  EXPECT_EQ(chip.vendor, GetParam().vendor);
  EXPECT_EQ(parseArch(GetParam().name), GetParam().arch);
}

// A field that a chip's file forgot would be zero.
TEST_P(EachTarget, HasEveryFigure) {
  for (int64_t figure : {chip.waveLanes,
                         chip.schedulers,
                         chip.wavesOfScheduler,
                         chip.units,
                         chip.dies,
                         chip.maxThreads,
                         chip.mostBlocksYZ,
                         chip.registers.ofLane,
                         chip.registers.ofUnit,
                         chip.registers.step,
                         chip.sharedBytes,
                         chip.sharedStep,
                         chip.sharedBanks,
                         chip.bankBytes,
                         chip.swizzleGrain,
                         chip.cacheSector,
                         chip.accessBytes,
                         chip.registers.scalarsOfCopies,
                         chip.cacheLine,
                         chip.counters.memory,
                         chip.counters.shared,
                         chip.constants.shared,
                         chip.clocks.dependentVector,
                         chip.part.memoryBytes,
                         chip.part.cacheBytes,
                         chip.part.threadsOfUnit})
    EXPECT_GT(figure, 0);
  EXPECT_FALSE(chip.asyncCopies.bytes.empty());
  EXPECT_FALSE(chip.mma.empty());
  EXPECT_FALSE(chip.part.name.empty());
}

TEST_P(EachTarget, FiguresAgree) {
  EXPECT_EQ(chip.sharedBytesOfUnit - chip.sharedBytesKept, chip.sharedBytes);
  EXPECT_TRUE(chip.waveLanes == narrowestWave || chip.waveLanes == widestWave);
  EXPECT_LE(chip.maxThreads, largestBlock);
  EXPECT_LE(chip.mostOfCluster, largestCluster);
  EXPECT_EQ(chip.wavesOfScheduler * chip.schedulers * chip.waveLanes, chip.part.threadsOfUnit);
  EXPECT_LE(chip.registers.accumulators, chip.registers.ofLane);
  EXPECT_TRUE(llvm::is_sorted(chip.asyncCopies.bytes, std::greater<>()));
  EXPECT_EQ(chip.groups.empty(), chip.groupDescriptor == nullptr);
  EXPECT_EQ(chip.groups.empty(), chip.groupAccumulator == nullptr);
  EXPECT_EQ(chip.groups.empty(), chip.registersInFlight == 0);
  EXPECT_EQ(chip.hasMbarriers(), chip.mostOfCluster > 1);
  EXPECT_EQ(chip.hasMbarriers(), chip.clusterSums.bytesPerClock > 0);
  EXPECT_EQ(chip.cacheLine % chip.cacheSector, 0);
  EXPECT_GE(chip.accessBytes, chip.asyncCopies.bytes.front());
  EXPECT_EQ(chip.groups.empty(), !chip.registers.moved);
  EXPECT_TRUE(chip.hasMbarriers() || !chip.tensorCopies);
  EXPECT_TRUE(chip.tensorCopies || !chip.patchCopies);
  if (chip.tensorCopies)
    EXPECT_EQ(chip.tensorCopies->swizzleBytes(chip.tensorCopies->widestRowBytes),
              chip.swizzleGrain);
}

// The registers of a warp are all of its part of an accumulator, each element once.
TEST_P(EachTarget, GroupAccumulatorsHoldTheirRows) {
  for (int64_t slabs : {1, 2, 4}) {
    if (chip.groups.empty())
      continue;
    LinearLayout layout = chip.groupAccumulator(slabs);
    int64_t rows = chip.groups.front().m / warpsPerGroup * slabs;
    EXPECT_EQ(layout.boxShape(), (Coords{rows, groupColumns}));
    EXPECT_EQ(layout.inputs()[0].count() * chip.waveLanes, rows * groupColumns);
  }
}

TEST_P(EachTarget, AtomsHoldTheirTiles) {
  for (const MmaAtom &atom : chip.mma) {
    SCOPED_TRACE(atom.name.str());
    EXPECT_EQ(atom.aLayout.boxShape(), (Coords{atom.m, atom.k}));
    EXPECT_EQ(atom.bLayout.boxShape(), (Coords{atom.n, atom.k}));
    EXPECT_EQ(atom.cLayout.boxShape(), (Coords{atom.m, atom.n}));
    for (const LinearLayout *layout : {&atom.aLayout, &atom.bLayout, &atom.cLayout})
      EXPECT_EQ(layout->inputs()[1].count(), chip.waveLanes);
    // Neighbouring accumulators of a lane: the direction that `accumulatesColumns` says.
    EXPECT_EQ(atom.cLayout.inputs()[0].bases[0][1] == 0, chip.accumulatesColumns);
    EXPECT_NE(chip.findAtom(atom.a, atom.b, atom.c, atom.isTfloat32), nullptr);
  }
}

TEST_P(EachTarget, AnswersQuestions) {
  int64_t widest = chip.asyncCopies.bytes.front(), narrowest = chip.asyncCopies.bytes.back();
  EXPECT_EQ(chip.asyncCopy(64), widest);
  EXPECT_EQ(chip.asyncCopy(narrowest), narrowest);
  EXPECT_EQ(chip.asyncCopy(narrowest - 1), 0);
  EXPECT_EQ(chip.transposedRead(32), 0);
  EXPECT_EQ(chip.registersOf(1), chip.registers.ofLane);
  int64_t most = chip.maxThreads / chip.waveLanes;
  EXPECT_LE(chip.registersOf(most) * most * chip.waveLanes, chip.registers.ofUnit);
  EXPECT_GE(chip.registersOf(most), 64);
}

TEST(Target, NoChipHasWhatAnotherOneLacks) {
  EXPECT_EQ(targetInfo(Arch::Sm80).findAtom(DType::E4M3FN, DType::E4M3FN, DType::F32), nullptr);
  EXPECT_EQ(targetInfo(Arch::Gfx942).findAtom(DType::E4M3FN, DType::E4M3FN, DType::F32), nullptr);
  EXPECT_EQ(targetInfo(Arch::Gfx950).transposedRead(16), 64);
  EXPECT_EQ(targetInfo(Arch::Gfx942).transposedRead(16), 0);
  EXPECT_EQ(targetInfo(Arch::Sm90a).findGroupAtom(DType::F16, DType::BF16, DType::F32), nullptr);
  EXPECT_TRUE(targetInfo(Arch::Sm90).groups.empty());
}

TEST(Target, ShortProductsAreNotForPlainFloats) {
  for (Arch arch : {Arch::Sm80, Arch::Sm89, Arch::Sm90a, Arch::Sm120}) {
    const TargetInfo &chip = targetInfo(arch);
    EXPECT_EQ(chip.findAtom(DType::F32, DType::F32, DType::F32), nullptr);
    const MmaAtom *atom = chip.findAtom(DType::F32, DType::F32, DType::F32, /*tfloat32=*/true);
    ASSERT_NE(atom, nullptr);
    EXPECT_EQ(atom->k, 8);
  }
  const TargetInfo &hopper = targetInfo(Arch::Sm90a);
  EXPECT_EQ(hopper.findGroupAtom(DType::F32, DType::F32, DType::F32), nullptr);
  EXPECT_NE(hopper.findGroupAtom(DType::F32, DType::F32, DType::F32, /*tfloat32=*/true), nullptr);
  // Exact products serve both.
  const TargetInfo &cdna = targetInfo(Arch::Gfx942);
  EXPECT_EQ(cdna.findAtom(DType::F32, DType::F32, DType::F32),
            cdna.findAtom(DType::F32, DType::F32, DType::F32, /*tfloat32=*/true));
}

TEST(Target, Sm89MultipliesEightBitFloats) {
  for (Arch arch : {Arch::Sm89, Arch::Sm120}) {
    const MmaAtom *atom = targetInfo(arch).findAtom(DType::E4M3FN, DType::E5M2, DType::F32);
    ASSERT_NE(atom, nullptr);
    EXPECT_EQ(atom->k, 32);
    EXPECT_EQ(targetInfo(arch).sharedBytes, 101376);
  }
}
