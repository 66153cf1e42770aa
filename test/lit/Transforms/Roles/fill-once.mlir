// RUN: tilec-opt %S/Inputs/attention.mlir --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_90a},tile-hoist-tiles,tile-find-producers{target=sm_90a},tile-clear-products{target=sm_90a},tile-choose-rounds{target=sm_90a},tile-forward-stores{target=sm_90a},tile-find-dead-rounds,tile-guard-masks{target=sm_90a},tile-share-out-tiles{target=sm_90a},tile-take-turns{target=sm_90a},tile-fit-slots{target=sm_90a},tile-store-tiles{target=sm_90a},tile-add-slots{target=sm_90a},tile-fill-once{target=sm_90a}))' | FileCheck %s
// RUN: tilec-opt %S/Inputs/product.mlir --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_90a},tile-hoist-tiles,tile-find-producers{target=sm_90a},tile-clear-products{target=sm_90a},tile-choose-rounds{target=sm_90a},tile-forward-stores{target=sm_90a},tile-find-dead-rounds,tile-guard-masks{target=sm_90a},tile-share-out-tiles{target=sm_90a},tile-take-turns{target=sm_90a},tile-fit-slots{target=sm_90a},tile-store-tiles{target=sm_90a},tile-add-slots{target=sm_90a},tile-fill-once{target=sm_90a}))' | FileCheck %s --check-prefix=ROUNDS
//
// Attention's Q, which only the first gemm reads, is a producer's. A product has no copies beside its rounds.

// CHECK-LABEL: tile.kernel "causal"
// CHECK:         tile.copy %{{.*}} to %q {transfers = #tile.transfers<[1, 192, 64] swizzle = 128 panels = 1 chunks = 1 row_dim = 1 col_dim = 2>}
// CHECK:         tile.for
// ROUNDS:      tile.for {{.*}}served
// ROUNDS-COUNT-2: {transfers =
// ROUNDS-NOT:  {transfers =
