// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-raise-moves))' | FileCheck %s
//
// A parallel that only moves elements, at whatever places, is a move; one that computes with them is not.

// CHECK-LABEL: tile.program @moves
// CHECK:         %[[A:[0-9]+]] = tile.tensor "A"
// CHECK:         tile.move (%[[I:.*]], %[[J:.*]]) in
// CHECK-NEXT:      %[[X:.*]] = tile.load %[[A]][%[[J]], %[[I]]]
// CHECK-NEXT:      tile.store %[[X]], %S[%[[I]], %[[J]]]
// CHECK:         tile.parallel
// CHECK:           arith.addf
tile.program @moves {
  %A = tile.tensor "A"[] : !tile.buffer<[32, 32], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "moves" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c32 = arith.constant 32 : index
    %S = tile.alloc "S" : !tile.buffer<[32, 32], f32, shared>
    tile.parallel (%i, %j) in (%c32, %c32) {
      %x = tile.load %A[%j, %i] : !tile.buffer<[32, 32], f32, global> -> f32
      tile.store %x, %S[%i, %j] : f32, !tile.buffer<[32, 32], f32, shared>
    }
    tile.parallel (%i, %j) in (%c32, %c32) {
      %x = tile.load %S[%i, %j] : !tile.buffer<[32, 32], f32, shared> -> f32
      %y = arith.addf %x, %x : f32
      tile.store %y, %A[%i, %j] : f32, !tile.buffer<[32, 32], f32, global>
    }
  }
}
