// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950},tile-relax-quotients{target=gfx950}))' | FileCheck %s
//
// A quotient that is rounded to 16 bits is a product with the reciprocal; one whose result is stored in full is not.

// CHECK-LABEL: tile.kernel "quotients"
// CHECK:         arith.divf {{.*}} fastmath<arcp>
// CHECK:         arith.divf {{[^<]*}} : f32
tile.program @quotients {
  %A = tile.tensor "A"[] : !tile.buffer<[64], f32, global>
  %H = tile.tensor "H"[] : !tile.buffer<[64], f16, global>
  %F = tile.tensor "F"[] : !tile.buffer<[64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "quotients" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c64 = arith.constant 64 : index
    %seven = arith.constant 7.0 : f32
    tile.parallel (%i) in (%c64) {
      %x = tile.load %A[%i] : !tile.buffer<[64], f32, global> -> f32
      %y = arith.divf %x, %seven : f32
      tile.store %y, %H[%i] : f32, !tile.buffer<[64], f16, global>
    }
    tile.parallel (%i) in (%c64) {
      %x = tile.load %A[%i] : !tile.buffer<[64], f32, global> -> f32
      %y = arith.divf %x, %seven : f32
      tile.store %y, %F[%i] : f32, !tile.buffer<[64], f32, global>
    }
  }
}
