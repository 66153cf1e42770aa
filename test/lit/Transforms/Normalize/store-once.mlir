// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-check,tile-store-once))' | FileCheck %s
//
// What all threads store to one element of shared memory, the first one does; what differs between them, each.
// CHECK:      [[FIRST:%[0-9]+]] = arith.cmpi eq, %{{.*}}, %c0
// CHECK:      scf.if [[FIRST]] {
// CHECK-NEXT:   tile.store %{{.*}}, %s[%c2]
// CHECK-NEXT: }
// CHECK:      tile.store %{{.*}}, %s[%{{[0-9]+}}]
tile.program @threads {
  %c1 = arith.constant 1 : index
  tile.kernel "threads" grid(%c1) threads(64) attributes {lockstep, warp_lanes = 64} {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %tx = tile.thread_id
    %s = tile.alloc "s" : !tile.buffer<[64], f32, shared>
    tile.store %zero, %s[%c2] : f32, !tile.buffer<[64], f32, shared>
    tile.store %zero, %s[%tx] : f32, !tile.buffer<[64], f32, shared>
  }
}
