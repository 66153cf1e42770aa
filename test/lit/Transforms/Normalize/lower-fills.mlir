// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-lower-fills))' | FileCheck %s
//
// A fill of a row or of a tensor is a loop over its elements; one of a whole tile stays.

// CHECK-LABEL: tile.program @boxes
// CHECK:       tile.fill %{{.*}}, %F
// CHECK-NOT:   tile.fill
// CHECK:       tile.parallel
// CHECK:         tile.store %{{.*}}, %F
// CHECK:       tile.parallel
// CHECK:         tile.store %{{.*}} : f32, !tile.buffer<[32, 64], f32, global>
// CHECK-NOT:   tile.fill
tile.program @boxes {
  %A = tile.tensor "A"[] : !tile.buffer<[32, 64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "boxes" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %F = tile.alloc "F" : !tile.buffer<[32, 64], f32, fragment>
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %row = tile.subview %F[%bx, %c0] : !tile.buffer<[32, 64], f32, fragment> to !tile.buffer<[1, 64], f32, fragment>
    tile.fill %zero, %F : f32, !tile.buffer<[32, 64], f32, fragment>
    tile.fill %zero, %row : f32, !tile.buffer<[1, 64], f32, fragment>
    tile.fill %zero, %A : f32, !tile.buffer<[32, 64], f32, global>
  }
}
