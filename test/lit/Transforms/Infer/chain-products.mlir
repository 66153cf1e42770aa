// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-chain-products{target=gfx950}))' | FileCheck %s
// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-chain-products{target=gfx950 atoms=large}))' | FileCheck %s --check-prefix=LARGE
// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-chain-products{target=gfx950 atoms=small}))' | FileCheck %s --check-prefix=SMALL
//
// The second product takes what a loop makes of the first one's result: both are chained. Of "apart" none takes another's,
// so that its products use large atoms only where these are asked for.

// CHECK-LABEL: tile.kernel "chain"
// CHECK-COUNT-2: tile.gemm {{.*}} {chained}
// CHECK-LABEL: tile.kernel "apart"
// CHECK-NOT:     chained
// LARGE-COUNT-4: tile.gemm {{.*}} {chained}
// SMALL-NOT:     chained
tile.program @p {
  %c1 = arith.constant 1 : index
  tile.kernel "chain" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %n = arith.constant 128 : index
    %A = tile.alloc "A" : !tile.buffer<[128, 128], f16, shared>
    %S = tile.alloc "S" : !tile.buffer<[128, 128], f32, fragment>
    %P = tile.alloc "P" : !tile.buffer<[128, 128], f16, fragment>
    %C = tile.alloc "C" : !tile.buffer<[128, 128], f32, fragment>
    tile.gemm %A, %A, %S : !tile.buffer<[128, 128], f16, shared>, !tile.buffer<[128, 128], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
    tile.parallel (%i, %j) in (%n, %n) {
      %s = tile.load %S[%i, %j] : !tile.buffer<[128, 128], f32, fragment> -> f32
      %p = arith.addf %s, %s : f32
      tile.store %p, %P[%i, %j] : f32, !tile.buffer<[128, 128], f16, fragment>
    }
    tile.gemm %P, %A, %C : !tile.buffer<[128, 128], f16, fragment>, !tile.buffer<[128, 128], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
  }
  tile.kernel "apart" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[128, 128], f16, shared>
    %S = tile.alloc "S" : !tile.buffer<[128, 128], f32, fragment>
    %P = tile.alloc "P" : !tile.buffer<[128, 128], f16, fragment>
    %C = tile.alloc "C" : !tile.buffer<[128, 128], f32, fragment>
    tile.gemm %A, %A, %S : !tile.buffer<[128, 128], f16, shared>, !tile.buffer<[128, 128], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
    tile.gemm %P, %A, %C : !tile.buffer<[128, 128], f16, fragment>, !tile.buffer<[128, 128], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
  }
}
