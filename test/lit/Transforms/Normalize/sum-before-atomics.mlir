// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-sum-before-atomics))' | FileCheck %s
//
// Terms in a fragment are summed where they are, and the condition that is the same for all of them stays at the update;
// one update an element where each has its own. Terms that are read from the tensor itself stay.

// CHECK-LABEL: tile.program @sums
// CHECK:         %s = tile.alloc "s"
// CHECK-NEXT:    %summed = tile.alloc "summed"
// CHECK-NEXT:    tile.reduce sum %s to %summed dim 0
// CHECK:         tile.parallel (%[[J:.*]]) in
// CHECK:           [[HOLDS:%.*]] = arith.cmpi slt, %[[J]]
// CHECK:           scf.if [[HOLDS]]
// CHECK:             [[SUM:%.*]] = tile.load %summed[%[[J]]]
// CHECK:             tile.atomic add [[SUM]], %{{.*}}[%[[J]]]
// CHECK:         tile.parallel (%[[A:.*]], %[[B:.*]]) in
// CHECK:           tile.atomic add %{{.*}}[%[[A]], %[[B]]]
// CHECK:         tile.parallel (%[[C:.*]]) in
// CHECK:           tile.load
// CHECK-NEXT:      tile.atomic add
// CHECK-NOT:     tile.reduce
tile.program @sums {
  %X = tile.tensor "X"[] : !tile.buffer<[32], f32, global>
  %Y = tile.tensor "Y"[] : !tile.buffer<[64, 32], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "sums" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c30 = arith.constant 30 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %s = tile.alloc "s" : !tile.buffer<[64, 32], f32, fragment>
    tile.parallel (%i, %j) in (%c64, %c32) {
      %holds = arith.cmpi slt, %j, %c30 : index
      scf.if %holds {
        %v = tile.load %s[%i, %j] : !tile.buffer<[64, 32], f32, fragment> -> f32
        %old = tile.atomic add %v, %X[%j] : f32, !tile.buffer<[32], f32, global> -> f32
      }
    }
    tile.parallel (%i, %j) in (%c64, %c32) {
      %v = tile.load %s[%i, %j] : !tile.buffer<[64, 32], f32, fragment> -> f32
      %old = tile.atomic add %v, %Y[%i, %j] : f32, !tile.buffer<[64, 32], f32, global> -> f32
    }
    tile.parallel (%i) in (%c32) {
      %v = tile.load %X[%i] : !tile.buffer<[32], f32, global> -> f32
      %old = tile.atomic add %v, %X[%c30] : f32, !tile.buffer<[32], f32, global> -> f32
    }
  }
}
