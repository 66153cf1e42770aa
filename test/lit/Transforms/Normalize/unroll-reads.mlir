// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-check,tile-unroll-reads))' | FileCheck %s
//
// A short loop of a thread that reads a tensor is its rounds: their reads start together. One that only writes stays.
// CHECK-COUNT-4: tile.load %0[
// CHECK:      tile.for
// CHECK-NOT:  tile.load
// CHECK:      tile.store {{.*}}, %s[
tile.program @threads {
  %A = tile.tensor "A"[] : !tile.buffer<[64, 4], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "threads" grid(%c1) threads(64) attributes {lockstep, warp_lanes = 64} {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %tx = tile.thread_id
    %s = tile.alloc "s" : !tile.buffer<[64, 4], f32, shared>
    tile.for %i = %c0 to %c4 step %c1 {
      %x = tile.load %A[%tx, %i] : !tile.buffer<[64, 4], f32, global> -> f32
      tile.store %x, %s[%tx, %i] : f32, !tile.buffer<[64, 4], f32, shared>
    }
    tile.for %i = %c0 to %c4 step %c1 {
      tile.store %zero, %s[%tx, %i] : f32, !tile.buffer<[64, 4], f32, shared>
    }
  }
}

// What the rounds read stands in front of what they write; not what one before may have written.
// CHECK-LABEL: tile.kernel "neighbours"
// CHECK-COUNT-4: tile.load %{{.*}} -> f32
// CHECK-NOT:     tile.load
// CHECK-COUNT-4: tile.store
// CHECK:         %[[OLD:.*]] = tile.load
// CHECK:         tile.store
// CHECK:         tile.load
// CHECK:         tile.store
tile.program @neighbours {
  %A = tile.tensor "A"[] : !tile.buffer<[256], f32, global>
  %B = tile.tensor "B"[] : !tile.buffer<[257], f32, global>
  %C = tile.tensor "C"[] : !tile.buffer<[256], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "neighbours" grid(%c1) threads(64) attributes {lockstep, warp_lanes = 64} {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %tx = tile.thread_id
    %first = arith.muli %tx, %c4 : index
    tile.for %i = %c0 to %c4 step %c1 {
      %at = arith.addi %first, %i : index
      %x = tile.load %A[%at] : !tile.buffer<[256], f32, global> -> f32
      tile.store %x, %C[%at] : f32, !tile.buffer<[256], f32, global>
    }
    tile.for %i = %c0 to %c2 step %c1 {
      %at = arith.addi %first, %i : index
      %next = arith.addi %at, %c1 : index
      %x = tile.load %A[%at] : !tile.buffer<[256], f32, global> -> f32
      %old = tile.load %B[%at] : !tile.buffer<[257], f32, global> -> f32
      %sum = arith.addf %old, %x : f32
      tile.store %sum, %B[%next] : f32, !tile.buffer<[257], f32, global>
    }
  }
}
