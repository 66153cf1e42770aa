// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-check,tile-gather-flags))' | FileCheck %s
//
// Iterations that may all store one value to one element find out whether one of them does; the store stands behind the
// loop. Where each iteration has an element of its own, nothing changes.

// CHECK-LABEL: tile.kernel "flag"
// CHECK:         %[[HIT:.*]] = tile.alloc "hit" : !tile.buffer<[], i32, local>
// CHECK:         tile.parallel
// CHECK:           scf.if
// CHECK-NOT:         tile.store %{{.*}}, %f
// CHECK:             tile.store %{{.*}}, %[[HIT]][]
// CHECK:         %[[WAS:.*]] = tile.load %[[HIT]][]
// CHECK:         %[[IS:.*]] = arith.cmpi ne, %[[WAS]],
// CHECK:         scf.if %[[IS]]
// CHECK-NEXT:      tile.store %{{.*}}, %f
tile.program @flag {
  %A = tile.tensor "A"[] : !tile.buffer<[64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "flag" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %yes = arith.constant 1.0 : f32
    %f = tile.alloc "f" : !tile.buffer<[1], f32, local>
    tile.store %zero, %f[%c0] : f32, !tile.buffer<[1], f32, local>
    tile.parallel (%i) in (%c64) {
      %x = tile.load %A[%i] : !tile.buffer<[64], f32, global> -> f32
      %negative = arith.cmpf olt, %x, %zero : f32
      scf.if %negative {
        tile.store %yes, %f[%c0] : f32, !tile.buffer<[1], f32, local>
      }
    }
  }
}

// CHECK-LABEL: tile.kernel "own"
// CHECK-NOT:     "hit"
// CHECK:         tile.parallel
// CHECK:           tile.store %{{.*}}, %s[
tile.program @own {
  %c1 = arith.constant 1 : index
  tile.kernel "own" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c64 = arith.constant 64 : index
    %yes = arith.constant 1.0 : f32
    %s = tile.alloc "s" : !tile.buffer<[64], f32, shared>
    tile.parallel (%i) in (%c64) {
      tile.store %yes, %s[%i] : f32, !tile.buffer<[64], f32, shared>
    }
  }
}
