// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950},tile-place-barriers))' | FileCheck %s
//
// A fragment that is read at two different places in one loop cannot serve both from registers: the
// second read goes through a shared copy, with barriers around it.

// CHECK: %[[STAGED:.*]] = tile.alloc "F_staged"
// CHECK: tile.move
// CHECK:   tile.load %F
// CHECK:   tile.store %{{.*}}, %[[STAGED]]
// CHECK: tile.barrier
// CHECK: tile.parallel
// CHECK:   tile.load %[[STAGED]]
tile.program @transpose {
  %A = tile.tensor "A"[] : !tile.buffer<[32, 32], f32, global>
  %B = tile.tensor "B"[] : !tile.buffer<[32, 32], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "transpose" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %F = tile.alloc "F" : !tile.buffer<[32, 32], f32, fragment>
    %c32 = arith.constant 32 : index
    tile.copy %A to %F : !tile.buffer<[32, 32], f32, global>, !tile.buffer<[32, 32], f32, fragment>
    tile.parallel (%i, %j) in (%c32, %c32) {
      %x = tile.load %F[%i, %j] : !tile.buffer<[32, 32], f32, fragment> -> f32
      %y = tile.load %F[%j, %i] : !tile.buffer<[32, 32], f32, fragment> -> f32
      %s = arith.addf %x, %y : f32
      tile.store %s, %B[%i, %j] : f32, !tile.buffer<[32, 32], f32, global>
    }
  }
}
