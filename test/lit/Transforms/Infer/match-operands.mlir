// RUN: tilec-opt %s --verify-contracts=sm_80 --pass-pipeline='builtin.module(tile.program(tile-isolate-operands{target=sm_80},tile-infer-layouts{target=sm_80},tile-match-operands{target=sm_80}))' | FileCheck %s
//
// P lies as A of the first product, which B of the second does not: that one reads a shared copy, and says so. R lies as
// the sums over the first product's rows: those of the second come to a fragment of their own, which is copied to R.

// CHECK-DAG:   [[P:%.*]] = tile.alloc "P_whole" : !tile.buffer<[32, 32], f16, shared>
// CHECK-DAG:   [[R:%.*]] = tile.alloc "R_whole" layout(#tile.fragment<shape = [32]
// CHECK:       tile.gemm %P, %S, %C {{.*}}operands = [registers, shared]
// CHECK:       tile.move
// CHECK:         tile.load %P
// CHECK:         tile.store %{{.*}}, [[P]]
// CHECK:       tile.gemm %S, [[P]], %D {{.*}}operands = [shared, shared]
// CHECK:       tile.reduce sum %C to %R dim 1
// CHECK:       tile.reduce sum %D to [[R]] dim 0
// CHECK:       tile.move
// CHECK:         tile.load [[R]]
// CHECK:         tile.store %{{.*}}, %R
tile.program @p {
  %c1 = arith.constant 1 : index
  tile.kernel "k" grid(%c1) threads(32) {
  ^bb0(%bx: index):
    %P = tile.alloc "P" : !tile.buffer<[32, 32], f16, fragment>
    %S = tile.alloc "S" : !tile.buffer<[32, 32], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[32, 32], f32, fragment>
    %D = tile.alloc "D" : !tile.buffer<[32, 32], f32, fragment>
    %R = tile.alloc "R" : !tile.buffer<[32], f32, fragment>
    tile.gemm %P, %S, %C : !tile.buffer<[32, 32], f16, fragment>, !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f32, fragment>
    tile.gemm %S, %P, %D : !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f16, fragment>, !tile.buffer<[32, 32], f32, fragment>
    tile.reduce sum %C to %R dim 1 : !tile.buffer<[32, 32], f32, fragment>, !tile.buffer<[32], f32, fragment>
    tile.reduce sum %D to %R dim 0 : !tile.buffer<[32, 32], f32, fragment>, !tile.buffer<[32], f32, fragment>
  }
}

// Products that add to one fragment are shared out alike, as one of them asks: nothing is moved between them.
// CHECK-LABEL: tile.kernel "policies"
// CHECK-NOT:   tile.move
// CHECK:       tile.gemm %A, %B, %C {mma = [[HOW:#tile.mma<[^>]*>]], policy
// CHECK-NOT:   tile.move
// CHECK:       tile.gemm %A, %B, %C {mma = [[HOW]]}
tile.program @policies {
  %c1 = arith.constant 1 : index
  tile.kernel "policies" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[32, 64], f16, shared>
    %B = tile.alloc "B" : !tile.buffer<[64, 128], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[32, 128], f32, fragment>
    tile.gemm %A, %B, %C {policy = #tile<warp_policy full_row>} : !tile.buffer<[32, 64], f16, shared>, !tile.buffer<[64, 128], f16, shared>, !tile.buffer<[32, 128], f32, fragment>
    tile.gemm %A, %B, %C : !tile.buffer<[32, 64], f16, shared>, !tile.buffer<[64, 128], f16, shared>, !tile.buffer<[32, 128], f32, fragment>
  }
}
