// RUN: tilec-opt %S/Inputs/attention.mlir --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_90a},tile-hoist-tiles,tile-find-producers{target=sm_90a},tile-clear-products{target=sm_90a},tile-choose-rounds{target=sm_90a},tile-forward-stores{target=sm_90a},tile-find-dead-rounds,tile-guard-masks{target=sm_90a}))' | FileCheck %s
// RUN: tilec-opt %S/Inputs/product.mlir --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_90a},tile-hoist-tiles,tile-find-producers{target=sm_90a},tile-clear-products{target=sm_90a},tile-choose-rounds{target=sm_90a},tile-forward-stores{target=sm_90a},tile-find-dead-rounds,tile-guard-masks{target=sm_90a}))' | FileCheck %s --check-prefix=PRODUCT
// RUN: tilec-opt %S/Inputs/attention.mlir --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_90a},tile-hoist-tiles,tile-find-producers{target=sm_90a strategy=producer_consumer},tile-clear-products{target=sm_90a},tile-choose-rounds{target=sm_90a strategy=producer_consumer},tile-forward-stores{target=sm_90a},tile-find-dead-rounds,tile-guard-masks{target=sm_90a}))' 2>/dev/null | FileCheck %s --check-prefix=PLAIN
//
// Two gemms, of which the second takes what was computed from the first, are overlapped; with one stage, too, where
// nobody else uses the time. The gemm of a product stays in flight. `producer_consumer` waits for each, and asks for a
// ring: one stage has none.

// CHECK-LABEL: tile.kernel "causal"
// CHECK:         tile.for {{.*}}served = #tile.served<overlapped [head, first, early, early, early, early, deferred, late, second] slots = 2>
// CHECK-LABEL: tile.kernel "even"
// CHECK:         served = #tile.served<overlapped {{.*}}slots = 2>
// CHECK-LABEL: tile.kernel "lone"
// CHECK:         served = #tile.served<overlapped {{.*}}slots = 1>
// PRODUCT:       served = #tile.served<in_flight slots = 2>
// PLAIN-LABEL: tile.kernel "causal"
// PLAIN-NOT:     dead_from
// PLAIN:         served = #tile.served<plain slots = 2 exact>
// PLAIN-LABEL: tile.kernel "lone"
// PLAIN-NOT:     served
// PLAIN-NOT:     transfers
