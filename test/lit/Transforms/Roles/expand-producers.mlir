// RUN: tilec-opt %s --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_90a},tile-hoist-tiles,tile-find-producers{target=sm_90a},tile-clear-products{target=sm_90a},tile-choose-rounds{target=sm_90a},tile-forward-stores{target=sm_90a},tile-find-dead-rounds,tile-guard-masks{target=sm_90a},tile-share-out-tiles{target=sm_90a},tile-take-turns{target=sm_90a},tile-fit-slots{target=sm_90a},tile-store-tiles{target=sm_90a},tile-add-slots{target=sm_90a},tile-fill-once{target=sm_90a},tile-clear-first-rounds{target=sm_90a},tile-delay-waits{target=sm_90a},tile-expand-producers{target=sm_90a}))' | FileCheck %s
// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950},tile-hoist-tiles,tile-find-producers{target=gfx950},tile-clear-products{target=gfx950},tile-choose-rounds{target=gfx950},tile-forward-stores{target=gfx950},tile-find-dead-rounds,tile-guard-masks{target=gfx950},tile-share-out-tiles{target=gfx950},tile-take-turns{target=gfx950},tile-fit-slots{target=gfx950},tile-store-tiles{target=gfx950},tile-add-slots{target=gfx950},tile-fill-once{target=gfx950},tile-clear-first-rounds{target=gfx950},tile-delay-waits{target=gfx950},tile-expand-producers{target=gfx950}))' | FileCheck %s --check-prefix=NONE
//
// A product's copies are a producer's: it fills slots of a pipe for which the others wait. A chip without TMA has none.

// CHECK-LABEL: tile.kernel "product"
// CHECK:         tile.pipe
// CHECK:         tile.producer
// CHECK:           tile.pipe_acquire
// CHECK:           tile.tma_copy
// CHECK:         tile.pipe_wait
// CHECK:         tile.gemm
// CHECK:         tile.pipe_release
// NONE-NOT:      tile.producer
// NONE:          tile.for {{.*}} stages(3)
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
