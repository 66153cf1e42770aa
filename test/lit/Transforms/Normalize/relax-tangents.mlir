// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950},tile-relax-tangents))' | FileCheck %s
//
// A tangent of 16 bits is the hardware's, also behind a product; one that a difference could show, or that stays f32, is not.
// CHECK:       math.tanh {{.*}} fastmath<afn>
// CHECK:       math.tanh {{[^<]*}} : f32
// CHECK:       math.tanh {{[^<]*}} : f32
tile.program @math {
  %A = tile.tensor "A"[] : !tile.buffer<[64, 64], f32, global>
  %H = tile.tensor "H"[] : !tile.buffer<[64, 64], f16, global>
  %F = tile.tensor "F"[] : !tile.buffer<[64, 64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "math" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c64 = arith.constant 64 : index
    %half = arith.constant 5.000000e-01 : f32
    tile.parallel (%i, %j) in (%c64, %c64) {
      %x = tile.load %A[%i, %j] : !tile.buffer<[64, 64], f32, global> -> f32
      %t = math.tanh %x : f32
      %y = arith.mulf %t, %half : f32
      tile.store %y, %H[%i, %j] : f32, !tile.buffer<[64, 64], f16, global>
    }
    tile.parallel (%i, %j) in (%c64, %c64) {
      %x = tile.load %A[%i, %j] : !tile.buffer<[64, 64], f32, global> -> f32
      %t = math.tanh %x : f32
      %y = arith.subf %t, %x : f32
      tile.store %y, %H[%i, %j] : f32, !tile.buffer<[64, 64], f16, global>
    }
    tile.parallel (%i, %j) in (%c64, %c64) {
      %x = tile.load %A[%i, %j] : !tile.buffer<[64, 64], f32, global> -> f32
      %y = math.tanh %x : f32
      tile.store %y, %F[%i, %j] : f32, !tile.buffer<[64, 64], f32, global>
    }
  }
}

// One that is seen in a softmax alone is a power and a reciprocal; not where a kernel also gives f32.
// CHECK-LABEL: tile.kernel "scores"
// CHECK-NOT:   math.tanh
// CHECK:       math.exp2 {{.*}} fastmath<afn>
// CHECK:       arith.divf {{.*}} fastmath<arcp,afn>
// CHECK-NOT:   math.tanh
// CHECK-LABEL: tile.kernel "logarithms"
// CHECK:       math.tanh {{[^<]*}} : f32
tile.program @scores {
  %A = tile.tensor "A"[] : !tile.buffer<[64, 64], f32, global>
  %H = tile.tensor "H"[] : !tile.buffer<[64, 64], f16, global>
  %c1 = arith.constant 1 : index
  tile.kernel "scores" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c64 = arith.constant 64 : index
    %cap = arith.constant 3.000000e+01 : f32
    %s = tile.alloc "s" : !tile.buffer<[64, 64], f32, fragment>
    %m = tile.alloc "m" : !tile.buffer<[64], f32, fragment>
    tile.parallel (%i, %j) in (%c64, %c64) {
      %x = tile.load %A[%i, %j] : !tile.buffer<[64, 64], f32, global> -> f32
      %t = math.tanh %x : f32
      %y = arith.mulf %t, %cap : f32
      tile.store %y, %s[%i, %j] : f32, !tile.buffer<[64, 64], f32, fragment>
    }
    tile.reduce max %s to %m dim 1 {clear = true} : !tile.buffer<[64, 64], f32, fragment>, !tile.buffer<[64], f32, fragment>
    tile.parallel (%i, %j) in (%c64, %c64) {
      %x = tile.load %s[%i, %j] : !tile.buffer<[64, 64], f32, fragment> -> f32
      %q = tile.load %m[%i] : !tile.buffer<[64], f32, fragment> -> f32
      %d = arith.subf %x, %q : f32
      %y = math.exp %d : f32
      tile.store %y, %H[%i, %j] : f32, !tile.buffer<[64, 64], f16, global>
    }
  }
}
tile.program @logarithms {
  %A = tile.tensor "A"[] : !tile.buffer<[64, 64], f32, global>
  %H = tile.tensor "H"[] : !tile.buffer<[64, 64], f16, global>
  %F = tile.tensor "F"[] : !tile.buffer<[64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "logarithms" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c64 = arith.constant 64 : index
    %cap = arith.constant 3.000000e+01 : f32
    %s = tile.alloc "s" : !tile.buffer<[64, 64], f32, fragment>
    %m = tile.alloc "m" : !tile.buffer<[64], f32, fragment>
    tile.parallel (%i, %j) in (%c64, %c64) {
      %x = tile.load %A[%i, %j] : !tile.buffer<[64, 64], f32, global> -> f32
      %t = math.tanh %x : f32
      %y = arith.mulf %t, %cap : f32
      tile.store %y, %s[%i, %j] : f32, !tile.buffer<[64, 64], f32, fragment>
    }
    tile.reduce max %s to %m dim 1 {clear = true} : !tile.buffer<[64, 64], f32, fragment>, !tile.buffer<[64], f32, fragment>
    tile.parallel (%i, %j) in (%c64, %c64) {
      %x = tile.load %s[%i, %j] : !tile.buffer<[64, 64], f32, fragment> -> f32
      %q = tile.load %m[%i] : !tile.buffer<[64], f32, fragment> -> f32
      %d = arith.subf %x, %q : f32
      %y = math.exp %d : f32
      tile.store %y, %H[%i, %j] : f32, !tile.buffer<[64, 64], f16, global>
    }
    tile.parallel (%i) in (%c64) {
      %q = tile.load %m[%i] : !tile.buffer<[64], f32, fragment> -> f32
      tile.store %q, %F[%i] : f32, !tile.buffer<[64], f32, global>
    }
  }
}
