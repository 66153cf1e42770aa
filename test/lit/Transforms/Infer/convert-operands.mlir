// RUN: tilec-opt %s --verify-contracts=sm_80 --pass-pipeline='builtin.module(tile.program(tile-convert-operands{target=sm_80}))' | FileCheck %s
// RUN: tilec-opt %s --verify-contracts=gfx942 --pass-pipeline='builtin.module(tile.program(tile-convert-operands{target=gfx942}))' | FileCheck %s --check-prefix=PARTS
// RUN: tilec-opt %s --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-convert-operands{target=sm_90a}))' | FileCheck %s --check-prefix=GROUPS
//
// sm_80 has no instruction for floats of 8 bits: they are copied to f16, in which each of them is exact. A sum of bf16 is
// one of f32, rounded behind the product; what C was is read, as it is not cleared. Warp groups multiply the bytes.

// CHECK-LABEL: tile.kernel "bytes"
// CHECK-DAG:     [[A:%.*]] = tile.alloc "A_converted" : !tile.buffer<[64, 64], f16, shared>
// CHECK-DAG:     [[B:%.*]] = tile.alloc "B_converted" : !tile.buffer<[64, 64], f16, shared>
// CHECK:         tile.gemm [[A]], [[B]], %C
// CHECK-LABEL: tile.kernel "sums"
// CHECK:         [[C:%.*]] = tile.alloc "C_converted" : !tile.buffer<[64, 64], f32, fragment>
// CHECK:           tile.load %C
// CHECK:         tile.gemm %A, %B, [[C]]
// CHECK:           tile.load [[C]]
// CHECK:           tile.store %{{.*}}, %C
//
// Where the whole tiles do not fit beside all else, each part of K is converted and multiplied in turn: the first one
// overwrites C if the product does, an operand that is no shared tile is converted whole. 64 KiB hold neither 64 KiB of
// f16 beside 32 KiB of bytes nor a half of them with what a sum of rows may need.

// PARTS-LABEL: tile.kernel "bytes"
// PARTS:         tile.alloc "A_converted" : !tile.buffer<[64, 64], f16, shared>
// PARTS-COUNT-1: tile.gemm
// PARTS-LABEL: tile.kernel "sums"
// PARTS-LABEL: tile.kernel "halves"
// PARTS-DAG:     [[A:%.*]] = tile.alloc "A_converted" : !tile.buffer<[64, 128], f16, shared>
// PARTS-DAG:     [[B:%.*]] = tile.alloc "B_converted" : !tile.buffer<[64, 128], f16, shared>
// PARTS:         tile.load %A[
// PARTS:         tile.load %B[
// PARTS:         tile.gemm [[A]], [[B]], %C clear(%true) {transpose_a}
// PARTS:         tile.load %A[
// PARTS:         tile.load %B[
// PARTS:         tile.gemm [[A]], [[B]], %C {transpose_a}
// PARTS-NOT:     tile.gemm
// PARTS-LABEL: tile.kernel "beside"
// PARTS-DAG:     tile.alloc "A_converted" : !tile.buffer<[128, 32], f16, shared>
// PARTS-COUNT-4: tile.gemm
// PARTS-LABEL: tile.kernel "held"
// PARTS-DAG:     [[A:%.*]] = tile.alloc "A_converted" : !tile.buffer<[64, 128], f16, shared>
// PARTS-DAG:     [[B:%.*]] = tile.alloc "B_converted" : !tile.buffer<[256, 32], f16, shared>
// PARTS:         tile.load %A[
// PARTS:         [[BOX:%.*]] = tile.subview [[A]]
// PARTS:         tile.load %B[
// PARTS:         tile.gemm [[BOX]], [[B]], %C
// PARTS-NOT:     tile.load %A[
// PARTS-COUNT-3: tile.gemm
// GROUPS-LABEL: tile.kernel "bytes"
// GROUPS:         tile.gemm %A, %B, %C
tile.program @p {
  %c1 = arith.constant 1 : index
  tile.kernel "bytes" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[64, 64], f8E4M3FN, shared>
    %B = tile.alloc "B" : !tile.buffer<[64, 64], f8E4M3FN, shared>
    %C = tile.alloc "C" : !tile.buffer<[64, 64], f32, fragment>
    tile.gemm %A, %B, %C {transpose_b} : !tile.buffer<[64, 64], f8E4M3FN, shared>, !tile.buffer<[64, 64], f8E4M3FN, shared>, !tile.buffer<[64, 64], f32, fragment>
  }
  tile.kernel "sums" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[64, 64], bf16, shared>
    %B = tile.alloc "B" : !tile.buffer<[64, 64], bf16, shared>
    %C = tile.alloc "C" : !tile.buffer<[64, 64], bf16, fragment>
    tile.gemm %A, %B, %C : !tile.buffer<[64, 64], bf16, shared>, !tile.buffer<[64, 64], bf16, shared>, !tile.buffer<[64, 64], bf16, fragment>
  }
  tile.kernel "halves" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %true = arith.constant true
    %A = tile.alloc "A" : !tile.buffer<[128, 128], f8E4M3FN, shared>
    %B = tile.alloc "B" : !tile.buffer<[128, 128], f8E5M2, shared>
    %C = tile.alloc "C" : !tile.buffer<[128, 128], f32, fragment>
    tile.gemm %A, %B, %C clear(%true) {transpose_a} : !tile.buffer<[128, 128], f8E4M3FN, shared>, !tile.buffer<[128, 128], f8E5M2, shared>, !tile.buffer<[128, 128], f32, fragment>
  }
  tile.kernel "beside" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[128, 128], f8E4M3FN, shared>
    %B = tile.alloc "B" : !tile.buffer<[128, 128], f8E4M3FN, shared>
    %C = tile.alloc "C" : !tile.buffer<[128, 128], f32, fragment>
    %R = tile.alloc "R" : !tile.buffer<[128], f32, fragment>
    tile.gemm %A, %B, %C {transpose_b} : !tile.buffer<[128, 128], f8E4M3FN, shared>, !tile.buffer<[128, 128], f8E4M3FN, shared>, !tile.buffer<[128, 128], f32, fragment>
    tile.reduce sum %C to %R dim 1 : !tile.buffer<[128, 128], f32, fragment>, !tile.buffer<[128], f32, fragment>
  }
  tile.kernel "held" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[64, 128], f8E4M3FN, fragment>
    %B = tile.alloc "B" : !tile.buffer<[256, 128], f8E4M3FN, shared>
    %C = tile.alloc "C" : !tile.buffer<[64, 256], f32, fragment>
    tile.gemm %A, %B, %C {transpose_b} : !tile.buffer<[64, 128], f8E4M3FN, fragment>, !tile.buffer<[256, 128], f8E4M3FN, shared>, !tile.buffer<[64, 256], f32, fragment>
  }
}
