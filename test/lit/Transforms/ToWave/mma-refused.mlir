// RUN: tilec-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile-to-wave{target=gfx942})'
//
// What multiplies is decided by layout inference; behind it nothing is planned again.

tile.program @gemm {
  %c1 = arith.constant 1 : index
  tile.kernel "gemm" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[16, 64], f16, shared>
    %B = tile.alloc "B" : !tile.buffer<[16, 64], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[16, 16], f32, fragment>
    // expected-error @+1 {{'tile.gemm' op has no `mma`: run tile-infer-layouts first}}
    tile.gemm %A, %B, %C {transpose_b} : !tile.buffer<[16, 64], f16, shared>, !tile.buffer<[16, 64], f16, shared>, !tile.buffer<[16, 16], f32, fragment>
  }
}

// -----

tile.program @gemm {
  %c1 = arith.constant 1 : index
  tile.kernel "gemm" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[16, 64], f16, shared>
    %B = tile.alloc "B" : !tile.buffer<[16, 64], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[16, 16], f32, fragment>
    // expected-error @+1 {{'tile.gemm' op names the instruction `v_mfma_f32_16x16x32_f16`, which gfx942 does not have so}}
    tile.gemm %A, %B, %C {mma = #tile.mma<wave "v_mfma_f32_16x16x32_f16" shape = [16, 16, 32] waves = [1, 1] reps = [1, 1] steps = 2 operands = [shared, shared] swapped>, transpose_b} : !tile.buffer<[16, 64], f16, shared>, !tile.buffer<[16, 64], f16, shared>, !tile.buffer<[16, 16], f32, fragment>
  }
}
