// RUN: tilec-opt %s --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_90a},tile-hoist-tiles,tile-find-producers{target=sm_90a},tile-clear-products{target=sm_90a},tile-choose-rounds{target=sm_90a},tile-forward-stores{target=sm_90a},tile-find-dead-rounds,tile-guard-masks{target=sm_90a},tile-share-out-tiles{target=sm_90a},tile-take-turns{target=sm_90a},tile-fit-slots{target=sm_90a},tile-store-tiles{target=sm_90a},tile-add-slots{target=sm_90a},tile-fill-once{target=sm_90a},tile-clear-first-rounds{target=sm_90a},tile-delay-waits{target=sm_90a}))' | FileCheck %s
//
// The second gemm is started before anything needs the first one's result; each statement waits for the gemms up to the
// one that it needs, and the round's end for all.

// CHECK-LABEL: tile.kernel "chain"
// CHECK:         tile.for {{.*}}served<beside
// CHECK:         tile.gemm %Q, %K, %S {{.*}}in_flight
// CHECK-NOT:     tile.gemm_wait
// CHECK:         tile.gemm %Q, %V, %S2 {{.*}}in_flight
// CHECK:         tile.gemm_wait %S pending 1
// CHECK-NEXT:    tile.parallel
// CHECK:         tile.gemm %P, %V, %O {in_flight
// CHECK-NEXT:    tile.gemm_wait %S2 pending 1
// CHECK-NEXT:    tile.parallel
// CHECK:         tile.gemm_wait %O, %P pending 0
// CHECK-NEXT:  }
tile.program @chain {
  %0 = tile.tensor "Q"[] : !tile.buffer<[64, 64], f16, global>
  %1 = tile.tensor "K"[] : !tile.buffer<[1024, 64], f16, global>
  %2 = tile.tensor "V"[] : !tile.buffer<[1024, 64], f16, global>
  %3 = tile.tensor "Out"[] : !tile.buffer<[64, 64], f32, global>
  %4 = tile.tensor "Out2"[] : !tile.buffer<[64, 64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "chain" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %true = arith.constant true
    %Q = tile.alloc "Q" : !tile.buffer<[64, 64], f16, shared>
    %K = tile.alloc "K" : !tile.buffer<[64, 64], f16, shared>
    %V = tile.alloc "V" : !tile.buffer<[64, 64], f16, shared>
    %S = tile.alloc "S" : !tile.buffer<[64, 64], f32, fragment>
    %S2 = tile.alloc "S2" : !tile.buffer<[64, 64], f32, fragment>
    %T2 = tile.alloc "T2" : !tile.buffer<[64, 64], f32, fragment>
    %P = tile.alloc "P" : !tile.buffer<[64, 64], f16, fragment>
    %O = tile.alloc "O" : !tile.buffer<[64, 64], f32, fragment>
    tile.copy %0 to %Q : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
    tile.fill %zero, %O : f32, !tile.buffer<[64, 64], f32, fragment>
    tile.fill %zero, %T2 : f32, !tile.buffer<[64, 64], f32, fragment>
    tile.for %k = %c0 to %c16 step %c1 kind(pipelined) stages(2) {
      %at = arith.muli %k, %c64 : index
      %5 = tile.subview %1[%at, %c0] : !tile.buffer<[1024, 64], f16, global> to !tile.buffer<[64, 64], f16, global>
      tile.copy %5 to %K : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
      %6 = tile.subview %2[%at, %c0] : !tile.buffer<[1024, 64], f16, global> to !tile.buffer<[64, 64], f16, global>
      tile.copy %6 to %V : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
      tile.gemm %Q, %K, %S clear(%true) {transpose_b} : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
      tile.gemm %Q, %V, %S2 clear(%true) {transpose_b} : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
      tile.parallel (%i, %j) in (%c64, %c64) {
        %s = tile.load %S[%i, %j] : !tile.buffer<[64, 64], f32, fragment> -> f32
        %p = arith.mulf %s, %two : f32
        tile.store %p, %P[%i, %j] : f32, !tile.buffer<[64, 64], f16, fragment>
      }
      tile.gemm %P, %V, %O : !tile.buffer<[64, 64], f16, fragment>, !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
      tile.parallel (%i, %j) in (%c64, %c64) {
        %s = tile.load %S2[%i, %j] : !tile.buffer<[64, 64], f32, fragment> -> f32
        %t = tile.load %T2[%i, %j] : !tile.buffer<[64, 64], f32, fragment> -> f32
        %p = arith.addf %s, %t : f32
        tile.store %p, %T2[%i, %j] : f32, !tile.buffer<[64, 64], f32, fragment>
      }
    }
    tile.copy %O to %3 : !tile.buffer<[64, 64], f32, fragment>, !tile.buffer<[64, 64], f32, global>
    tile.copy %T2 to %4 : !tile.buffer<[64, 64], f32, fragment>, !tile.buffer<[64, 64], f32, global>
  }
}
