//===- PlantedAttention.cpp - bugs in attention ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "Planted.h"

namespace tilec::ptx::test {
namespace {

const Subject attention = {"test/bench/hopper/fa.py", "fa(1, 1, 384, 64)"};
/// 135 tiles for 132 blocks: Q's ring of one slot goes round.
const Subject persistent = {"test/bench/hopper/fa.py",
                            "fa(1, 45, 192, 64, block_M=64, block_N=64, threads=128)"};
/// 134 tiles; nobody sees the rows of the second warp group in every other one.
const Subject ragged = {"test/bench/hopper/fa.py",
                        "fa(1, 67, 190, 64, block_M=128, block_N=64, threads=256)"};
/// Warp groups take turns, and need one, two and three rounds of the first tile's three.
const Subject causal = {"test/bench/hopper/fa.py",
                        "fa(1, 1, 384, 64, block_M=192, block_N=64, threads=384, causal=True)"};

} // namespace

TEST(Attention, IsSound) {
  expectSound(attention);
  expectSound(persistent, 2);
  expectSound(ragged, 2);
  expectSound(causal);
}

INSTANTIATE_TEST_SUITE_P(
    Attention, Planted,
    ::testing::Values(
        Mutant{"FirstProductNotWaitedFor", &attention, "wgmma\\.wait_group\\.sync\\.aligned 0;",
               "wgmma.wait_group.sync.aligned 1;", 1},
        Mutant{"LastProductNotWaitedFor", &attention, "wgmma\\.wait_group\\.sync\\.aligned 0;",
               "wgmma.wait_group.sync.aligned 1;"},
        Mutant{"OneGroupTooManyInFlight", &attention, "wgmma\\.wait_group\\.sync\\.aligned 1;",
               "wgmma.wait_group.sync.aligned 2;"},
        Mutant{"QueryNotWaitedFor", &attention, TILEC_WAIT, TILEC_NO_WAIT, 3},
        Mutant{"OutputStoredWithoutAFence", &attention,
               "(stmatrix[^;]*;\\s*)fence\\.proxy\\.async\\.shared::cta;", "$1"},
        Mutant{"OutputBarrierMissing", &attention, "bar\\.sync\\s+%r\\d+, 128;", ""},
        Mutant{"SoftmaxReadsTheWrongLane", &attention,
               "shfl\\.sync\\.bfly\\.b32 \\t([^,]*, [^,]*), 1,", "shfl.sync.bfly.b32 $1, 4,"},
        Mutant{"ValuesNotTransposed", &attention, ", 1, 1, 1, 1;", ", 1, 1, 1, 0;"},
        Mutant{"PhaseNotFlipped", &attention, "xor\\.b32 \\t(%r\\d+), \\1, %r\\d+;",
               "mov.b32 $1, $1;"}),
    nameOf);

// Waits: Q, K and V of the producer; Q, the first K, K, V and the last V of the consumers.
// Arrivals: K twice, V, Q, the last V.
INSTANTIATE_TEST_SUITE_P(
    PersistentAttention, Planted,
    ::testing::Values(
        Mutant{"NextQueryOverThisOne", &persistent, TILEC_WAIT, TILEC_NO_WAIT, 1},
        Mutant{"NextKeysOverTheseOnes", &persistent, TILEC_WAIT, TILEC_NO_WAIT, 2},
        Mutant{"QueryNotWaitedFor", &persistent, TILEC_WAIT, TILEC_NO_WAIT, 4},
        Mutant{"KeysNotWaitedFor", &persistent, TILEC_WAIT, TILEC_NO_WAIT, 6},
        Mutant{"ValuesNotWaitedFor", &persistent, TILEC_WAIT, TILEC_NO_WAIT, 7},
        Mutant{"QueryNeverReleased", &persistent,
               "@p mbarrier\\.arrive\\.shared::cta\\.b64 _, \\[%r\\d+\\];", "", 4},
        Mutant{"PhaseOfTheQueryNotFlipped", &persistent, "xor\\.b32 \\t(%r\\d+), \\1, %r\\d+;",
               "mov.b32 $1, $1;", 5},
        Mutant{"ProducerLeavesOutATile", &persistent, "add\\.s32 \\t(%r\\d+), (%r\\d+), 132;",
               "add.s32 $1, $2, 264;", 1},
        Mutant{"TileStoredOverTheLastOne", &persistent,
               "cp\\.async\\.bulk\\.wait_group\\.read \\t0;", ""},
        Mutant{"TileStoredBeforeTheFence", &persistent,
               "(fence\\.proxy\\.async\\.shared::cta;)\\s*bar\\.sync \\t2, 128;", "$1", 1},
        Mutant{"LaunchBeforeNotWaitedFor", &persistent, "griddepcontrol\\.wait;", ""}),
    nameOf);

// Waits: as above, then K and V of dead rounds. Arrivals: as above, then K and V of dead rounds.
INSTANTIATE_TEST_SUITE_P(
    DeadRounds, Planted,
    ::testing::Values(Mutant{"ValuesNotWaitedFor", &ragged, TILEC_WAIT, TILEC_NO_WAIT, 11},
                      Mutant{"WarpsDoNotMeet", &ragged, "bar\\.sync\\s+%r\\d+, 128;", "", 1},
                      Mutant{"KeysNotReleased", &ragged,
                             "@p mbarrier\\.arrive\\.shared::cta\\.b64 _, \\[%r\\d+\\];", "", 6},
                      Mutant{"ValuesNotReleased", &ragged,
                             "@p mbarrier\\.arrive\\.shared::cta\\.b64 _, \\[%r\\d+\\];", "", 7},
                      Mutant{"TurnNotTaken", &causal, "bar\\.sync\\s+%r\\d+, 256;", "", 2},
                      Mutant{"TurnNotPassed", &causal, "bar\\.arrive\\s+%r\\d+, 256;", "", 2}),
    nameOf);

} // namespace tilec::ptx::test
