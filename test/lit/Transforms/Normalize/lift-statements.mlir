// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-lift-statements))' | FileCheck %s
//
// A statement of the block that computes with fragments of one element, which all lanes hold, is a parallel with one
// iteration. One that computes with an element of a larger fragment stays.

// CHECK-LABEL: tile.kernel "scalars"
// CHECK:         tile.parallel (%{{.*}}) in (%c1
// CHECK-NEXT:      tile.load %x[
// CHECK:           arith.addf
// CHECK-NEXT:      tile.store %{{.*}}, %y[
// CHECK:         }
// CHECK-NOT:     tile.parallel
// CHECK:         tile.load %f[
// CHECK-NEXT:    tile.store
tile.program @scalars {
  %A = tile.tensor "A"[] : !tile.buffer<[64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "scalars" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %x = tile.alloc "x" : !tile.buffer<[1], f32, fragment>
    %y = tile.alloc "y" : !tile.buffer<[1], f32, fragment>
    %f = tile.alloc "f" : !tile.buffer<[64], f32, fragment>
    %v = tile.load %x[%c0] : !tile.buffer<[1], f32, fragment> -> f32
    %twice = arith.addf %v, %v : f32
    tile.store %twice, %y[%c0] : f32, !tile.buffer<[1], f32, fragment>
    %e = tile.load %f[%c0] : !tile.buffer<[64], f32, fragment> -> f32
    tile.store %e, %A[%c0] : f32, !tile.buffer<[64], f32, global>
  }
}
