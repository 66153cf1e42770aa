// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950}))' | FileCheck %s --check-prefix=GFX950
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx942}))' | FileCheck %s --check-prefix=GFX942
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_90a}))' | FileCheck %s --check-prefix=SM90
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_80}))' | tilec-opt --pass-pipeline='builtin.module(tile.program(tile-lay-out{target=sm_80}))' | FileCheck %s --check-prefix=SM80
//
// How a product is multiplied is decided once and stands on it: which instructions, how many of which
// waves, where the operands are. gfx942 has no read that transposes, so that it reads rows together;
// f32 without tfloat32 is multiplied by lanes. A second run changes nothing.

// GFX950: tile.gemm %A, %B, %C {mma = #tile.mma<wave "v_mfma_f32_16x16x32_f16" shape = [16, 16, 32] waves = [2, 2] reps = [4, 4] steps = 2 operands = [shared, shared] swapped>}
// GFX942: tile.gemm %A, %B, %C {mma = #tile.mma<wave "v_mfma_f32_16x16x16_f16" shape = [16, 16, 16] waves = [2, 2] reps = [4, 4] steps = 4 operands = [shared, shared] columns_together = 4 swapped>}
// SM90:   tile.gemm %A, %B, %C {mma = #tile.mma<warp_group shape = [64, 128, 16] waves = [8, 1] reps = [1, 1] steps = 4 operands = [shared, shared]>, warp_group}
// SM80:   tile.gemm %A, %B, %C {mma = #tile.mma<wave "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" shape = [16, 8, 16]
// SM80:   tile.gemm {{.*}} {mma = #tile.mma<lanes shape = [16, 32, 4]
tile.program @gemm {
  %c1 = arith.constant 1 : index
  tile.kernel "gemm" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[128, 64], f16, shared>
    %B = tile.alloc "B" : !tile.buffer<[64, 128], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[128, 128], f32, fragment>
    %D = tile.alloc "D" : !tile.buffer<[128, 64], f32, shared>
    %E = tile.alloc "E" : !tile.buffer<[64, 128], f32, shared>
    %F = tile.alloc "F" : !tile.buffer<[128, 128], f32, fragment>
    tile.gemm %A, %B, %C : !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[64, 128], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
    tile.gemm %D, %E, %F : !tile.buffer<[128, 64], f32, shared>, !tile.buffer<[64, 128], f32, shared>, !tile.buffer<[128, 128], f32, fragment>
  }
}
