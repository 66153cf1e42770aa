// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950},tile-expand-pipelines{target=gfx950},canonicalize,cse))' | FileCheck %s
//
// A tile that two copies fill part by part is one ring, of which each slot has both copies in one group.

// CHECK: tile.alloc "A_shared" {{.*}}!tile.buffer<[3, 64, 64], f16, shared>
// CHECK-NOT: tile.alloc "A_shared"
// CHECK-COUNT-2: tile.async_copy {{.*}}!tile.buffer<[32, 64], f16, shared>
// CHECK: tile.async_commit
// CHECK-COUNT-2: tile.async_copy {{.*}}!tile.buffer<[32, 64], f16, shared>
// CHECK: tile.async_commit
// CHECK: tile.for %[[K:.*]] =
// CHECK:   tile.async_wait 1
// CHECK:   tile.barrier
// CHECK-COUNT-2: tile.async_copy {{.*}}!tile.buffer<[32, 64], f16, shared>
// CHECK:   tile.async_commit
// CHECK-NOT: tile.copy
// CHECK:   tile.gemm
tile.program @ring {
  %A = tile.tensor "A"[] : !tile.buffer<[32, 512], f16, global>
  %B = tile.tensor "B"[] : !tile.buffer<[32, 512], f16, global>
  %c1 = arith.constant 1 : index
  tile.kernel "ring" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %As = tile.alloc "A_shared" : !tile.buffer<[64, 64], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[64, 64], f32, fragment>
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    tile.for %k = %c0 to %c8 step %one kind(pipelined) stages(3) {
      %at = arith.muli %k, %c64 : index
      %first = tile.subview %A[%c0, %at] : !tile.buffer<[32, 512], f16, global> to !tile.buffer<[32, 64], f16, global>
      %upper = tile.subview %As[%c0, %c0] : !tile.buffer<[64, 64], f16, shared> to !tile.buffer<[32, 64], f16, shared>
      tile.copy %first to %upper : !tile.buffer<[32, 64], f16, global>, !tile.buffer<[32, 64], f16, shared>
      %second = tile.subview %B[%c0, %at] : !tile.buffer<[32, 512], f16, global> to !tile.buffer<[32, 64], f16, global>
      %lower = tile.subview %As[%c32, %c0] : !tile.buffer<[64, 64], f16, shared> to !tile.buffer<[32, 64], f16, shared>
      tile.copy %second to %lower : !tile.buffer<[32, 64], f16, global>, !tile.buffer<[32, 64], f16, shared>
      tile.gemm %As, %As, %C {transpose_b} : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
    }
  }
}
