//===- PlantedClusters.cpp - bugs in clusters with multicast --------------===//
//
// Clusters of two blocks, neighbours along M: each brings half of B's tile to both. The
// grid has an odd number of tiles along M, so the last block multiplies no tile.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Planted.h"

namespace tilec::ptx::test {
namespace {

const Subject clusters = {"test/bench/hopper/gemm.py", "gemm(300, 136, 328, block_N=128, stages=2)",
                          "cluster_m"};
/// B with K as the slower dimension: its descriptors have a leading stride.
const Subject slowK = {"test/bench/hopper/gemm.py",
                       "gemm(300, 136, 328, block_N=128, stages=2, tb=False)", "cluster_m"};

// An arrival at the block of a rank: $1 the predicate, $2 the address, $3 the barrier, $4 the rank.
#define REMOTE_ARRIVAL                                                                             \
  "(@p) mapa\\.shared::cluster\\.u32 (ra), (%r\\d+), (%r\\d+);\\s*"                                \
  "@p mbarrier\\.arrive\\.shared::cluster\\.b64 _, \\[ra\\];"

} // namespace

TEST(Clusters, AreSound) {
  expectSound(clusters);
  expectSound(slowK);
}

INSTANTIATE_TEST_SUITE_P(
    Clusters, Planted,
    ::testing::Values(
        // Shared addresses have the block's rank in bits 24 and up (Machine.h).
        Mutant{"RankInDescriptors", &slowK, "and\\.b32 \\t(%r\\d+), (%r\\d+), 16320;",
               "mov.b32 $1, $2;"},
        Mutant{"RankInDescriptorsOfB", &slowK, "and\\.b32 \\t(%r\\d+), (%r\\d+), 16320;",
               "mov.b32 $1, $2;", 2},
        Mutant{"MulticastToOneBlock", &clusters, "mov\\.b16 \\t(%rs\\d+), 3;", "mov.b16 $1, 1;"},
        Mutant{"MulticastToTheOtherBlockOnly", &clusters, "mov\\.b16 \\t(%rs\\d+), 3;",
               "mov.b16 $1, 2;"},
        Mutant{"MulticastToThreeBlocks", &clusters, "mov\\.b16 \\t(%rs\\d+), 3;", "mov.b16 $1, 7;"},
        Mutant{"BothBringTheSameHalf", &slowK, "shl\\.b32 \\t(%r\\d+), (%r\\d+), 12;",
               "mov.b32 $1, 0;", 1},
        Mutant{"HalvesExchanged", &slowK, "shl\\.b32 \\t(%r\\d+), (%r\\d+), 12;",
               "xor.b32 $1, $2, 1;\nshl.b32 $1, $1, 12;", 1},
        Mutant{"ReleasesItselfOnly", &clusters, REMOTE_ARRIVAL,
               "@p mbarrier.arrive.shared::cta.b64 _, [$3];"},
        Mutant{"ReleasesTheOtherOnly", &clusters, REMOTE_ARRIVAL,
               "mov.u32 ra, %cluster_ctarank;\nxor.b32 ra, ra, 1;\n"
               "@p mapa.shared::cluster.u32 ra, $3, ra;\n"
               "@p mbarrier.arrive.shared::cluster.b64 _, [ra];"},
        Mutant{"ReleasesBeforeTheProduct", &clusters, "wgmma\\.wait_group\\.sync\\.aligned 1;",
               "wgmma.wait_group.sync.aligned 2;"},
        Mutant{"WaitsForItsOwnConsumersOnly", &clusters,
               "mov\\.b32 \\t(%r\\d+), 4;(\\s*mbarrier\\.init)", "mov.b32 $1, 2;$2"},
        Mutant{"ProducerDoesNotWait", &clusters, TILEC_WAIT, TILEC_NO_WAIT, 1},
        Mutant{"ExpectsItsOwnHalfOnly", &clusters, "mov\\.b32 \\t(%r\\d+), 32768;",
               "mov.b32 $1, 24576;"},
        Mutant{"MulticastBytesCountedTwice", &clusters, "mov\\.b32 \\t(%r\\d+), 32768;",
               "mov.b32 $1, 40960;"},
        Mutant{"NoMeetingWhenTheBarriersAreMade", &clusters,
               "barrier\\.cluster\\.arrive\\.aligned;\\s*barrier\\.cluster\\.wait\\.aligned;",
               "bar.sync 0;", 1},
        Mutant{"MeetingThatOrdersNothing", &clusters, "barrier\\.cluster\\.arrive\\.aligned;",
               "barrier.cluster.arrive.relaxed.aligned;", 1},
        Mutant{"NoMeetingBeforeTheEnd", &clusters,
               "barrier\\.cluster\\.arrive\\.aligned;\\s*barrier\\.cluster\\.wait\\.aligned;", "",
               2},
        Mutant{"BarriersNotFenced", &clusters,
               "fence\\.mbarrier_init\\.release\\.cluster;\\s*fence\\.proxy\\.async\\.shared::cta;",
               ""},
        // The launch before may still run (griddepcontrol).
        Mutant{"LaunchBeforeNotWaitedFor", &clusters, "griddepcontrol\\.wait;", ""},
        Mutant{"OneWarpWaitsForTheLaunchBefore", &clusters, "griddepcontrol\\.wait;",
               "@!%p1 griddepcontrol.wait;"}),
    nameOf);

} // namespace tilec::ptx::test
