// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-choose-schedules{target=gfx950}))' | FileCheck %s
// RUN: tilec-opt %s --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-choose-schedules{target=sm_90a}))' | FileCheck %s --check-prefix=HOPPER
//
// Of the names that an author gives, one for each target, a loop has its target's; `exact` is no name of a schedule.

// CHECK:      tile.for {{.*}} attributes {exact, strategy = "interleave"}
// HOPPER:     tile.for {{.*}} attributes {exact, strategy = "cluster_m"}
tile.program @wishes {
  %c1 = arith.constant 1 : index
  tile.kernel "wishes" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) stages(2) attributes {strategy = "interleave cluster_m exact"} {
    }
  }
}
