// RUN: tilec-opt %s --verify-contracts=sm_80 --pass-pipeline='builtin.module(tile.program(tile-convert-operands{target=sm_80}))' | FileCheck %s
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
}
