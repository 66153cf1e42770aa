// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-isolate-operands{target=gfx950},tile-infer-layouts{target=gfx950},tile-lay-out-shared{target=gfx950},tile-keep-loop-layouts{target=gfx950},canonicalize))' | FileCheck %s
//
// The branch of the first loop, which gives it the layout of %F, goes when the condition is folded. The loop keeps the
// layout, because %R is read in the lanes of %F. The second loop's own store of %F stays, so that no note is needed, and
// the third loop touches no other fragment.

// CHECK-LABEL: tile.program @folded
// CHECK: tile.parallel ({{.*}}) in ({{.*}}) attributes {layout = #tile.fragment<shape = [16, 16]
// CHECK-NEXT: tile.load %R
// CHECK: tile.parallel ({{.*}}) in ({{[^)]*}}) {
// CHECK: tile.parallel ({{.*}}) in ({{[^)]*}}) {
tile.program @folded {
  %A = tile.tensor "A"[] : !tile.buffer<[16, 16], f16, global>
  %O = tile.tensor "O"[] : !tile.buffer<[16, 16], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "folded" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c16 = arith.constant 16 : index
    %never = arith.constant false
    %zero = arith.constant 0.0 : f32
    %S = tile.alloc "S" : !tile.buffer<[16, 16], f16, shared>
    %F = tile.alloc "F" : !tile.buffer<[16, 16], f32, fragment>
    %R = tile.alloc "R" : !tile.buffer<[16], f32, fragment>
    tile.copy %A to %S : !tile.buffer<[16, 16], f16, global>, !tile.buffer<[16, 16], f16, shared>
    tile.gemm %S, %S, %F {clear_accum} : !tile.buffer<[16, 16], f16, shared>, !tile.buffer<[16, 16], f16, shared>, !tile.buffer<[16, 16], f32, fragment>
    tile.parallel (%i, %j) in (%c16, %c16) {
      %r = tile.load %R[%i] : !tile.buffer<[16], f32, fragment> -> f32
      %x = scf.if %never -> (f32) {
        %f = tile.load %F[%i, %j] : !tile.buffer<[16, 16], f32, fragment> -> f32
        scf.yield %f : f32
      } else {
        scf.yield %r : f32
      }
      tile.store %x, %O[%i, %j] : f32, !tile.buffer<[16, 16], f32, global>
    }
    tile.parallel (%i, %j) in (%c16, %c16) {
      %r = tile.load %R[%i] : !tile.buffer<[16], f32, fragment> -> f32
      tile.store %r, %F[%i, %j] : f32, !tile.buffer<[16, 16], f32, fragment>
    }
    tile.parallel (%i, %j) in (%c16, %c16) {
      %f = tile.load %F[%i, %j] : !tile.buffer<[16, 16], f32, fragment> -> f32
      tile.store %f, %O[%i, %j] : f32, !tile.buffer<[16, 16], f32, global>
    }
  }
}
