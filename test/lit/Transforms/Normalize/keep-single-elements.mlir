// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-check,tile-keep-single-elements))' | FileCheck %s
//
// A fragment of one element that all threads set alike is a copy in each; one that differs between them is not.
// CHECK:      tile.alloc "same" : !tile.buffer<[1], f32, local>
// CHECK:      tile.alloc "other" : !tile.buffer<[1], f32, fragment>
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
    %same = tile.alloc "same" : !tile.buffer<[1], f32, fragment>
    %other = tile.alloc "other" : !tile.buffer<[1], f32, fragment>
    tile.store %zero, %same[%c0] : f32, !tile.buffer<[1], f32, fragment>
    %n = arith.index_cast %tx : index to i32
    %f = arith.sitofp %n : i32 to f32
    tile.store %f, %other[%c0] : f32, !tile.buffer<[1], f32, fragment>
    %x = tile.load %same[%c0] : !tile.buffer<[1], f32, fragment> -> f32
    tile.store %x, %A[%tx, %c0] : f32, !tile.buffer<[64, 4], f32, global>
  }
}
