//===- PlantedGemm.cpp - bugs in products ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Planted.h"

namespace tilec::ptx::test {
namespace {

const Subject gemm = {"test/bench/hopper/gemm.py", "gemm(200, 328, 328, block_N=128)"};
/// Four column chunks through two staging buffers.
const Subject wideGemm = {"test/bench/hopper/gemm.py", "gemm(200, 328, 136, stages=2)"};

/// A shared tile in the bytes of the rings, which are over.
const Subject sharedTile = {"test/e2e/hopper-shared-tiles.py", "product(M=330, N=256, K=712)"};

} // namespace

TEST(Gemm, IsSound) {
  expectSound(gemm);
  expectSound(sharedTile);
  expectSound(wideGemm);
}

INSTANTIATE_TEST_SUITE_P(
    Gemm, Planted,
    ::testing::Values(
        Mutant{"ProducerDoesNotWaitForAnEmptySlot", &gemm, TILEC_WAIT, TILEC_NO_WAIT, 1},
        Mutant{"SlotReleasedBeforeItsWgmmaIsOver", &gemm, "wgmma\\.wait_group\\.sync\\.aligned 1;",
               "wgmma.wait_group.sync.aligned 2;"},
        Mutant{"AccumulatorsReadEarly", &gemm, "wgmma\\.wait_group\\.sync\\.aligned 0;", ""},
        Mutant{"WgmmaFenceMissing", &gemm, "wgmma\\.fence\\.sync\\.aligned;", ""},
        Mutant{"ProxyFenceMissingBeforeTheStore", &gemm,
               "(stmatrix[^;]*;\\s*)fence\\.proxy\\.async\\.shared::cta;", "$1"},
        Mutant{"InitialisationNotFenced", &gemm,
               "fence\\.mbarrier_init\\.release\\.cluster;\\s*fence\\.proxy\\.async\\.shared::cta;",
               "", 1},
        Mutant{"BarrierBetweenStmatrixAndStoreMissing", &gemm, "bar\\.sync\\s+%r\\d+, 128;", ""},
        Mutant{"BlockBarrierMissing", &gemm, "bar\\.sync\\s+0;", ""},
        Mutant{"StagingBufferNotWaitedFor", &wideGemm,
               "cp\\.async\\.bulk\\.wait_group\\.read\\s+1;", ""},
        Mutant{"StoreNotWaitedForAtTheEnd", &gemm, "cp\\.async\\.bulk\\.wait_group\\s+0;", ""},
        Mutant{"StmatrixSwizzleOff", &gemm, "or\\.b32 \\t(%r\\d+, %r\\d+), 2;(\\s*xor)",
               "or.b32 $1, 4;$2"},
        Mutant{"DescriptorSwizzleOff", &gemm, "1073741888", "2147483712"},
        Mutant{"DescriptorStrideOff", &gemm, "1073741888", "1073741856"},
        Mutant{"KStepOff", &gemm, "add\\.u32 ra, (%r\\d+), 2;", "add.u32 ra, $1, 4;"},
        Mutant{"ExpectedBytesTooFew", &gemm, "mov\\.b32 \\t(%r\\d+), 32768;", "mov.b32 $1, 16384;"},
        Mutant{"ExpectedBytesTooMany", &gemm, "mov\\.b32 \\t(%r\\d+), 32768;",
               "mov.b32 $1, 49152;"},
        Mutant{"PhaseNotFlipped", &gemm, "xor\\.b32 \\t(%r\\d+), \\1, %r\\d+;", "mov.b32 $1, $1;"},
        Mutant{"ProducerStartsWithTheWrongParity", &gemm,
               "mov\\.b32 \\t(%r\\d+), 1;(\\s*mov\\.b32)", "mov.b32 $1, 0;$2"},
        Mutant{"EmptyBarrierCountsTooFew", &gemm, "mov\\.b32 \\t(%r\\d+), 2;(\\s*mbarrier\\.init)",
               "mov.b32 $1, 1;$2"},
        Mutant{"EmptyBarrierCountsTooMany", &gemm, "mov\\.b32 \\t(%r\\d+), 2;(\\s*mbarrier\\.init)",
               "mov.b32 $1, 3;$2"},
        Mutant{"BoxAtTheWrongPlace", &gemm,
               "(complete_tx::bytes \\[%r\\d+\\], \\[%rd\\d+, )\\{(%r\\d+), (%r\\d+)\\}",
               "$1{$3, $2}"},
        Mutant{"RegistersNotGivenBack", &gemm, "setmaxnreg\\.dec[^;]*;", ""},
        Mutant{"MoreRegistersTakenThanThereAre", &gemm,
               "(setmaxnreg\\.inc\\.sync\\.aligned\\.u32 \\t)\\d+;", "$1 248;"},
        Mutant{"TileWrittenWhileOthersReadTheRing", &sharedTile, "bar\\.sync\\s+1, 256;", "", 1},
        Mutant{"EveryThreadReleases", &gemm, "(setp\\.ne\\.b32 p, %r\\d+), 0;", "$1, 7;"}),
    nameOf);

} // namespace tilec::ptx::test
