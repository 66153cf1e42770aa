// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-normalize))' | FileCheck %s
//
// Statements around a nested parallel get loops of their own; a scalar that is private to the outer
// iteration becomes one element of a fragment, and the update of it in the inner loop a reduction.

// CHECK-LABEL: tile.program @row_sums
// CHECK:       %[[SUM:.*]] = tile.alloc "sum" : !tile.buffer<[64], f32, fragment>
// CHECK:       tile.fill %{{.*}}, %[[SUM]]
// CHECK:       %[[E:.*]] = tile.alloc "reduced" : !tile.buffer<[64, 32], f32, fragment>
// CHECK:       tile.move
// CHECK:         tile.store %{{.*}}, %[[E]]
// CHECK:       tile.reduce sum %[[E]] to %[[T:.*]] dim 1
// CHECK:       tile.parallel
// CHECK:         arith.addf
// CHECK:         tile.store %{{.*}}, %[[SUM]]
tile.program @row_sums {
  %A = tile.tensor "A"[] : !tile.buffer<[64, 32], f32, global>
  %B = tile.tensor "B"[] : !tile.buffer<[64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "row_sums" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %c64 = arith.constant 64 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    tile.parallel (%i) in (%c64) {
      %sum = tile.alloc "sum" : !tile.buffer<[], f32, local>
      tile.store %zero, %sum[] : f32, !tile.buffer<[], f32, local>
      tile.parallel (%j) in (%c32) {
        %old = tile.load %sum[] : !tile.buffer<[], f32, local> -> f32
        %a = tile.load %A[%i, %j] : !tile.buffer<[64, 32], f32, global> -> f32
        %new = arith.addf %old, %a : f32
        tile.store %new, %sum[] : f32, !tile.buffer<[], f32, local>
      }
      %total = tile.load %sum[] : !tile.buffer<[], f32, local> -> f32
      tile.store %total, %B[%i] : f32, !tile.buffer<[64], f32, global>
    }
  }
}
