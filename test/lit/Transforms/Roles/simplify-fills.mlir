// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-infer-layouts{target=gfx950},tile-simplify-fills{target=gfx950}))' | FileCheck %s
// RUN: tilec-opt %s --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-infer-layouts{target=sm_90a},tile-simplify-fills{target=sm_90a}))' | FileCheck %s --check-prefix=LEFT
//
// A mask of C in front of a product runs only in tiles that its condition cuts. A chip with tensor copies leaves that to
// tile-expand-producers.

// CHECK-LABEL: tile.kernel "masked"
// CHECK:         tile.for
// CHECK:           scf.if
// LEFT-LABEL:  tile.kernel "masked"
// LEFT-NOT:        scf.if
tile.program @masked {
  %A = tile.tensor "A"[] : !tile.buffer<[512, 64], f16, global>
  %D = tile.tensor "D"[] : !tile.buffer<[64, 64], f32, global>
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  tile.kernel "masked" grid(%c4) threads(128) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %a = tile.alloc "a" : !tile.buffer<[64, 64], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[64, 64], f32, fragment>
    %rows = arith.muli %bx, %c64 : index
    tile.for %k = %c0 to %c8 step %c1 {
      %at = arith.muli %k, %c64 : index
      %v = tile.subview %A[%at, %c0] : !tile.buffer<[512, 64], f16, global> to !tile.buffer<[64, 64], f16, global>
      tile.copy %v to %a : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
      tile.parallel (%i, %j) in (%c64, %c64) {
        %row = arith.addi %rows, %i : index
        %column = arith.addi %at, %j : index
        %inside = arith.cmpi sge, %row, %column : index
        %x = arith.select %inside, %zero, %low : f32
        tile.store %x, %c[%i, %j] : f32, !tile.buffer<[64, 64], f32, fragment>
      }
      tile.gemm %a, %a, %c {transpose_b} : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
      tile.copy %c to %D : !tile.buffer<[64, 64], f32, fragment>, !tile.buffer<[64, 64], f32, global>
    }
  }
}
