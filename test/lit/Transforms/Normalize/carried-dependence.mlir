// RUN: not tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-recognize-reductions))' 2>&1 | FileCheck %s
//
// An update that no combination explains is an error at the store, with the read it depends on.

// CHECK: :[[@LINE+16]]:7: error: iterations of T.Parallel depend on each other
// CHECK: :[[@LINE+12]]:14: note: it is read here
tile.program @carried {
  %A = tile.tensor "A"[] : !tile.buffer<[64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "carried" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %x = tile.alloc "x" : !tile.buffer<[1], f32, fragment>
    %c64 = arith.constant 64 : index
    %c0 = arith.constant 0 : index
    %half = arith.constant 0.5 : f32
    tile.parallel (%i) in (%c64) {
      %a = tile.load %A[%i] : !tile.buffer<[64], f32, global> -> f32
      %old = tile.load %x[%c0] : !tile.buffer<[1], f32, fragment> -> f32
      %p = arith.mulf %old, %half : f32
      %new = arith.addf %p, %a : f32
      tile.store %new, %x[%c0] : f32, !tile.buffer<[1], f32, fragment>
    }
  }
}
