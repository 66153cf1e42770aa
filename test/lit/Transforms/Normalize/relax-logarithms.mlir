// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950},tile-relax-logarithms))' | FileCheck %s
//
// A logarithm that only scales exponentials of 16 bits is the hardware's; one that is stored is not.
// CHECK:       math.log {{.*}} fastmath<afn>
// CHECK:       math.log {{[^<]*}} : f32
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
      %y = arith.negf %x : f32
      tile.store %y, %s[%i, %j] : f32, !tile.buffer<[64, 64], f32, fragment>
    }
    tile.reduce sum %s to %r dim 1 {clear = true} : !tile.buffer<[64, 64], f32, fragment>, !tile.buffer<[64], f32, fragment>
    tile.parallel (%i, %j) in (%c64, %c64) {
      %x = tile.load %A[%i, %j] : !tile.buffer<[64, 64], f32, global> -> f32
      %q = tile.load %r[%i] : !tile.buffer<[64], f32, fragment> -> f32
      %l = math.log %q : f32
      %d = arith.subf %x, %l : f32
      %y = math.exp %d : f32
      tile.store %y, %H[%i, %j] : f32, !tile.buffer<[64, 64], f16, global>
    }
    tile.parallel (%i, %j) in (%c64, %c64) {
      %x = tile.load %A[%i, %j] : !tile.buffer<[64, 64], f32, global> -> f32
      %y = math.log %x : f32
      tile.store %y, %F[%i, %j] : f32, !tile.buffer<[64, 64], f32, global>
    }
  }
}
