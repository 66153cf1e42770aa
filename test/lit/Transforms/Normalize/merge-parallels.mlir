// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-merge-parallels))' | FileCheck %s
//
// A parallel that is all there is in another one is one loop with it where the run knows an extent; constant extents are
// left to fission, and so is a nest whose inner extent depends on the outer iteration.

// CHECK-LABEL: tile.program @nests
// CHECK:         %[[A:[0-9]+]] = tile.tensor "A"
// CHECK:         tile.parallel (%[[I:.*]], %[[J:.*]]) in (%{{.*}}, %{{.*}})
// CHECK-NOT:       tile.parallel
// CHECK:           tile.store %{{.*}}, %[[A]][%[[I]], %[[J]]]
// CHECK:         tile.parallel (%{{[a-z0-9]*}}) in
// CHECK:           tile.parallel (%{{[a-z0-9]*}}) in
// CHECK:         tile.parallel (%[[K:[a-z0-9]*]]) in
// CHECK:           tile.parallel (%{{[a-z0-9]*}}) in (%[[K]])
tile.program @nests {
  %n = tile.dim "n"
  %A = tile.tensor "A"[%n] : !tile.buffer<[16, ?], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "nests" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0.0 : f32
    tile.parallel (%i) in (%c16) {
      tile.parallel (%j) in (%n) {
        tile.store %zero, %A[%i, %j] : f32, !tile.buffer<[16, ?], f32, global>
      }
    }
    tile.parallel (%i) in (%c16) {
      tile.parallel (%j) in (%c8) {
        tile.store %zero, %A[%i, %j] : f32, !tile.buffer<[16, ?], f32, global>
      }
    }
    tile.parallel (%i) in (%c16) {
      tile.parallel (%j) in (%i) {
        tile.store %zero, %A[%i, %j] : f32, !tile.buffer<[16, ?], f32, global>
      }
    }
  }
}
