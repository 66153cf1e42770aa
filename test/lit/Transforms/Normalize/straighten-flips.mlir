// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-straighten-flips))' | FileCheck %s
//
// A loop whose variable picks the bit of a place that is turned over is its rounds: 1, 2 and 4.
// CHECK-LABEL: tile.kernel "flipped" grid
// CHECK-NOT:     tile.for
// CHECK:         tile.parallel (%[[I:.*]]) in
// CHECK:           arith.divui %[[I]],
// CHECK:           arith.remui
// CHECK-NOT:       tile.load %{{.*}}[%[[I]]]
// CHECK:           tile.load
// CHECK-COUNT-2: tile.parallel
// CHECK-NOT:     tile.parallel
tile.program @flipped {
  %c1 = arith.constant 1 : index
  tile.kernel "flipped" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1 : i32
    %a = tile.alloc "a" : !tile.buffer<[64], f32, shared>
    %b = tile.alloc "b" : !tile.buffer<[64], f32, shared>
    tile.for %k = %c0 to %c3 step %c1 {
      %by = arith.index_cast %k : index to i32
      %bit = arith.shli %one, %by : i32
      tile.parallel (%i) in (%c64) {
        %i32 = arith.index_cast %i : index to i32
        %turned = arith.xori %i32, %bit : i32
        %other = arith.index_cast %turned : i32 to index
        %v = tile.load %a[%other] : !tile.buffer<[64], f32, shared> -> f32
        tile.store %v, %b[%i] : f32, !tile.buffer<[64], f32, shared>
      }
    }
  }
}
