// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950}))' | FileCheck %s --check-prefix=GFX950
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx942}))' | FileCheck %s --check-prefix=GFX942
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_80}))' | FileCheck %s --check-prefix=SM80
//
// The accumulator has the layout of the matrix instruction's result, repeated over registers and
// waves; operand tiles are swizzled over 128 bytes; the row maximum follows its fragment.

// GFX950: "A" layout(#tile.shared<shape = [64, 64] pitch = 64 vec = 8 rows_per_phase = 1 phases = 8>)
// GFX942: "A" layout(#tile.shared<shape = [64, 64] pitch = 64 vec = 4 rows_per_phase = 1 phases = 16>)
// GFX950: "C" layout(#tile.fragment<shape = [64, 96] register = {{\[}}[0, 1], [0, 2]] lane = {{\[}}[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]] reps = {{\[}}[1, 3], [0, 2]] waves = {{\[}}[1, 2], [0, 2]]>)
// GFX950: "m" layout(#tile.fragment<shape = [64] register = [] lane = {{\[}}[1], [2], [4], [8], [0], [0]] reps = {{\[}}[0, 2]] waves = {{\[}}[-1, 2], [0, 2]]>)
// SM80: "C" layout(#tile.fragment<shape = [64, 96] register = {{\[}}[0, 1], [8, 0]] lane = {{\[}}[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]
tile.program @gemm {
  %c1 = arith.constant 1 : index
  tile.kernel "gemm" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[64, 64], f16, shared>
    %B = tile.alloc "B" : !tile.buffer<[96, 64], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[64, 96], f32, fragment>
    %m = tile.alloc "m" : !tile.buffer<[64], f32, fragment>
    tile.gemm %A, %B, %C {transpose_b} : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[96, 64], f16, shared>, !tile.buffer<[64, 96], f32, fragment>
    tile.reduce max %C to %m dim 1 : !tile.buffer<[64, 96], f32, fragment>, !tile.buffer<[64], f32, fragment>
  }
}
