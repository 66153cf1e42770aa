// RUN: tilec-opt %s --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_90a},tile-hoist-tiles,tile-find-producers{target=sm_90a},tile-clear-products{target=sm_90a},tile-choose-rounds{target=sm_90a},tile-forward-stores{target=sm_90a},tile-find-dead-rounds,tile-guard-masks{target=sm_90a},tile-share-out-tiles{target=sm_90a},tile-take-turns{target=sm_90a},tile-fit-slots{target=sm_90a}))' | FileCheck %s
//
// A ring has as many slots as its author asks for where shared memory holds them, else as many as it holds; where it
// holds no two, there is no producer.

// CHECK-LABEL: tile.kernel "few"
// CHECK:         stages(3) attributes {{.*}}served = #tile.served<in_flight slots = 3>
// CHECK-LABEL: tile.kernel "many"
// CHECK:         stages(9) attributes {{.*}}served = #tile.served<in_flight slots = 7>
// CHECK-LABEL: tile.kernel "none"
// CHECK:         tile.for {{.*}} stages(2) {
// CHECK-NOT:     transfers
tile.program @few {
  %A = tile.tensor "A"[] : !tile.buffer<[2048, 2048], f16, global>
  %B = tile.tensor "B"[] : !tile.buffer<[2048, 2048], f16, global>
  %D = tile.tensor "D"[] : !tile.buffer<[2048, 2048], f32, global>
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  tile.kernel "few" grid(%c16, %c16) threads(256) {
  ^bb0(%bx: index, %by: index):
    %c0 = arith.constant 0 : index
    %rounds = arith.constant 32 : index
    %bk = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant 0.0 : f32
    %a = tile.alloc "a" : !tile.buffer<[128, 64], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[128, 64], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[128, 128], f32, fragment>
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c128 : index
    tile.fill %zero, %c : f32, !tile.buffer<[128, 128], f32, fragment>
    tile.for %k = %c0 to %rounds step %c1 kind(pipelined) stages(3) {
      %at = arith.muli %k, %bk : index
      %va = tile.subview %A[%m, %at] : !tile.buffer<[2048, 2048], f16, global> to !tile.buffer<[128, 64], f16, global>
      tile.copy %va to %a : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      %vb = tile.subview %B[%n, %at] : !tile.buffer<[2048, 2048], f16, global> to !tile.buffer<[128, 64], f16, global>
      tile.copy %vb to %b : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      tile.gemm %a, %b, %c {transpose_b} : !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
    }
    %vd = tile.subview %D[%m, %n] : !tile.buffer<[2048, 2048], f32, global> to !tile.buffer<[128, 128], f32, global>
    tile.copy %c to %vd : !tile.buffer<[128, 128], f32, fragment>, !tile.buffer<[128, 128], f32, global>
  }
}
tile.program @many {
  %A = tile.tensor "A"[] : !tile.buffer<[2048, 2048], f16, global>
  %B = tile.tensor "B"[] : !tile.buffer<[2048, 2048], f16, global>
  %D = tile.tensor "D"[] : !tile.buffer<[2048, 2048], f32, global>
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  tile.kernel "many" grid(%c16, %c16) threads(256) {
  ^bb0(%bx: index, %by: index):
    %c0 = arith.constant 0 : index
    %rounds = arith.constant 32 : index
    %bk = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant 0.0 : f32
    %a = tile.alloc "a" : !tile.buffer<[128, 64], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[128, 64], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[128, 128], f32, fragment>
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c128 : index
    tile.fill %zero, %c : f32, !tile.buffer<[128, 128], f32, fragment>
    tile.for %k = %c0 to %rounds step %c1 kind(pipelined) stages(9) {
      %at = arith.muli %k, %bk : index
      %va = tile.subview %A[%m, %at] : !tile.buffer<[2048, 2048], f16, global> to !tile.buffer<[128, 64], f16, global>
      tile.copy %va to %a : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      %vb = tile.subview %B[%n, %at] : !tile.buffer<[2048, 2048], f16, global> to !tile.buffer<[128, 64], f16, global>
      tile.copy %vb to %b : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      tile.gemm %a, %b, %c {transpose_b} : !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
    }
    %vd = tile.subview %D[%m, %n] : !tile.buffer<[2048, 2048], f32, global> to !tile.buffer<[128, 128], f32, global>
    tile.copy %c to %vd : !tile.buffer<[128, 128], f32, fragment>, !tile.buffer<[128, 128], f32, global>
  }
}
tile.program @none {
  %A = tile.tensor "A"[] : !tile.buffer<[2048, 2048], f16, global>
  %B = tile.tensor "B"[] : !tile.buffer<[2048, 2048], f16, global>
  %D = tile.tensor "D"[] : !tile.buffer<[2048, 2048], f32, global>
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  tile.kernel "none" grid(%c16, %c16) threads(256) {
  ^bb0(%bx: index, %by: index):
    %c0 = arith.constant 0 : index
    %rounds = arith.constant 8 : index
    %bk = arith.constant 256 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant 0.0 : f32
    %a = tile.alloc "a" : !tile.buffer<[128, 256], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[128, 256], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[128, 128], f32, fragment>
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c128 : index
    tile.fill %zero, %c : f32, !tile.buffer<[128, 128], f32, fragment>
    tile.for %k = %c0 to %rounds step %c1 kind(pipelined) stages(2) {
      %at = arith.muli %k, %bk : index
      %va = tile.subview %A[%m, %at] : !tile.buffer<[2048, 2048], f16, global> to !tile.buffer<[128, 256], f16, global>
      tile.copy %va to %a : !tile.buffer<[128, 256], f16, global>, !tile.buffer<[128, 256], f16, shared>
      %vb = tile.subview %B[%n, %at] : !tile.buffer<[2048, 2048], f16, global> to !tile.buffer<[128, 256], f16, global>
      tile.copy %vb to %b : !tile.buffer<[128, 256], f16, global>, !tile.buffer<[128, 256], f16, shared>
      tile.gemm %a, %b, %c {transpose_b} : !tile.buffer<[128, 256], f16, shared>, !tile.buffer<[128, 256], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
    }
    %vd = tile.subview %D[%m, %n] : !tile.buffer<[2048, 2048], f32, global> to !tile.buffer<[128, 128], f32, global>
    tile.copy %c to %vd : !tile.buffer<[128, 128], f32, fragment>, !tile.buffer<[128, 128], f32, global>
  }
}
