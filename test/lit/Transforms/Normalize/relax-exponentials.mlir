// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950},tile-relax-exponentials{target=gfx950}))' | FileCheck %s
//
// What lies below a row's maximum by 126 is nothing beside it; e^x that is rounded to 16 bits is 2^(x log2 e); what is
// stored in full stays.
// CHECK:       tile.reduce
// CHECK:       arith.subf {{.*}} fastmath<contract>
// CHECK:       math.exp2 {{.*}} fastmath<afn>
// CHECK-NOT:   math.exp 
// CHECK:       math.exp2
// CHECK:       math.exp {{[^<]*}} : f32
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
    tile.reduce max %s to %r dim 1 {clear = true} : !tile.buffer<[64, 64], f32, fragment>, !tile.buffer<[64], f32, fragment>
    tile.parallel (%i, %j) in (%c64, %c64) {
      %x = tile.load %A[%i, %j] : !tile.buffer<[64, 64], f32, global> -> f32
      %q = tile.load %r[%i] : !tile.buffer<[64], f32, fragment> -> f32
      %v = tile.load %s[%i, %j] : !tile.buffer<[64, 64], f32, fragment> -> f32
      %d = arith.subf %v, %q : f32
      %y = math.exp2 %d : f32
      tile.store %y, %H[%i, %j] : f32, !tile.buffer<[64, 64], f16, global>
    }
    tile.parallel (%i, %j) in (%c64, %c64) {
      %x = tile.load %A[%i, %j] : !tile.buffer<[64, 64], f32, global> -> f32
      %y = math.exp %x : f32
      tile.store %y, %H[%i, %j] : f32, !tile.buffer<[64, 64], f16, global>
    }
    tile.parallel (%i, %j) in (%c64, %c64) {
      %x = tile.load %A[%i, %j] : !tile.buffer<[64, 64], f32, global> -> f32
      %y = math.exp %x : f32
      tile.store %y, %F[%i, %j] : f32, !tile.buffer<[64, 64], f32, global>
    }
  }
}
