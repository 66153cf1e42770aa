// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-raise-copies))' | FileCheck %s
//
// A parallel that only moves a box of a tensor into a whole shared tile is a copy, so that the
// pipeliner can run it ahead. A copy of a fragment is left to others.

// CHECK-LABEL: tile.program @move
// CHECK:       %[[BOX:.*]] = tile.subview %{{.*}} to !tile.buffer<[32, 64], f16, global>
// CHECK:       tile.copy %[[BOX]] to %S
// CHECK-NEXT:  tile.copy %S to %F
// CHECK-NOT:   tile.parallel
tile.program @move {
  %A = tile.tensor "A"[] : !tile.buffer<[256, 256], f16, global>
  %c2 = arith.constant 2 : index
  tile.kernel "move" grid(%c2) threads(128) {
  ^bb0(%bx: index):
    %S = tile.alloc "S" : !tile.buffer<[32, 64], f16, shared>
    %F = tile.alloc "F" : !tile.buffer<[32, 64], f32, fragment>
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %row = arith.muli %bx, %c32 : index
    tile.parallel (%i, %j) in (%c32, %c64) {
      %r = arith.addi %row, %i : index
      %q = arith.addi %j, %c64 : index
      %a = tile.load %A[%r, %q] : !tile.buffer<[256, 256], f16, global> -> f32
      tile.store %a, %S[%i, %j] : f32, !tile.buffer<[32, 64], f16, shared>
    }
    tile.copy %S to %F : !tile.buffer<[32, 64], f16, shared>, !tile.buffer<[32, 64], f32, fragment>
  }
}
