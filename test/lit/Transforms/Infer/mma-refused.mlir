// RUN: tilec-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tile.program(tile-infer-layouts{target=gfx942}))'
//
// A product that says how it is multiplied is multiplied so, or refused where the target cannot: by
// the instruction of another chip, of other operands, in another shape or not swapped, by lanes that
// have a better one, by waves that the block does not have.

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

// -----

tile.program @gemm {
  %c1 = arith.constant 1 : index
  tile.kernel "gemm" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[16, 64], f16, shared>
    %B = tile.alloc "B" : !tile.buffer<[16, 64], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[16, 16], f32, fragment>
    // expected-error @+1 {{'tile.gemm' op names the instruction `v_mfma_f32_16x16x16_bf16`, which gfx942 does not have so}}
    tile.gemm %A, %B, %C {mma = #tile.mma<wave "v_mfma_f32_16x16x16_bf16" shape = [16, 16, 16] waves = [1, 1] reps = [1, 1] steps = 4 operands = [shared, shared] swapped>, transpose_b} : !tile.buffer<[16, 64], f16, shared>, !tile.buffer<[16, 64], f16, shared>, !tile.buffer<[16, 16], f32, fragment>
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
    // expected-error @+1 {{'tile.gemm' op names the instruction `v_mfma_f32_16x16x16_f16`, which gfx942 does not have so}}
    tile.gemm %A, %B, %C {mma = #tile.mma<wave "v_mfma_f32_16x16x16_f16" shape = [16, 16, 16] waves = [1, 1] reps = [1, 1] steps = 4 operands = [shared, shared]>, transpose_b} : !tile.buffer<[16, 64], f16, shared>, !tile.buffer<[16, 64], f16, shared>, !tile.buffer<[16, 16], f32, fragment>
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
    // expected-error @+1 {{'tile.gemm' op names the instruction `v_mfma_f32_16x16x16_f16`, which gfx942 does not have so}}
    tile.gemm %A, %B, %C {mma = #tile.mma<wave "v_mfma_f32_16x16x16_f16" shape = [16, 16, 8] waves = [1, 1] reps = [1, 1] steps = 8 operands = [shared, shared] swapped>, transpose_b} : !tile.buffer<[16, 64], f16, shared>, !tile.buffer<[16, 64], f16, shared>, !tile.buffer<[16, 16], f32, fragment>
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
    // expected-error @+1 {{'tile.gemm' op is a product of lanes, which gfx942 does not have so}}
    tile.gemm %A, %B, %C {mma = #tile.mma<lanes shape = [16, 16, 4] waves = [1, 1] reps = [1, 1] steps = 16 operands = [shared, shared] swapped>, transpose_b} : !tile.buffer<[16, 64], f16, shared>, !tile.buffer<[16, 64], f16, shared>, !tile.buffer<[16, 16], f32, fragment>
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
    // expected-error @+1 {{'tile.gemm' op is multiplied by 2 waves, the block has 1}}
    tile.gemm %A, %B, %C {mma = #tile.mma<wave "v_mfma_f32_16x16x16_f16" shape = [16, 16, 16] waves = [1, 1] reps = [1, 1] steps = 4 operands = [shared, shared] copies = 2 swapped>, transpose_b} : !tile.buffer<[16, 64], f16, shared>, !tile.buffer<[16, 64], f16, shared>, !tile.buffer<[16, 16], f32, fragment>
  }
}
