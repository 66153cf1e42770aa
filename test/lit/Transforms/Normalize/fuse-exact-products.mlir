// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950},tile-fuse-exact-products))' | FileCheck %s
//
// f32 holds the product of two numbers of f16: nothing is rounded before the sum. That of two of f32 is rounded.
// CHECK:       arith.mulf {{.*}} fastmath<contract>
// CHECK:       arith.addf {{.*}} fastmath<contract>
// CHECK:       arith.mulf {{[^<]*}} : f32
tile.program @math {
  %A = tile.tensor "A"[] : !tile.buffer<[64], f16, global>
  %B = tile.tensor "B"[] : !tile.buffer<[64], f32, global>
  %F = tile.tensor "F"[] : !tile.buffer<[64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "math" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c64 = arith.constant 64 : index
    tile.parallel (%i) in (%c64) {
      %x = tile.load %A[%i] : !tile.buffer<[64], f16, global> -> f32
      %p = arith.mulf %x, %x : f32
      %y = arith.addf %p, %x : f32
      tile.store %y, %F[%i] : f32, !tile.buffer<[64], f32, global>
    }
    tile.parallel (%i) in (%c64) {
      %x = tile.load %B[%i] : !tile.buffer<[64], f32, global> -> f32
      %p = arith.mulf %x, %x : f32
      %y = arith.addf %p, %x : f32
      tile.store %y, %F[%i] : f32, !tile.buffer<[64], f32, global>
    }
  }
}
