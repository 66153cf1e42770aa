// RUN: tilec-opt %S/Inputs/attention.mlir --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_90a},tile-clear-products{target=sm_90a}))' | FileCheck %s
// RUN: tilec-opt %S/Inputs/attention.mlir --verify-contracts=sm_80 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_80},tile-clear-products{target=sm_80}))' | FileCheck %s --check-prefix=KEPT
//
// A fill with zeros is the product's, where warp groups multiply: their instruction ignores what C holds.

// CHECK-LABEL: tile.kernel "even"
// CHECK:         tile.for
// CHECK-NOT:     tile.fill
// CHECK:         tile.gemm {{.*}} clear(%true
// KEPT-LABEL:  tile.kernel "even"
// KEPT:          tile.for
// KEPT:          tile.fill
// KEPT-NOT:      clear(
