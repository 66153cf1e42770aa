// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-roll-tails))' | FileCheck %s
//
// The last round, written out behind a pipelined loop, goes back into it, also with a tile of its
// own; not when it is another round than the next.

// CHECK-LABEL: tile.kernel "rolled"
// CHECK:         %[[N:.*]] = arith.constant 256 : index
// CHECK:         tile.for %{{.*}} = %{{.*}} to %[[N]] step
// CHECK:           tile.gemm
// CHECK:         }
// CHECK-NOT:     tile.gemm
tile.program @rolled {
  %A = tile.tensor "A"[] : !tile.buffer<[32, 256], f16, global>
  %c1 = arith.constant 1 : index
  tile.kernel "rolled" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[32, 32], f16, shared>
    %last = tile.alloc "last" : !tile.buffer<[32, 32], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[32, 32], f32, fragment>
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c224 = arith.constant 224 : index
    tile.for %k = %c0 to %c224 step %c32 kind(pipelined) stages(2) {
      %v = tile.subview %A[%c0, %k] : !tile.buffer<[32, 256], f16, global> to !tile.buffer<[32, 32], f16, global>
      tile.copy %v to %s : !tile.buffer<[32, 32], f16, global>, !tile.buffer<[32, 32], f16, shared>
      tile.gemm %s, %s, %c {transpose_b} : !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f32, fragment>
    }
    %w = tile.subview %A[%c0, %c224] : !tile.buffer<[32, 256], f16, global> to !tile.buffer<[32, 32], f16, global>
    tile.copy %w to %last : !tile.buffer<[32, 32], f16, global>, !tile.buffer<[32, 32], f16, shared>
    tile.gemm %last, %last, %c {transpose_b} : !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f32, fragment>
  }
}

// CHECK-LABEL: tile.kernel "other"
// CHECK:         tile.for
// CHECK:           tile.gemm
// CHECK:         }
// CHECK:         tile.gemm
tile.program @other {
  %A = tile.tensor "A"[] : !tile.buffer<[32, 256], f16, global>
  %c1 = arith.constant 1 : index
  tile.kernel "other" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[32, 32], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[32, 32], f32, fragment>
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c192 = arith.constant 192 : index
    %c224 = arith.constant 224 : index
    tile.for %k = %c0 to %c192 step %c32 kind(pipelined) stages(2) {
      %v = tile.subview %A[%c0, %k] : !tile.buffer<[32, 256], f16, global> to !tile.buffer<[32, 32], f16, global>
      tile.copy %v to %s : !tile.buffer<[32, 32], f16, global>, !tile.buffer<[32, 32], f16, shared>
      tile.gemm %s, %s, %c {transpose_b} : !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f32, fragment>
    }
    %w = tile.subview %A[%c0, %c224] : !tile.buffer<[32, 256], f16, global> to !tile.buffer<[32, 32], f16, global>
    tile.copy %w to %s : !tile.buffer<[32, 32], f16, global>, !tile.buffer<[32, 32], f16, shared>
    tile.gemm %s, %s, %c {transpose_b} : !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f32, fragment>
  }
}

// The loop's tile is looked at behind it: it would have the data of another round.
// CHECK-LABEL: tile.kernel "seen"
// CHECK:         tile.for
// CHECK:           tile.gemm
// CHECK:         }
// CHECK:         tile.gemm
tile.program @seen {
  %A = tile.tensor "A"[] : !tile.buffer<[32, 256], f16, global>
  %B = tile.tensor "B"[] : !tile.buffer<[32, 32], f16, global>
  %c1 = arith.constant 1 : index
  tile.kernel "seen" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[32, 32], f16, shared>
    %last = tile.alloc "last" : !tile.buffer<[32, 32], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[32, 32], f32, fragment>
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c224 = arith.constant 224 : index
    tile.for %k = %c0 to %c224 step %c32 kind(pipelined) stages(2) {
      %v = tile.subview %A[%c0, %k] : !tile.buffer<[32, 256], f16, global> to !tile.buffer<[32, 32], f16, global>
      tile.copy %v to %s : !tile.buffer<[32, 32], f16, global>, !tile.buffer<[32, 32], f16, shared>
      tile.gemm %s, %s, %c {transpose_b} : !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f32, fragment>
    }
    %w = tile.subview %A[%c0, %c224] : !tile.buffer<[32, 256], f16, global> to !tile.buffer<[32, 32], f16, global>
    tile.copy %w to %last : !tile.buffer<[32, 32], f16, global>, !tile.buffer<[32, 32], f16, shared>
    tile.gemm %last, %last, %c {transpose_b} : !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f32, fragment>
    tile.copy %s to %B : !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f16, global>
  }
}
