// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-expand-inner-tiles))' | FileCheck %s
//
// Tile operations of an iteration are loops over the elements of its row; those of the block stay.

// CHECK-LABEL: tile.program @rows
// CHECK:         %[[A:[0-9]+]] = tile.tensor "A"
// CHECK:         tile.fill
// CHECK:         tile.parallel (%[[I:.*]]) in (%c16)
// CHECK-NOT:       tile.copy
// CHECK:           tile.parallel (%{{.*}}) in (%c64
// CHECK:             tile.load %[[A]][%[[I]], %{{.*}}]
// CHECK:           tile.parallel
// CHECK-NOT:       tile.reduce
// CHECK:             tile.for
// CHECK:               arith.addf
// CHECK:         tile.copy
tile.program @rows {
  %A = tile.tensor "A"[] : !tile.buffer<[16, 64], f32, global>
  %B = tile.tensor "B"[] : !tile.buffer<[16], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "rows" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0.0 : f32
    %s = tile.alloc "s" : !tile.buffer<[16, 64], f32, shared>
    %r = tile.alloc "r" : !tile.buffer<[16], f32, shared>
    tile.fill %zero, %s : f32, !tile.buffer<[16, 64], f32, shared>
    tile.parallel (%i) in (%c16) {
      %from = tile.subview %A[%i, %c0] dropped [0] : !tile.buffer<[16, 64], f32, global> to !tile.buffer<[64], f32, global>
      %to = tile.subview %s[%i, %c0] dropped [0] : !tile.buffer<[16, 64], f32, shared> to !tile.buffer<[64], f32, shared>
      tile.copy %from to %to : !tile.buffer<[64], f32, global>, !tile.buffer<[64], f32, shared>
      %sum = tile.subview %r[%i] : !tile.buffer<[16], f32, shared> to !tile.buffer<[1], f32, shared>
      tile.reduce sum %to to %sum dim 0 : !tile.buffer<[64], f32, shared>, !tile.buffer<[1], f32, shared>
    }
    tile.copy %r to %B : !tile.buffer<[16], f32, shared>, !tile.buffer<[16], f32, global>
  }
}
