// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-check,tile-stage-elements))' | FileCheck %s
//
// A thread reads an element of a fragment from a shared copy of it.
// CHECK:      [[COPY:%[a-z0-9_]+]] = tile.alloc "elements" : !tile.buffer<[64], f32, shared>
// CHECK:      tile.parallel
// CHECK:        tile.load %f[
// CHECK:        tile.store {{.*}}, [[COPY]][
// CHECK:      tile.load [[COPY]][%{{.*}}]
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
    %f = tile.alloc "f" : !tile.buffer<[64], f32, fragment>
    tile.fill %zero, %f : f32, !tile.buffer<[64], f32, fragment>
    %x = tile.load %f[%tx] : !tile.buffer<[64], f32, fragment> -> f32
    tile.store %x, %A[%tx, %c0] : f32, !tile.buffer<[64, 4], f32, global>
  }
}
