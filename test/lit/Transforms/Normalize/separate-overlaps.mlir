// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-separate-overlaps))' | FileCheck %s
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-separate-overlaps{lockstep=true}))' | FileCheck %s --check-prefix=OTHER
//
// A copy within one buffer goes through a buffer of its own; one between two buffers does not. With
// `lockstep`, only programs with kernels that name threads are looked at.

// CHECK-LABEL: tile.kernel "within"
// CHECK:         %[[HELD:.*]] = tile.alloc "held" : !tile.buffer<[16], f32, fragment>
// CHECK-NEXT:    tile.copy %[[FROM:.*]] to %[[HELD]]
// CHECK-NEXT:    tile.copy %[[HELD]] to %[[TO:.*]] :
// CHECK-NEXT:    tile.copy %s to %t
// OTHER-NOT:     "held"
tile.program @within {
  %c1 = arith.constant 1 : index
  tile.kernel "within" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %s = tile.alloc "s" : !tile.buffer<[24], f32, shared>
    %t = tile.alloc "t" : !tile.buffer<[24], f32, shared>
    %from = tile.subview %s[%c0] : !tile.buffer<[24], f32, shared> to !tile.buffer<[16], f32, shared>
    %to = tile.subview %s[%c8] : !tile.buffer<[24], f32, shared> to !tile.buffer<[16], f32, shared>
    tile.copy %from to %to : !tile.buffer<[16], f32, shared>, !tile.buffer<[16], f32, shared>
    tile.copy %s to %t : !tile.buffer<[24], f32, shared>, !tile.buffer<[24], f32, shared>
  }
}
