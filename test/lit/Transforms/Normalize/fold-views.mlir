// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-fold-views))' | FileCheck %s
//
// What a view of a view loads, stores and adds to is named in the buffer behind both; a dropped dimension stays at its
// offset.

// CHECK-LABEL: tile.program @views
// CHECK:         %[[A:[0-9]+]] = tile.tensor "A"
// CHECK:         ^bb0(%[[BX:.*]]: index):
// CHECK:         %[[ROW:.*]] = arith.addi %[[BX]], %c2
// CHECK:         %[[COLUMN:.*]] = arith.addi %c3, %c0
// CHECK:         tile.load %[[A]][%[[ROW]], %[[COLUMN]]]
// CHECK:         tile.store %{{.*}}, %[[A]][
// CHECK:         tile.atomic {{ *}}add %{{.*}}, %[[A]][
tile.program @views {
  %A = tile.tensor "A"[] : !tile.buffer<[64, 64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "views" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %box = tile.subview %A[%bx, %c3] : !tile.buffer<[64, 64], f32, global> to !tile.buffer<[8, 8], f32, global>
    %row = tile.subview %box[%c2, %c0] dropped [0] : !tile.buffer<[8, 8], f32, global> to !tile.buffer<[8], f32, global>
    %x = tile.load %row[%c0] : !tile.buffer<[8], f32, global> -> f32
    tile.store %x, %row[%c1] : f32, !tile.buffer<[8], f32, global>
    %o = tile.atomic add %x, %row[%c2] : f32, !tile.buffer<[8], f32, global> -> f32
  }
}
