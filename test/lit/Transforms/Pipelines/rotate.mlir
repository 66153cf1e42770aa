// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950},tile-expand-pipelines{target=gfx950}))' | FileCheck %s
//
// A product and nothing else keeps its iterations in order, on slot 0 of its rings: wave-schedule
// will plan them. Each round copies, waits, multiplies.

// CHECK: tile.alloc "A_shared" {{.*}}!tile.buffer<[2, 64, 64], f16, shared>
// CHECK-NOT: tile.async_copy
// CHECK: tile.for {{.*}} attributes {rotate = 2 : i64}
// CHECK:   tile.async_copy
// CHECK:   tile.async_copy
// CHECK:   tile.async_commit
// CHECK-NEXT: tile.async_wait 0
// CHECK-NEXT: tile.barrier
// CHECK:   tile.gemm
// CHECK-NEXT: tile.barrier

tile.program @product {
  %A = tile.tensor "A"[] : !tile.buffer<[64, 512], f16, global>
  %B = tile.tensor "B"[] : !tile.buffer<[64, 512], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "product" grid(%one) threads(256) {
  ^bb0(%bx: index):
    %As = tile.alloc "A_shared" : !tile.buffer<[64, 64], f16, shared>
    %Bs = tile.alloc "B_shared" : !tile.buffer<[64, 64], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[64, 64], f32, fragment>
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    tile.for %k = %c0 to %c8 step %one kind(pipelined) stages(2) {
      %at = arith.muli %k, %c64 : index
      %a = tile.subview %A[%c0, %at] : !tile.buffer<[64, 512], f16, global> to !tile.buffer<[64, 64], f16, global>
      %b = tile.subview %B[%c0, %at] : !tile.buffer<[64, 512], f16, global> to !tile.buffer<[64, 64], f16, global>
      tile.copy %a to %As : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
      tile.copy %b to %Bs : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
      tile.gemm %As, %Bs, %C {transpose_b} : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
    }
  }
}
