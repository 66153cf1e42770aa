// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-check,tile-fission-parallels))' | FileCheck %s
//
// Statements beside a nested parallel become a loop of their own, and the nest one over both
// indices.

// CHECK-LABEL: tile.program @parts
// CHECK:      tile.parallel (%[[I:[a-z0-9]+]]) in (%c16)
// CHECK-NEXT:   tile.store %{{.*}}, %r[%[[I]]]
// CHECK:      tile.parallel (%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) in (%c16, %c64) {
// CHECK-NEXT:   tile.load
// CHECK-NEXT:   tile.store
// CHECK-NEXT: }
tile.program @parts {
  %A = tile.tensor "A"[] : !tile.buffer<[16, 64], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "parts" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %r = tile.alloc "r" : !tile.buffer<[16], f32, fragment>
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    tile.parallel (%i) in (%c16) {
      tile.store %zero, %r[%i] : f32, !tile.buffer<[16], f32, fragment>
      tile.parallel (%j) in (%c64) {
        %x = tile.load %r[%i] : !tile.buffer<[16], f32, fragment> -> f32
        tile.store %x, %A[%i, %j] : f32, !tile.buffer<[16, 64], f32, global>
      }
    }
  }
}

// A serial loop with a parallel in it changes places with the parallel around.
// CHECK-LABEL: tile.program @interchange
// CHECK:       tile.for %[[K:.*]] =
// CHECK:         tile.parallel (%[[I:.*]], %[[J:.*]]) in
// CHECK:           tile.store %{{.*}}, %{{.*}}[%[[I]], %[[J]], %[[K]]]
tile.program @interchange {
  %A = tile.tensor "A"[] : !tile.buffer<[16, 8, 4], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "interchange" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0.0 : f32
    tile.parallel (%i) in (%c16) {
      tile.for %k = %c0 to %c4 step %c1 {
        tile.parallel (%j) in (%c8) {
          tile.store %zero, %A[%i, %j, %k] : f32, !tile.buffer<[16, 8, 4], f32, global>
        }
      }
    }
  }
}
