// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-read-once))' | FileCheck %s
//
// An element of a tensor that the kernel does not write is read once in an iteration, although another tensor is written
// in between; one that the kernel writes is read again.

// CHECK-LABEL: tile.program @once
// CHECK:         %[[X:[0-9]+]] = tile.tensor "X"
// CHECK:         %[[Y:[0-9]+]] = tile.tensor "Y"
// CHECK:         tile.parallel
// CHECK-NEXT:      %[[ONE:.*]] = tile.load %[[X]][
// CHECK-NEXT:      tile.store %[[ONE]], %[[Y]][
// CHECK-NOT:       tile.load %[[X]]
// CHECK:           %[[OLD:.*]] = tile.load %[[Y]][
// CHECK-NEXT:      %[[AGAIN:.*]] = tile.load %[[Y]][
// CHECK-NEXT:      arith.addf %[[ONE]], %[[OLD]]
tile.program @once {
  %X = tile.tensor "X"[] : !tile.buffer<[64], f32, global>
  %Y = tile.tensor "Y"[] : !tile.buffer<[64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "once" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c64 = arith.constant 64 : index
    tile.parallel (%i) in (%c64) {
      %x = tile.load %X[%i] : !tile.buffer<[64], f32, global> -> f32
      tile.store %x, %Y[%i] : f32, !tile.buffer<[64], f32, global>
      %again = tile.load %X[%i] : !tile.buffer<[64], f32, global> -> f32
      %y = tile.load %Y[%i] : !tile.buffer<[64], f32, global> -> f32
      %z = tile.load %Y[%i] : !tile.buffer<[64], f32, global> -> f32
      %sum = arith.addf %again, %y : f32
      %all = arith.addf %sum, %z : f32
      tile.store %all, %Y[%i] : f32, !tile.buffer<[64], f32, global>
    }
  }
}

// Statements on neighbours of one tensor read before the first of them writes.
// CHECK-LABEL: tile.kernel "pairs"
// CHECK-COUNT-2: tile.load
// CHECK:         tile.store
// CHECK-NOT:     tile.load
// CHECK:         tile.store
tile.program @pairs {
  %X = tile.tensor "X"[] : !tile.buffer<[128], f16, global>
  %O = tile.tensor "O"[] : !tile.buffer<[128], f16, global>
  %c1 = arith.constant 1 : index
  tile.kernel "pairs" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c2 = arith.constant 2 : index
    %one = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    tile.parallel (%i) in (%c64) {
      %even = arith.muli %i, %c2 : index
      %odd = arith.addi %even, %one : index
      %x = tile.load %X[%even] : !tile.buffer<[128], f16, global> -> f32
      tile.store %x, %O[%even] : f32, !tile.buffer<[128], f16, global>
      %y = tile.load %X[%odd] : !tile.buffer<[128], f16, global> -> f32
      tile.store %y, %O[%odd] : f32, !tile.buffer<[128], f16, global>
    }
  }
}
