// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950},tile-fuse-squares))' | FileCheck %s
//
// Squares that are only summed may be added as they are multiplied; other products may not.
// CHECK:       arith.mulf {{.*}} fastmath<contract>
// CHECK:       tile.reduce
// CHECK:       arith.mulf {{[^<]*}} : f32
tile.program @math {
  %A = tile.tensor "A"[] : !tile.buffer<[64, 64], f32, global>
  %H = tile.tensor "H"[] : !tile.buffer<[64, 64], f16, global>
  %F = tile.tensor "F"[] : !tile.buffer<[64, 64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "math" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c64 = arith.constant 64 : index
    %s = tile.alloc "s" : !tile.buffer<[64, 64], f32, fragment>
    %r = tile.alloc "r" : !tile.buffer<[64], f32, fragment>
    tile.parallel (%i, %j) in (%c64, %c64) {
      %x = tile.load %A[%i, %j] : !tile.buffer<[64, 64], f32, global> -> f32
      %y = arith.mulf %x, %x : f32
      tile.store %y, %s[%i, %j] : f32, !tile.buffer<[64, 64], f32, fragment>
    }
    tile.reduce sum %s to %r dim 1 {clear = true} : !tile.buffer<[64, 64], f32, fragment>, !tile.buffer<[64], f32, fragment>
    tile.parallel (%i, %j) in (%c64, %c64) {
      %x = tile.load %A[%i, %j] : !tile.buffer<[64, 64], f32, global> -> f32
      %q = tile.load %r[%i] : !tile.buffer<[64], f32, fragment> -> f32
      %y = arith.mulf %x, %q : f32
      tile.store %y, %F[%i, %j] : f32, !tile.buffer<[64, 64], f32, global>
    }
  }
}
