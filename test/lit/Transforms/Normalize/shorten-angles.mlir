// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950},tile-shorten-angles{target=gfx950}))' | FileCheck %s
//
// The sine of an angle below 64 that is rounded to 16 bits is the instruction's; that of any number is not, nor what is
// stored in full.
// CHECK:       math.sin {{.*}} fastmath<afn>
// CHECK:       math.sin {{[^<]*}} : f32
// CHECK:       math.sin {{[^<]*}} : f32
tile.program @math {
  %A = tile.tensor "A"[] : !tile.buffer<[64], f32, global>
  %H = tile.tensor "H"[] : !tile.buffer<[64], f16, global>
  %F = tile.tensor "F"[] : !tile.buffer<[64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "math" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c64 = arith.constant 64 : index
    tile.parallel (%i) in (%c64) {
      %n = arith.index_cast %i : index to i32
      %f = arith.sitofp %n : i32 to f32
      %y = math.sin %f : f32
      tile.store %y, %H[%i] : f32, !tile.buffer<[64], f16, global>
    }
    tile.parallel (%i) in (%c64) {
      %x = tile.load %A[%i] : !tile.buffer<[64], f32, global> -> f32
      %y = math.sin %x : f32
      tile.store %y, %H[%i] : f32, !tile.buffer<[64], f16, global>
    }
    tile.parallel (%i) in (%c64) {
      %n = arith.index_cast %i : index to i32
      %f = arith.sitofp %n : i32 to f32
      %y = math.sin %f : f32
      tile.store %y, %F[%i] : f32, !tile.buffer<[64], f32, global>
    }
  }
}
