// RUN: tilec-opt %s --verify-contracts=sm_80 --pass-pipeline='builtin.module(tile.program(tile-expand-products{target=sm_80}))' | FileCheck %s
//
// No instruction of sm_80 multiplies f32 with all of its bits: a C of 8 x 8 is no whole number of elements a lane, and
// becomes a loop with a sum along K in each of its rounds. Lanes share out a C of 32 x 64, and an instruction multiplies f16.

// CHECK-LABEL: tile.kernel "small"
// CHECK:         tile.parallel ([[M:%.*]], [[N:%.*]]) in
// CHECK:           [[SUM:%.*]] = tile.alloc "sum" : !tile.buffer<[], f32, local>
// CHECK:           tile.for [[K:%[a-z0-9_]+]] = %{{.*}} to %{{.*}} step
// CHECK:             [[A:%.*]] = tile.load %A{{\[}}[[M]], [[K]]]
// CHECK:             [[B:%.*]] = tile.load %B{{\[}}[[K]], [[N]]]
// CHECK:             [[C:%.*]] = tile.load [[SUM]][]
// CHECK:             math.fma [[A]], [[B]], [[C]]
// CHECK-NOT:     tile.gemm
// CHECK-LABEL: tile.kernel "lanes"
// CHECK:         tile.gemm %A, %B, %C
// CHECK-LABEL: tile.kernel "halves"
// CHECK:         tile.gemm %A, %B, %C
tile.program @p {
  %c1 = arith.constant 1 : index
  tile.kernel "small" grid(%c1) threads(32) {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[8, 16], f32, shared>
    %B = tile.alloc "B" : !tile.buffer<[16, 8], f32, shared>
    %C = tile.alloc "C" : !tile.buffer<[8, 8], f32, fragment>
    tile.gemm %A, %B, %C : !tile.buffer<[8, 16], f32, shared>, !tile.buffer<[16, 8], f32, shared>, !tile.buffer<[8, 8], f32, fragment>
  }
  tile.kernel "lanes" grid(%c1) threads(32) {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[32, 16], f32, shared>
    %B = tile.alloc "B" : !tile.buffer<[16, 64], f32, shared>
    %C = tile.alloc "C" : !tile.buffer<[32, 64], f32, fragment>
    tile.gemm %A, %B, %C : !tile.buffer<[32, 16], f32, shared>, !tile.buffer<[16, 64], f32, shared>, !tile.buffer<[32, 64], f32, fragment>
  }
  tile.kernel "halves" grid(%c1) threads(32) {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[32, 16], f16, shared>
    %B = tile.alloc "B" : !tile.buffer<[16, 64], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[32, 64], f32, fragment>
    tile.gemm %A, %B, %C : !tile.buffer<[32, 16], f16, shared>, !tile.buffer<[16, 64], f16, shared>, !tile.buffer<[32, 64], f32, fragment>
  }
}
