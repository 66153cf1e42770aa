// RUN: tilec-opt %S/Inputs/attention.mlir --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_90a},tile-hoist-tiles,tile-find-producers{target=sm_90a},tile-clear-products{target=sm_90a},tile-choose-rounds{target=sm_90a},tile-forward-stores{target=sm_90a},tile-find-dead-rounds,tile-guard-masks{target=sm_90a},tile-share-out-tiles{target=sm_90a},tile-take-turns{target=sm_90a}))' | FileCheck %s
// RUN: tilec-opt %S/Inputs/attention.mlir --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_90a},tile-hoist-tiles,tile-find-producers{target=sm_90a strategy=overlap},tile-clear-products{target=sm_90a},tile-choose-rounds{target=sm_90a strategy=overlap},tile-forward-stores{target=sm_90a},tile-find-dead-rounds,tile-guard-masks{target=sm_90a},tile-share-out-tiles{target=sm_90a strategy=overlap},tile-take-turns{target=sm_90a strategy=overlap}))' | FileCheck %s --check-prefix=NONE
//
// Warp groups of an overlapped loop multiply in turn where blocks do not share out their tiles, or their author asks
// for it; not where `overlap` is named.

// CHECK-LABEL: tile.kernel "causal"
// CHECK:         served = #tile.served<overlapped {{.*}}slots = 2 turns>
// CHECK-LABEL: tile.kernel "even"
// CHECK:         served = #tile.served<overlapped {{.*}}slots = 2>
// NONE-LABEL:  tile.kernel "causal"
// NONE:          served = #tile.served<overlapped {{.*}}slots = 2 exact>
