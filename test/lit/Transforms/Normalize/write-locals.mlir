// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-write-locals))' | FileCheck %s
//
// A fill and a copy of a buffer of which every thread has a copy are stores of its elements, with the copy's conversion;
// those of an iteration's own buffer are left to later passes.

// CHECK-LABEL: tile.program @writes
// CHECK:         %[[A:[0-9]+]] = tile.tensor "A"
// CHECK-COUNT-2: tile.store %cst, %few
// CHECK:         %[[X:.*]] = tile.load %[[A]][
// CHECK:         arith.fptosi %[[X]] : f32 to i32
// CHECK:         tile.store %{{.*}}, %whole
// CHECK:         tile.load %[[A]][
// CHECK:         tile.store %{{.*}}, %whole
// CHECK:         tile.parallel
// CHECK:           tile.fill
tile.program @writes {
  %A = tile.tensor "A"[] : !tile.buffer<[2], f16, global>
  %c1 = arith.constant 1 : index
  tile.kernel "writes" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %few = tile.alloc "few" : !tile.buffer<[2], f32, local>
    %whole = tile.alloc "whole" : !tile.buffer<[2], i32, local>
    tile.fill %zero, %few : f32, !tile.buffer<[2], f32, local>
    tile.copy %A to %whole : !tile.buffer<[2], f16, global>, !tile.buffer<[2], i32, local>
    tile.parallel (%i) in (%c64) {
      %own = tile.alloc "own" : !tile.buffer<[2], f32, local>
      tile.fill %zero, %own : f32, !tile.buffer<[2], f32, local>
    }
  }
}
