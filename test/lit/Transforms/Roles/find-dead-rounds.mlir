// RUN: tilec-opt %S/Inputs/attention.mlir --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_90a},tile-hoist-tiles,tile-find-producers{target=sm_90a},tile-clear-products{target=sm_90a},tile-choose-rounds{target=sm_90a},tile-forward-stores{target=sm_90a},tile-find-dead-rounds))' | FileCheck %s
//
// Under a causal mask a round changes nothing for a warp group whose rows are all above its keys: from its own number on.
// Without a mask, where all rows are stored, no round is dead.

// CHECK-LABEL: tile.kernel "causal"
// CHECK:         tile.warp_group
// CHECK:         [[FROM:%[0-9]+]] = arith.ceildivsi %{{[0-9]+}}, %c128
// CHECK:         tile.for {{.*}} dead_from([[FROM]]) kind(pipelined) stages(2) attributes {served = #tile.served<overlapped {{.*}}slots = 2>} {
// The mask is still there.
// CHECK:           arith.cmpi sge
// CHECK-LABEL: tile.kernel "even"
// CHECK-NOT:     dead_from
