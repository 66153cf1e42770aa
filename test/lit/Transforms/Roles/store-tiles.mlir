// RUN: tilec-opt %S/Inputs/product.mlir --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_90a},tile-hoist-tiles,tile-find-producers{target=sm_90a},tile-clear-products{target=sm_90a},tile-choose-rounds{target=sm_90a},tile-forward-stores{target=sm_90a},tile-find-dead-rounds,tile-guard-masks{target=sm_90a},tile-share-out-tiles{target=sm_90a},tile-take-turns{target=sm_90a},tile-fit-slots{target=sm_90a},tile-store-tiles{target=sm_90a}))' | FileCheck %s
//
// What a product with a producer leaves in its accumulator is stored by tensor copies: through two buffers a warp group,
// of 64 columns each.

// CHECK:       tile.kernel "product"
// CHECK:         tile.store_tile {{.*}}buffers = 2 : i64, bytes = 8192 : i64, row_bytes = array<i64: 128>, rows = array<i64: 0>
// CHECK-NEXT:      tile.load %c[
