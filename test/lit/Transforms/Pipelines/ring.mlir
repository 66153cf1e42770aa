// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950},tile-expand-pipelines{target=gfx950},canonicalize,cse))' | FileCheck %s
//
// Three stages: a ring of three slots, two groups in front of the loop, one open at the wait.

// CHECK: tile.alloc "A_shared" {{.*}}!tile.buffer<[3, 64, 64], f16, shared>
// CHECK: tile.async_copy
// CHECK: tile.async_commit
// CHECK: tile.async_copy
// CHECK: tile.async_commit
// CHECK: tile.for %[[K:.*]] =
// CHECK-NOT: stages
// CHECK:   tile.async_wait 1
// CHECK:   tile.barrier
// CHECK:   arith.minsi
// CHECK:   tile.async_copy
// CHECK:   tile.async_commit
// CHECK:   tile.gemm
// CHECK: tile.async_wait 0
// CHECK: tile.barrier
tile.program @ring {
  %A = tile.tensor "A"[] : !tile.buffer<[64, 512], f16, global>
  %c1 = arith.constant 1 : index
  tile.kernel "ring" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %As = tile.alloc "A_shared" : !tile.buffer<[64, 64], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[64, 64], f32, fragment>
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    tile.for %k = %c0 to %c8 step %one kind(pipelined) stages(3) {
      %at = arith.muli %k, %c64 : index
      %box = tile.subview %A[%c0, %at] : !tile.buffer<[64, 512], f16, global> to !tile.buffer<[64, 64], f16, global>
      tile.copy %box to %As : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
      tile.gemm %As, %As, %C {transpose_b} : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
    }
  }
}
