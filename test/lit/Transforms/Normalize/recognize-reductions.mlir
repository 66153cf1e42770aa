// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-check,tile-recognize-reductions))' | FileCheck %s
//
// `r[i] += e` over all columns is a sum of rows: e goes to a fragment of its own, tile.reduce combines it,
// and r is updated once a row.

// CHECK:      %[[E:.*]] = tile.alloc "reduced" : !tile.buffer<[16, 64], f32, fragment>
// CHECK:      tile.parallel (%{{.*}}, %{{.*}}) in (%c16, %c64)
// CHECK:        arith.mulf
// CHECK-NEXT:   tile.store {{.*}}, %[[E]][
// CHECK:      tile.reduce{{ +}}sum %[[E]] to %[[T:.*]] dim 1
// CHECK:      tile.parallel
// CHECK:        tile.load %r[
// CHECK:        tile.load %[[T]][
// CHECK:        tile.store {{.*}}, %r[
tile.program @rows {
  %A = tile.tensor "A"[] : !tile.buffer<[16, 64], f32, global>
  %R = tile.tensor "R"[] : !tile.buffer<[16], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "rows" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %r = tile.alloc "r" : !tile.buffer<[16], f32, fragment>
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    tile.fill %zero, %r : f32, !tile.buffer<[16], f32, fragment>
    tile.parallel (%i, %j) in (%c16, %c64) {
      %x = tile.load %A[%i, %j] : !tile.buffer<[16, 64], f32, global> -> f32
      %e = arith.mulf %x, %x : f32
      %old = tile.load %r[%i] : !tile.buffer<[16], f32, fragment> -> f32
      %sum = arith.addf %old, %e : f32
      tile.store %sum, %r[%i] : f32, !tile.buffer<[16], f32, fragment>
    }
    tile.copy %r to %R : !tile.buffer<[16], f32, fragment>, !tile.buffer<[16], f32, global>
  }
}
