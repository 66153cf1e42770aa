// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-place-locals))' | FileCheck %s
//
// Of what the block stores every thread has a copy; what an iteration stores for others is in shared memory, and so is
// what has more elements than a thread chooses among. What belongs to an iteration stays.

// CHECK-LABEL: tile.kernel "locals"
// CHECK:         tile.alloc "held" : !tile.buffer<[4], f32, local>
// CHECK:         tile.alloc "written" {was_local} : !tile.buffer<[4], f32, shared>
// CHECK:         tile.alloc "many" {was_local} : !tile.buffer<[40], f32, shared>
// CHECK:         tile.subview {{.*}} : !tile.buffer<[40], f32, shared> to !tile.buffer<[8], f32, shared>
// CHECK:         tile.fill %{{.*}}, %held
// CHECK:         tile.alloc "own" : !tile.buffer<[1], f32, local>
tile.program @locals {
  %B = tile.tensor "B"[] : !tile.buffer<[8], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "locals" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0.0 : f32
    %held = tile.alloc "held" : !tile.buffer<[4], f32, local>
    %written = tile.alloc "written" : !tile.buffer<[4], f32, local>
    %many = tile.alloc "many" : !tile.buffer<[40], f32, local>
    %part = tile.subview %many[%bx] : !tile.buffer<[40], f32, local> to !tile.buffer<[8], f32, local>
    tile.copy %B to %part : !tile.buffer<[8], f32, global>, !tile.buffer<[8], f32, local>
    tile.fill %zero, %held : f32, !tile.buffer<[4], f32, local>
    tile.parallel (%i) in (%c4) {
      %own = tile.alloc "own" : !tile.buffer<[1], f32, local>
      tile.store %zero, %own[%c0] : f32, !tile.buffer<[1], f32, local>
      tile.store %zero, %written[%i] : f32, !tile.buffer<[4], f32, local>
    }
  }
}

// Threads of a lockstep kernel have their own.
// CHECK-LABEL: tile.kernel "threads"
// CHECK:         tile.alloc "mine" : !tile.buffer<[40], f32, local>
tile.program @threads {
  %c1 = arith.constant 1 : index
  tile.kernel "threads" grid(%c1) threads(64) attributes {lockstep, warp_lanes = 64} {
  ^bb0(%bx: index):
    %zero = arith.constant 0.0 : f32
    %mine = tile.alloc "mine" : !tile.buffer<[40], f32, local>
    tile.store %zero, %mine[%bx] : f32, !tile.buffer<[40], f32, local>
  }
}
