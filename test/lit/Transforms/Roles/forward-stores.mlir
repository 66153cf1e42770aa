// RUN: tilec-opt %s --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_90a},tile-hoist-tiles,tile-find-producers{target=sm_90a},tile-clear-products{target=sm_90a},tile-choose-rounds{target=sm_90a},tile-forward-stores{target=sm_90a}))' | FileCheck %s
// RUN: tilec-opt %s --verify-contracts=sm_80 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_80},tile-hoist-tiles,tile-find-producers{target=sm_80},tile-clear-products{target=sm_80},tile-choose-rounds{target=sm_80},tile-forward-stores{target=sm_80}))' | FileCheck %s --check-prefix=KEPT
//
// What a product with a producer stores through a shared tile of its author's is stored from registers; without tensor
// copies, the tile stays.

// CHECK-LABEL: tile.kernel "product"
// CHECK-NOT:     tile.alloc "d"
// CHECK:         tile.gemm
// CHECK:         tile.{{move|parallel}}
// CHECK:           tile.load %c[
// CHECK:           tile.store %{{.*}} : f32, !tile.buffer<[2048, 2048], f16, global>
// KEPT:          tile.alloc "d"
tile.program @product {
  %A = tile.tensor "A"[] : !tile.buffer<[2048, 2048], f16, global>
  %B = tile.tensor "B"[] : !tile.buffer<[2048, 2048], f16, global>
  %D = tile.tensor "D"[] : !tile.buffer<[2048, 2048], f16, global>
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  tile.kernel "product" grid(%c16, %c16) threads(256) {
  ^bb0(%bx: index, %by: index):
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant 0.0 : f32
    %a = tile.alloc "a" : !tile.buffer<[128, 64], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[128, 64], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[128, 128], f32, fragment>
    %d = tile.alloc "d" : !tile.buffer<[128, 128], f16, shared>
    %m = arith.muli %by, %c128 : index
    %n = arith.muli %bx, %c128 : index
    tile.fill %zero, %c : f32, !tile.buffer<[128, 128], f32, fragment>
    tile.for %k = %c0 to %c32 step %c1 kind(pipelined) stages(3) {
      %at = arith.muli %k, %c64 : index
      %va = tile.subview %A[%m, %at] : !tile.buffer<[2048, 2048], f16, global> to !tile.buffer<[128, 64], f16, global>
      tile.copy %va to %a : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      %vb = tile.subview %B[%n, %at] : !tile.buffer<[2048, 2048], f16, global> to !tile.buffer<[128, 64], f16, global>
      tile.copy %vb to %b : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      tile.gemm %a, %b, %c {transpose_b} : !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
    }
    tile.copy %c to %d : !tile.buffer<[128, 128], f32, fragment>, !tile.buffer<[128, 128], f16, shared>
    %vd = tile.subview %D[%m, %n] : !tile.buffer<[2048, 2048], f16, global> to !tile.buffer<[128, 128], f16, global>
    tile.copy %d to %vd : !tile.buffer<[128, 128], f16, shared>, !tile.buffer<[128, 128], f16, global>
  }
}
