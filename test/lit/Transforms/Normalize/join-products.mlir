// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-join-products))' | FileCheck %s
//
// A loop that multiplies the steps of two shared tiles along K, each through fragments of a step, is one product of the
// tiles. With a C in f16, each step rounds, and the loop stays. Parts of N, or M, are one product, too, but where they lie
// over each other.

// CHECK-LABEL: tile.kernel "steps"
// CHECK-NOT:     tile.for
// CHECK:         tile.gemm %A, %B, %C {transpose_b}
// CHECK-LABEL: tile.kernel "rounded"
// CHECK:         tile.for
// CHECK:           tile.gemm
// CHECK-LABEL: tile.kernel "parts"
// CHECK-NOT:     tile.for
// CHECK:         tile.gemm %A, %B, %C {transpose_b}
// CHECK-LABEL: tile.kernel "rows"
// CHECK-NOT:     tile.for
// CHECK:         tile.gemm %A, %B, %C {transpose_a}
// CHECK-LABEL: tile.kernel "over"
// CHECK:         tile.for
// CHECK:           tile.gemm
tile.program @steps {
  %c1 = arith.constant 1 : index
  tile.kernel "steps" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %A = tile.alloc "A" : !tile.buffer<[32, 32], f16, shared>
    %B = tile.alloc "B" : !tile.buffer<[32, 32], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[32, 32], f32, fragment>
    %a = tile.alloc "a" : !tile.buffer<[32, 16], f16, fragment>
    %b = tile.alloc "b" : !tile.buffer<[32, 16], f16, fragment>
    tile.for %i = %c0 to %c2 step %c1 {
      %k = arith.muli %i, %c16 : index
      %from = tile.subview %A[%c0, %k] : !tile.buffer<[32, 32], f16, shared> to !tile.buffer<[32, 16], f16, shared>
      tile.copy %from to %a : !tile.buffer<[32, 16], f16, shared>, !tile.buffer<[32, 16], f16, fragment>
      %other = tile.subview %B[%c0, %k] : !tile.buffer<[32, 32], f16, shared> to !tile.buffer<[32, 16], f16, shared>
      tile.copy %other to %b : !tile.buffer<[32, 16], f16, shared>, !tile.buffer<[32, 16], f16, fragment>
      tile.gemm %a, %b, %C {transpose_b} : !tile.buffer<[32, 16], f16, fragment>, !tile.buffer<[32, 16], f16, fragment>, !tile.buffer<[32, 32], f32, fragment>
    }
  }
}

tile.program @rounded {
  %c1 = arith.constant 1 : index
  tile.kernel "rounded" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %A = tile.alloc "A" : !tile.buffer<[32, 32], f16, shared>
    %B = tile.alloc "B" : !tile.buffer<[32, 32], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[32, 32], f16, fragment>
    %a = tile.alloc "a" : !tile.buffer<[32, 16], f16, fragment>
    %b = tile.alloc "b" : !tile.buffer<[32, 16], f16, fragment>
    tile.for %i = %c0 to %c2 step %c1 {
      %k = arith.muli %i, %c16 : index
      %from = tile.subview %A[%c0, %k] : !tile.buffer<[32, 32], f16, shared> to !tile.buffer<[32, 16], f16, shared>
      tile.copy %from to %a : !tile.buffer<[32, 16], f16, shared>, !tile.buffer<[32, 16], f16, fragment>
      %other = tile.subview %B[%c0, %k] : !tile.buffer<[32, 32], f16, shared> to !tile.buffer<[32, 16], f16, shared>
      tile.copy %other to %b : !tile.buffer<[32, 16], f16, shared>, !tile.buffer<[32, 16], f16, fragment>
      tile.gemm %a, %b, %C {transpose_b} : !tile.buffer<[32, 16], f16, fragment>, !tile.buffer<[32, 16], f16, fragment>, !tile.buffer<[32, 32], f16, fragment>
    }
  }
}

tile.program @parts {
  %c1 = arith.constant 1 : index
  tile.kernel "parts" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %A = tile.alloc "A" : !tile.buffer<[32, 32], f16, shared>
    %B = tile.alloc "B" : !tile.buffer<[32, 32], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[32, 32], f32, fragment>
    tile.for %i = %c0 to %c2 step %c1 kind(unroll) {
      %at = arith.muli %i, %c16 : index
      %b = tile.subview %B[%at, %c0] : !tile.buffer<[32, 32], f16, shared> to !tile.buffer<[16, 32], f16, shared>
      %c = tile.subview %C[%c0, %at] : !tile.buffer<[32, 32], f32, fragment> to !tile.buffer<[32, 16], f32, fragment>
      tile.gemm %A, %b, %c {transpose_b} : !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[16, 32], f16, shared>, !tile.buffer<[32, 16], f32, fragment>
    }
  }
}

tile.program @rows {
  %c1 = arith.constant 1 : index
  tile.kernel "rows" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %A = tile.alloc "A" : !tile.buffer<[32, 32], f16, shared>
    %B = tile.alloc "B" : !tile.buffer<[32, 32], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[32, 32], f32, fragment>
    tile.for %i = %c0 to %c2 step %c1 kind(unroll) {
      %at = arith.muli %i, %c16 : index
      %a = tile.subview %A[%c0, %at] : !tile.buffer<[32, 32], f16, shared> to !tile.buffer<[32, 16], f16, shared>
      %c = tile.subview %C[%at, %c0] : !tile.buffer<[32, 32], f32, fragment> to !tile.buffer<[16, 32], f32, fragment>
      tile.gemm %a, %B, %c {transpose_a} : !tile.buffer<[32, 16], f16, shared>, !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[16, 32], f32, fragment>
    }
  }
}

tile.program @over {
  %c1 = arith.constant 1 : index
  tile.kernel "over" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 8 : index
    %A = tile.alloc "A" : !tile.buffer<[32, 32], f16, shared>
    %B = tile.alloc "B" : !tile.buffer<[32, 32], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[32, 32], f32, fragment>
    tile.for %i = %c0 to %c2 step %c1 kind(unroll) {
      %at = arith.muli %i, %c16 : index
      %b = tile.subview %B[%at, %c0] : !tile.buffer<[32, 32], f16, shared> to !tile.buffer<[16, 32], f16, shared>
      %c = tile.subview %C[%c0, %at] : !tile.buffer<[32, 32], f32, fragment> to !tile.buffer<[32, 16], f32, fragment>
      tile.gemm %A, %b, %c {transpose_b} : !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[16, 32], f16, shared>, !tile.buffer<[32, 16], f32, fragment>
    }
  }
}
