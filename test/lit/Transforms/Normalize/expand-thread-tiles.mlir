// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-check,tile-expand-thread-tiles))' | FileCheck %s
//
// A copy of a row that each thread has of its own is a loop of the thread; one of the whole tile is the block's.
// CHECK:      tile.copy {{.*}}[64, 4], f32, global
// CHECK:      [[N:%[a-z0-9_]+]] = arith.constant 4 : index
// CHECK-NOT:  tile.copy
// CHECK:      tile.for [[J:%[a-z0-9]+]] = {{.*}} {
// CHECK:        [[X:%[0-9]+]] = tile.load %s[
// CHECK:        tile.store [[X]], %own[
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
    %own = tile.alloc "own" : !tile.buffer<[1, 4], f32, local>
    tile.copy %A to %s : !tile.buffer<[64, 4], f32, global>, !tile.buffer<[64, 4], f32, shared>
    %v = tile.subview %s[%tx, %c0] : !tile.buffer<[64, 4], f32, shared> to !tile.buffer<[1, 4], f32, shared>
    tile.copy %v to %own : !tile.buffer<[1, 4], f32, shared>, !tile.buffer<[1, 4], f32, local>
  }
}
