// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-lower-copies))' | FileCheck %s
//
// A copy to or from registers is a move, over the fragment's own indices and with its conversion; copies between memories
// stay.

// CHECK-LABEL: tile.program @copies
// CHECK:         %[[A:[0-9]+]] = tile.tensor "A"
// CHECK:         %[[N:[0-9]+]] = tile.tensor "N"
// CHECK:         tile.copy %[[A]] to %S
// CHECK-NOT:     tile.copy
// CHECK:         tile.move (%[[I:.*]], %[[J:.*]]) in (%c32
// CHECK-NEXT:      %[[X:.*]] = tile.load %S[%[[I]], %[[J]]]
// CHECK-NEXT:      tile.store %[[X]], %F[%[[I]], %[[J]]]
// CHECK:         tile.move (%[[K:.*]], %[[L:.*]]) in (%c32
// CHECK:           %[[Y:.*]] = tile.load %F[%[[K]], %[[L]]]
// CHECK:           %[[WHOLE:.*]] = arith.fptosi %[[Y]] : f32 to i32
// CHECK:           tile.store %[[WHOLE]], %[[N]][%{{.*}}, %[[K]], %[[L]]]
tile.program @copies {
  %A = tile.tensor "A"[] : !tile.buffer<[32, 64], f16, global>
  %N = tile.tensor "N"[] : !tile.buffer<[4, 32, 64], i32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "copies" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %S = tile.alloc "S" : !tile.buffer<[32, 64], f16, shared>
    %F = tile.alloc "F" : !tile.buffer<[32, 64], f32, fragment>
    tile.copy %A to %S : !tile.buffer<[32, 64], f16, global>, !tile.buffer<[32, 64], f16, shared>
    tile.copy %S to %F : !tile.buffer<[32, 64], f16, shared>, !tile.buffer<[32, 64], f32, fragment>
    %box = tile.subview %N[%bx, %c0, %c0] : !tile.buffer<[4, 32, 64], i32, global> to !tile.buffer<[1, 32, 64], i32, global>
    tile.copy %F to %box : !tile.buffer<[32, 64], f32, fragment>, !tile.buffer<[1, 32, 64], i32, global>
  }
}
