//===- PlantedTeams.cpp - bugs in teams that take tiles in turn -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Planted.h"

namespace tilec::ptx::test {
namespace {

/// 270 tiles for 2 x 132 teams: some have a second one. Five rounds through two slots, so that the
/// phase of a slot changes with the tiles of the other team.
const Subject teams = {
    "test/bench/hopper/gemm.py",
    "gemm(956, 1144, 152, block_M=64, block_N=64, block_K=32, stages=2, threads=128)", "ping_pong"};

/// The same tiles for 66 clusters of two teams; the last block along M has no tile.
const Subject clustered = {
    "test/bench/hopper/gemm.py",
    "gemm(956, 1144, 152, block_M=64, block_N=64, block_K=32, stages=2, threads=128)",
    "ping_pong_cluster_m"};

// An arrival at the block of a rank: $1 the predicate, $2 the address, $3 the barrier, $4 the rank.
#define REMOTE_ARRIVAL                                                                             \
  "(@p) mapa\\.shared::cluster\\.u32 (ra), (%r\\d+), (%r\\d+);\\s*"                                \
  "@p mbarrier\\.arrive\\.shared::cluster\\.b64 _, \\[ra\\];"
#define ARRIVAL "@p mbarrier\\.arrive\\.shared::cta\\.b64 _, (\\[%r\\d+\\]);"

} // namespace

TEST(Teams, AreSound) {
  expectSound(teams, 2);
  expectSound(clustered, 2);
}

INSTANTIATE_TEST_SUITE_P(
    Teams, Planted,
    ::testing::Values(
        Mutant{"TurnNeverPassedOn", &teams, ARRIVAL, "", 2},
        Mutant{"TurnPassedToItself", &teams, "not\\.b32 \\t(%r\\d+), (%r\\d+);", "mov.b32 $1, $2;",
               1},
        Mutant{"NobodyBegins", &teams, "selp\\.b32 \\t(%r\\d+), 1, 0, %p3;", "mov.b32 $1, 0;", 1},
        Mutant{"SlotsOfTheOtherTeamNotSkipped", &teams, "add\\.s32 \\t(%r\\d+), (%r\\d+), 5;",
               "mov.b32 $1, $2;"},
        Mutant{"OneSlotSkippedTooFew", &teams, "add\\.s32 \\t(%r\\d+), (%r\\d+), 5;",
               "add.s32 $1, $2, 4;"},
        Mutant{"PhaseOfSkippedSlotsForgotten", &teams,
               "(bfe\\.u32 \\t(%r\\d+), %r\\d+, 1, 1;\\s*xor\\.b32 \\t(%r\\d+)), \\3, \\2;",
               "$1, $3, 0;", 1},
        Mutant{"TeamsShareAStagingBuffer", &teams, "shl\\.b32 \\t(%r\\d+), (%r\\d+), 13;",
               "mov.b32 $1, 0;"},
        Mutant{"TeamsShareABarrier", &teams, "bar\\.sync \\t%r\\d+, 128;", "bar.sync 3, 128;"},
        Mutant{"TileStoredOverTheLastOne", &teams, "cp\\.async\\.bulk\\.wait_group\\.read \\t0;",
               ""}),
    nameOf);

INSTANTIATE_TEST_SUITE_P(
    TeamsInClusters, Planted,
    ::testing::Values(Mutant{"ReleasesItselfOnly", &clustered, REMOTE_ARRIVAL,
                             "@p mbarrier.arrive.shared::cta.b64 _, [$3];"},
                      Mutant{"WaitsForItsOwnTeamOnly", &clustered,
                             "mov\\.b32 \\t(%r\\d+), 2;(\\s*mbarrier\\.init)", "mov.b32 $1, 1;$2"},
                      Mutant{"TurnNeverPassedOn", &clustered, ARRIVAL, "", 1},
                      Mutant{"SlotsOfTheOtherTeamNotSkipped", &clustered,
                             "add\\.s32 \\t(%r\\d+), (%r\\d+), 5;", "mov.b32 $1, $2;"},
                      Mutant{"NoMeetingBeforeTheEnd", &clustered,
                             "barrier\\.cluster\\.arrive\\.aligned;\\s*"
                             "barrier\\.cluster\\.wait\\.aligned;",
                             "", 2}),
    nameOf);

} // namespace tilec::ptx::test
