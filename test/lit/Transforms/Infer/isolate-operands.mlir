// RUN: tilec-opt %s --verify-contracts=sm_80 --pass-pipeline='builtin.module(tile.program(tile-isolate-operands{target=sm_80}))' | FileCheck %s
//
// C in memory is copied to a fragment and back, and not read where the product overwrites it; a box of a fragment is
// copied to shared memory, a box of a shared tile read in place. A reduction takes fragments from memory and gives them
// back. Lanes that multiply read shared memory only.

// CHECK-LABEL: tile.kernel "product"
// CHECK-DAG:     [[C:%.*]] = tile.alloc "C_whole" : !tile.buffer<[64, 64], f32, fragment>
// CHECK-DAG:     [[F:%.*]] = tile.alloc "F_whole" : !tile.buffer<[64, 64], f16, shared>
// CHECK:         [[BOX:%.*]] = tile.subview %B
// CHECK-NOT:     tile.load %C
// CHECK:         tile.gemm [[F]], [[BOX]], [[C]]
// CHECK:         tile.move
// CHECK:           tile.load [[C]]
// CHECK:           tile.store %{{.*}}, %C
// CHECK-LABEL: tile.kernel "sums"
// CHECK:         tile.reduce sum [[SRC:%.*]] to [[DST:%.*]] dim 1
// CHECK:         tile.move
// CHECK:           tile.load [[DST]]
// CHECK:           tile.store %{{.*}}, %R
// CHECK-LABEL: tile.kernel "lanes"
// CHECK:         [[L:%.*]] = tile.alloc "A_whole" : !tile.buffer<[32, 16], f32, shared>
// CHECK:         tile.gemm [[L]], %B, %C
tile.program @p {
  %c1 = arith.constant 1 : index
  tile.kernel "product" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %yes = arith.constant true
    %F = tile.alloc "F" : !tile.buffer<[128, 64], f16, fragment>
    %B = tile.alloc "B" : !tile.buffer<[128, 64], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[64, 64], f32, shared>
    %f = tile.subview %F[%c0, %c0] : !tile.buffer<[128, 64], f16, fragment> to !tile.buffer<[64, 64], f16, fragment>
    %b = tile.subview %B[%c0, %c0] : !tile.buffer<[128, 64], f16, shared> to !tile.buffer<[64, 64], f16, shared>
    tile.gemm %f, %b, %C clear(%yes) : !tile.buffer<[64, 64], f16, fragment>, !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f32, shared>
  }
  tile.kernel "sums" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %S = tile.alloc "S" : !tile.buffer<[64, 64], f32, shared>
    %R = tile.alloc "R" : !tile.buffer<[64], f32, shared>
    tile.reduce sum %S to %R dim 1 : !tile.buffer<[64, 64], f32, shared>, !tile.buffer<[64], f32, shared>
  }
  tile.kernel "lanes" grid(%c1) threads(32) {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[32, 16], f32, fragment>
    %B = tile.alloc "B" : !tile.buffer<[16, 64], f32, shared>
    %C = tile.alloc "C" : !tile.buffer<[32, 64], f32, fragment>
    tile.gemm %A, %B, %C : !tile.buffer<[32, 16], f32, fragment>, !tile.buffer<[16, 64], f32, shared>, !tile.buffer<[32, 64], f32, fragment>
  }
}
