// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-order-updates))' | FileCheck %s
//
// Updates of elements that memory names take turns where no atomic computes them: a product. A sum in a tensor has an
// atomic, and stays.

// CHECK-LABEL: tile.program @turns
// CHECK:         %[[I:[0-9]+]] = tile.tensor "I"
// CHECK:         %[[X:[0-9]+]] = tile.tensor "X"
// CHECK:         tile.for %[[AT:.*]] =
// CHECK:             tile.load %[[I]][%[[AT]]]
// CHECK:           arith.mulf
// CHECK:         tile.parallel (%[[J:.*]]) in
// CHECK:           tile.load %[[I]][%[[J]]]
// CHECK:           arith.addf
tile.program @turns {
  %I = tile.tensor "I"[] : !tile.buffer<[64], i32, global>
  %X = tile.tensor "X"[] : !tile.buffer<[64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "turns" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c64 = arith.constant 64 : index
    %two = arith.constant 2.0 : f32
    tile.parallel (%i) in (%c64) {
      %n = tile.load %I[%i] : !tile.buffer<[64], i32, global> -> i32
      %at = arith.index_cast %n : i32 to index
      %old = tile.load %X[%at] : !tile.buffer<[64], f32, global> -> f32
      %new = arith.mulf %old, %two : f32
      tile.store %new, %X[%at] : f32, !tile.buffer<[64], f32, global>
    }
    tile.parallel (%i) in (%c64) {
      %n = tile.load %I[%i] : !tile.buffer<[64], i32, global> -> i32
      %at = arith.index_cast %n : i32 to index
      %old = tile.load %X[%at] : !tile.buffer<[64], f32, global> -> f32
      %new = arith.addf %old, %two : f32
      tile.store %new, %X[%at] : f32, !tile.buffer<[64], f32, global>
    }
  }
}
