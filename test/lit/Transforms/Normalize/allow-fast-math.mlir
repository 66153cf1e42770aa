// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950},tile-allow-fast-math))' | FileCheck %s
//
// A program that asks for fast arithmetic has it everywhere.
// CHECK:       math.exp2 {{.*}} fastmath<afn>
// CHECK:       arith.divf {{.*}} fastmath<arcp>
// CHECK:       arith.addf {{.*}} fastmath<contract>
tile.program @math attributes {fast_math} {
  %A = tile.tensor "A"[] : !tile.buffer<[64], f32, global>
  %H = tile.tensor "H"[] : !tile.buffer<[64], f16, global>
  %F = tile.tensor "F"[] : !tile.buffer<[64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "math" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    tile.parallel (%i) in (%c64) {
      %x = tile.load %A[%i] : !tile.buffer<[64], f32, global> -> f32
      %e = math.exp2 %x : f32
      %q = arith.divf %one, %e : f32
      %y = arith.addf %q, %x : f32
      tile.store %y, %F[%i] : f32, !tile.buffer<[64], f32, global>
    }
  }
}
