// RUN: tilec-opt %S/Inputs/product.mlir --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_90a},tile-hoist-tiles,tile-find-producers{target=sm_90a},tile-clear-products{target=sm_90a},tile-choose-rounds{target=sm_90a},tile-forward-stores{target=sm_90a},tile-find-dead-rounds,tile-guard-masks{target=sm_90a},tile-share-out-tiles{target=sm_90a},tile-take-turns{target=sm_90a},tile-fit-slots{target=sm_90a},tile-store-tiles{target=sm_90a},tile-add-slots{target=sm_90a}))' | FileCheck %s
// RUN: tilec-opt %S/Inputs/attention.mlir --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_90a},tile-hoist-tiles,tile-find-producers{target=sm_90a},tile-clear-products{target=sm_90a},tile-choose-rounds{target=sm_90a},tile-forward-stores{target=sm_90a},tile-find-dead-rounds,tile-guard-masks{target=sm_90a},tile-share-out-tiles{target=sm_90a},tile-take-turns{target=sm_90a},tile-fit-slots{target=sm_90a},tile-store-tiles{target=sm_90a},tile-add-slots{target=sm_90a}))' | FileCheck %s --check-prefix=ONE
//
// A ring of two slots gets as many as hide a copy behind the gemms of the others' rounds. Overlapped loops keep the
// author's; one slot is filled a round ahead for the first gemm.

// CHECK:       served = #tile.served<in_flight slots = 5>
// ONE-LABEL: tile.kernel "even"
// ONE:         served = #tile.served<overlapped {{.*}}slots = 2>
// ONE-LABEL: tile.kernel "lone"
// ONE:         served = #tile.served<overlapped {{.*}}slots = 1 turns first_ahead>
