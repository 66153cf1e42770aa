// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-check,tile-normalize,tile-lay-out{target=gfx950},tile-expand-pipelines{target=gfx950},tile-place-shared{target=gfx950},tile-place-barriers),tile-to-wave{target=gfx950},canonicalize{region-simplify=disabled},cse)' | FileCheck %s
//
// A fill sets all registers of a fragment in each lane, without a branch, and writes a shared tile in
// wide pieces; what reads that waits at a barrier.

// CHECK-LABEL: wave.kernel @fills
// CHECK-DAG:   %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:       %[[REGS:.*]] = wave.alloc_regs "F" : !wave.regs<1 x vector<4xf32>>
// CHECK-NEXT:  %[[FOUR:.*]] = wave.pack %[[ONE]], %[[ONE]], %[[ONE]], %[[ONE]]
// CHECK-NEXT:  wave.set %[[FOUR]], %[[REGS]][0]
// CHECK-NOT:   wave.set
// CHECK:       wave.shared_write {{.*}} : vector<4xf32>
// CHECK-NOT:   wave.shared_write
// CHECK:       wave.barrier
tile.program @fills {
  %B = tile.tensor "B"[] : !tile.buffer<[512], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "fills" grid(%one) threads(128) {
  ^bb0(%bx: index):
    %F = tile.alloc "F" : !tile.buffer<[512], f32, fragment>
    %S = tile.alloc "S" : !tile.buffer<[512], f32, shared>
    %f = arith.constant 1.0 : f32
    %zero = arith.constant 0.0 : f32
    %n = arith.constant 512 : index
    %last = arith.constant 511 : index
    tile.fill %f, %F : f32, !tile.buffer<[512], f32, fragment>
    tile.fill %zero, %S : f32, !tile.buffer<[512], f32, shared>
    tile.parallel (%i) in (%n) {
      %mirror = arith.subi %last, %i : index
      %x = tile.load %F[%i] : !tile.buffer<[512], f32, fragment> -> f32
      %y = tile.load %S[%mirror] : !tile.buffer<[512], f32, shared> -> f32
      %s = arith.addf %x, %y : f32
      tile.store %s, %B[%i] : f32, !tile.buffer<[512], f32, global>
    }
  }
}
