// RUN: tilec-opt %s --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-choose-warp-groups{target=sm_90a}))' | FileCheck %s
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-choose-warp-groups{target=sm_90a}))' 2>&1 >/dev/null | FileCheck %s --check-prefix=SAID
// RUN: tilec-opt %s --verify-contracts=sm_80 --pass-pipeline='builtin.module(tile.program(tile-choose-warp-groups{target=sm_80}))' | FileCheck %s --check-prefix=NONE
//
// Warp groups of Hopper multiply a tile of 64 rows, and none of 48, of which a remark says why. A chip without them is not
// asked.

// CHECK:     tile.gemm %A, %B, %C {warp_group}
// CHECK:     tile.gemm %D, %B, %E :
// SAID:      remark: no warp groups multiply here: C has 48 rows, no multiple of 64
// NONE-NOT:  warp_group
tile.program @p {
  %c1 = arith.constant 1 : index
  tile.kernel "k" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[64, 64], f16, shared>
    %D = tile.alloc "D" : !tile.buffer<[48, 64], f16, shared>
    %B = tile.alloc "B" : !tile.buffer<[64, 64], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[64, 64], f32, fragment>
    %E = tile.alloc "E" : !tile.buffer<[48, 64], f32, fragment>
    tile.gemm %A, %B, %C : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
    tile.gemm %D, %B, %E : !tile.buffer<[48, 64], f16, shared>, !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[48, 64], f32, fragment>
  }
}
