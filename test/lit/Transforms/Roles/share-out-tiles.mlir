// RUN: tilec-opt %S/Inputs/attention.mlir --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_90a},tile-hoist-tiles,tile-find-producers{target=sm_90a},tile-clear-products{target=sm_90a},tile-choose-rounds{target=sm_90a},tile-forward-stores{target=sm_90a},tile-find-dead-rounds,tile-guard-masks{target=sm_90a},tile-share-out-tiles{target=sm_90a}))' | FileCheck %s
// RUN: tilec-opt %S/Inputs/product.mlir --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_90a},tile-hoist-tiles,tile-find-producers{target=sm_90a},tile-clear-products{target=sm_90a},tile-choose-rounds{target=sm_90a},tile-forward-stores{target=sm_90a},tile-find-dead-rounds,tile-guard-masks{target=sm_90a},tile-share-out-tiles{target=sm_90a}))' | FileCheck %s --check-prefix=PRODUCT
// RUN: tilec-opt %S/Inputs/product.mlir --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_90a},tile-hoist-tiles,tile-find-producers{target=sm_90a strategy=cluster_m},tile-clear-products{target=sm_90a},tile-choose-rounds{target=sm_90a strategy=cluster_m},tile-forward-stores{target=sm_90a},tile-find-dead-rounds,tile-guard-masks{target=sm_90a},tile-share-out-tiles{target=sm_90a strategy=cluster_m}))' | FileCheck %s --check-prefix=CLUSTER
//
// Blocks that all run the same rounds share out the tiles of the former grid; where rounds differ from block to block,
// and where all blocks run at once, the grid stays. A product keeps the name of its strategy.

// CHECK-LABEL: tile.kernel "causal" grid(%c2, %c8)
// CHECK-NOT:     persistent
// CHECK-LABEL: tile.kernel "even" grid(%c132{{.*}})
// CHECK:         tile.for {{.*}} attributes {persistent = 1 : i64}
// CHECK:           tile.for {{.*}}served = #tile.served<overlapped {{.*}}slots = 2>
// CHECK-LABEL: tile.kernel "lone" grid(%c2, %c8)
// CHECK-NOT:     persistent
// PRODUCT:     tile.kernel "product" grid(%c132{{.*}})
// PRODUCT:       persistent = 1 : i64
// PRODUCT:         planned = "producer_consumer", served = #tile.served<in_flight slots = 2>
// CLUSTER:     tile.kernel "product" grid(%c132{{.*}}) threads(256) attributes {cluster = 2 : i64}
// CLUSTER:       persistent = 2 : i64
// CLUSTER:         planned = "cluster_m"
