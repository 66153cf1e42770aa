// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-place-barriers))' | FileCheck %s
//
// Scalar code of threads has the barriers that its author wrote; between it and tile operations they
// are placed.

// CHECK-LABEL: tile.kernel "k"
tile.program @p {
  %A = tile.tensor "A"[] : !tile.buffer<[64], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) attributes {lockstep, warp_lanes = 64} {
  ^bb0(%bx: index):
    %t = tile.thread_id
    %c9 = arith.constant 9 : index
    %s = tile.alloc "s" : !tile.buffer<[64], f32, shared>
    // CHECK: tile.copy %{{.*}} to %s
    tile.copy %A to %s : !tile.buffer<[64], f32, global>, !tile.buffer<[64], f32, shared>
    // CHECK-NEXT: arith.cmpi
    %c = arith.cmpi ult, %t, %c9 : index
    // In front of the branch, not inside it.
    // CHECK-NEXT: tile.barrier
    // CHECK-NEXT: scf.if
    scf.if %c {
      // CHECK-NOT: tile.barrier
      %x = tile.load %s[%t] : !tile.buffer<[64], f32, shared> -> f32
      tile.store %x, %s[%one] : f32, !tile.buffer<[64], f32, shared>
    }
    // CHECK: tile.load %s
    %y = tile.load %s[%one] : !tile.buffer<[64], f32, shared> -> f32
    // CHECK: tile.sync_threads
    tile.sync_threads
    // CHECK-NEXT: tile.store
    tile.store %y, %s[%t] : f32, !tile.buffer<[64], f32, shared>
    // CHECK-NEXT: tile.barrier
    // CHECK-NEXT: tile.copy %s to
    tile.copy %s to %A : !tile.buffer<[64], f32, shared>, !tile.buffer<[64], f32, global>
    // CHECK-NOT: tile.barrier
  }
}
