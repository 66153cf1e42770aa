// RUN: tilec-opt %S/Inputs/product.mlir --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_90a},tile-hoist-tiles,tile-find-producers{target=sm_90a},tile-clear-products{target=sm_90a},tile-choose-rounds{target=sm_90a},tile-forward-stores{target=sm_90a},tile-find-dead-rounds,tile-guard-masks{target=sm_90a},tile-share-out-tiles{target=sm_90a},tile-take-turns{target=sm_90a},tile-fit-slots{target=sm_90a},tile-store-tiles{target=sm_90a},tile-add-slots{target=sm_90a},tile-fill-once{target=sm_90a},tile-clear-first-rounds{target=sm_90a}))' | FileCheck %s
//
// A product's C is not filled with zeros in front of the loop: the first round ignores what it holds.

// CHECK:       tile.kernel "product"
// CHECK-NOT:     tile.fill
// CHECK:         tile.for [[K:%[a-z0-9]+]] = [[FIRST:%[a-z0-9_]+]] to {{.*}}served
// CHECK:           [[CLEAR:%[0-9]+]] = arith.cmpi eq, [[K]], [[FIRST]]
// CHECK-NEXT:      tile.gemm {{.*}} clear([[CLEAR]])
