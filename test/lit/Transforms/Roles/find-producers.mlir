// RUN: tilec-opt %s --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_90a},tile-hoist-tiles,tile-find-producers{target=sm_90a}))' 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950},tile-hoist-tiles,tile-find-producers{target=gfx950}))' | FileCheck %s --check-prefix=NONE
//
// A loop around a product of warp groups, all of whose copies tensor copies can do, is served by a producer; its copies
// say how they are brought. One that copies what the kernel writes is not. A chip without tensor copies has none.

// CHECK-LABEL: tile.kernel "product"
// CHECK:         tile.for {{.*}} kind(pipelined) stages(3) attributes {served = #tile.served<plain slots = 3>} {
// CHECK:           tile.copy %{{.*}} to %a {transfers = #tile.transfers<[128, 64] swizzle = 128 panels = 1 chunks = 1 row_dim = 0 col_dim = 1>} :
// CHECK:           tile.copy %{{.*}} to %b {transfers = #tile.transfers<[128, 64] swizzle = 128 panels = 1 chunks = 1 row_dim = 0 col_dim = 1>} :
// CHECK-LABEL: tile.kernel "written"
// CHECK:         tile.for {{.*}} kind(pipelined) stages(3) {
// CHECK-NOT:     transfers
// REMARK:      remark: no producer warp copies for this loop: the kernel writes `E`, from which it copies
// NONE-NOT:    served
// NONE-NOT:    transfers
tile.program @product {
  %A = tile.tensor "A"[] : !tile.buffer<[2048, 2048], f16, global>
  %B = tile.tensor "B"[] : !tile.buffer<[2048, 2048], f16, global>
  %D = tile.tensor "D"[] : !tile.buffer<[2048, 2048], f32, global>
  %E = tile.tensor "E"[] : !tile.buffer<[2048, 2048], f16, global>
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
    %vd = tile.subview %D[%m, %n] : !tile.buffer<[2048, 2048], f32, global> to !tile.buffer<[128, 128], f32, global>
    tile.copy %c to %vd : !tile.buffer<[128, 128], f32, fragment>, !tile.buffer<[128, 128], f32, global>
  }
  tile.kernel "written" grid(%c16) threads(128) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %a = tile.alloc "a" : !tile.buffer<[64, 64], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[64, 64], f32, fragment>
    %m = arith.muli %bx, %c64 : index
    tile.fill %zero, %c : f32, !tile.buffer<[64, 64], f32, fragment>
    tile.for %k = %c0 to %c32 step %c1 kind(pipelined) stages(3) {
      %at = arith.muli %k, %c64 : index
      %va = tile.subview %E[%m, %at] : !tile.buffer<[2048, 2048], f16, global> to !tile.buffer<[64, 64], f16, global>
      tile.copy %va to %a : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
      tile.gemm %a, %a, %c {transpose_b} : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
    }
    %ve = tile.subview %E[%m, %c0] : !tile.buffer<[2048, 2048], f16, global> to !tile.buffer<[64, 64], f16, global>
    tile.copy %c to %ve : !tile.buffer<[64, 64], f32, fragment>, !tile.buffer<[64, 64], f16, global>
  }
}
