// RUN: tilec-opt %s --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-transpose-operands{target=sm_90a}))' | FileCheck %s
// RUN: tilec-opt %s --verify-contracts=sm_80 --pass-pipeline='builtin.module(tile.program(tile-transpose-operands{target=sm_80}))' | FileCheck %s --check-prefix=NONE
//
// B of bytes has K as the slower dimension, which warp groups do not read: a loop writes it the other way round. Elements
// of 16 bits they read as they are; a C of 48 rows no warp groups multiply, nor does a chip without them.

// NONE-NOT:    transposed
// CHECK-LABEL: tile.kernel "bytes"
// CHECK:         [[T:%.*]] = tile.alloc "B_transposed" : !tile.buffer<[128, 64], f8E4M3FN, shared>
// CHECK:         tile.move ([[N:%.*]], [[K:%.*]]) in
// CHECK:           [[X:%.*]] = tile.load %B{{\[}}[[K]], [[N]]]
// CHECK:           tile.store [[X]], [[T]]{{\[}}[[N]], [[K]]]
// CHECK:         tile.gemm %A, [[T]], %C {transpose_b}
// CHECK-LABEL: tile.kernel "halves"
// CHECK-NOT:     tile.move
// CHECK-LABEL: tile.kernel "rows"
// CHECK-NOT:     transpose
tile.program @p {
  %c1 = arith.constant 1 : index
  tile.kernel "bytes" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[64, 64], f8E4M3FN, shared>
    %B = tile.alloc "B" : !tile.buffer<[64, 128], f8E4M3FN, shared>
    %C = tile.alloc "C" : !tile.buffer<[64, 128], f32, fragment>
    tile.gemm %A, %B, %C : !tile.buffer<[64, 64], f8E4M3FN, shared>, !tile.buffer<[64, 128], f8E4M3FN, shared>, !tile.buffer<[64, 128], f32, fragment>
  }
  tile.kernel "halves" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[64, 64], f16, shared>
    %B = tile.alloc "B" : !tile.buffer<[64, 128], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[64, 128], f32, fragment>
    tile.gemm %A, %B, %C : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 128], f16, shared>, !tile.buffer<[64, 128], f32, fragment>
  }
  tile.kernel "rows" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[48, 64], f8E4M3FN, shared>
    %B = tile.alloc "B" : !tile.buffer<[64, 128], f8E4M3FN, shared>
    %C = tile.alloc "C" : !tile.buffer<[48, 128], f32, fragment>
    tile.gemm %A, %B, %C : !tile.buffer<[48, 64], f8E4M3FN, shared>, !tile.buffer<[64, 128], f8E4M3FN, shared>, !tile.buffer<[48, 128], f32, fragment>
  }
}
