// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-forward-operands))' | FileCheck %s
//
// A fragment that only brings a shared tile to one product: the product reads the tile itself. Not
// where the tile is written on the way, nor where the fragment has other readers.

// CHECK-LABEL: tile.kernel "passage"
// CHECK:         %[[S:.*]] = tile.alloc "s"
// CHECK-NOT:     tile.copy
// CHECK:         tile.gemm %[[S]], %[[S]],
tile.program @passage {
  %c1 = arith.constant 1 : index
  tile.kernel "passage" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[32, 32], f16, shared>
    %f = tile.alloc "f" : !tile.buffer<[32, 32], f16, fragment>
    %c = tile.alloc "c" : !tile.buffer<[32, 32], f32, fragment>
    %one = arith.constant 1.0 : f32
    tile.fill %one, %s : f32, !tile.buffer<[32, 32], f16, shared>
    %c0 = arith.constant 0 : index
    %v = tile.subview %s[%c0, %c0] : !tile.buffer<[32, 32], f16, shared> to !tile.buffer<[32, 32], f16, shared>
    tile.copy %v to %f : !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f16, fragment>
    tile.gemm %f, %s, %c {transpose_b} : !tile.buffer<[32, 32], f16, fragment>, !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f32, fragment>
    // The next round of a program that is written out: a passage of its own.
    tile.copy %s to %f : !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f16, fragment>
    tile.gemm %f, %s, %c {transpose_b} : !tile.buffer<[32, 32], f16, fragment>, !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f32, fragment>
  }
}

// CHECK-LABEL: tile.kernel "overwritten"
// CHECK:         %[[F:.*]] = tile.alloc "f"
// CHECK:         tile.gemm %[[F]],
tile.program @overwritten {
  %c1 = arith.constant 1 : index
  tile.kernel "overwritten" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[32, 32], f16, shared>
    %f = tile.alloc "f" : !tile.buffer<[32, 32], f16, fragment>
    %c = tile.alloc "c" : !tile.buffer<[32, 32], f32, fragment>
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    tile.fill %one, %s : f32, !tile.buffer<[32, 32], f16, shared>
    tile.copy %s to %f : !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f16, fragment>
    tile.fill %two, %s : f32, !tile.buffer<[32, 32], f16, shared>
    tile.gemm %f, %s, %c {transpose_b} : !tile.buffer<[32, 32], f16, fragment>, !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f32, fragment>
  }
}

// One copy for two products stays in registers.
// CHECK-LABEL: tile.kernel "kept"
// CHECK:         %[[F:.*]] = tile.alloc "f"
// CHECK:         tile.gemm %[[F]],
// CHECK:         tile.gemm %[[F]],
tile.program @kept {
  %c1 = arith.constant 1 : index
  tile.kernel "kept" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[32, 32], f16, shared>
    %f = tile.alloc "f" : !tile.buffer<[32, 32], f16, fragment>
    %c = tile.alloc "c" : !tile.buffer<[32, 32], f32, fragment>
    %one = arith.constant 1.0 : f32
    tile.fill %one, %s : f32, !tile.buffer<[32, 32], f16, shared>
    tile.copy %s to %f : !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f16, fragment>
    tile.gemm %f, %s, %c {transpose_b} : !tile.buffer<[32, 32], f16, fragment>, !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f32, fragment>
    tile.gemm %f, %s, %c : !tile.buffer<[32, 32], f16, fragment>, !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f32, fragment>
  }
}
