// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950},tile-rewrite-gates))' | FileCheck %s
//
// 1 + erf(x) that is rounded to 16 bits is erfc(-x), 1 + tanh(x) a quotient; what is stored in full stays.
// CHECK:       [[X:%[0-9]+]] = arith.negf
// CHECK:       math.erfc [[X]] fastmath<afn>
// CHECK-NOT:   arith.addf
// CHECK:       math.exp2 {{.*}} fastmath<afn>
// CHECK:       arith.divf {{.*}} fastmath<arcp>
// CHECK:       math.erf
tile.program @math {
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
      %e = math.erf %x : f32
      %y = arith.addf %e, %one : f32
      tile.store %y, %H[%i] : f32, !tile.buffer<[64], f16, global>
    }
    tile.parallel (%i) in (%c64) {
      %x = tile.load %A[%i] : !tile.buffer<[64], f32, global> -> f32
      %e = math.tanh %x : f32
      %y = arith.addf %one, %e : f32
      tile.store %y, %H[%i] : f32, !tile.buffer<[64], f16, global>
    }
    tile.parallel (%i) in (%c64) {
      %x = tile.load %A[%i] : !tile.buffer<[64], f32, global> -> f32
      %e = math.erf %x : f32
      %y = arith.addf %e, %one : f32
      tile.store %y, %F[%i] : f32, !tile.buffer<[64], f32, global>
    }
  }
}
