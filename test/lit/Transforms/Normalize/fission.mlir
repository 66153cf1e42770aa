// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-check,tile-normalize))' | FileCheck %s
//
// Statements beside a nested parallel become a loop of their own, which is a fill here, and the nest one over both
// indices.

// CHECK:      tile.fill %{{.*}}, %r
// CHECK-NEXT: tile.move (%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) in (%c16, %c64) {
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
