// RUN: tilec-opt %s --verify-contracts=sm_80 --pass-pipeline='builtin.module(tile.program(tile-isolate-operands{target=sm_80},tile-infer-layouts{target=sm_80},tile-lay-out-shared{target=sm_80}))' | FileCheck %s
// RUN: tilec-opt %s --verify-contracts=gfx942 --pass-pipeline='builtin.module(tile.program(tile-isolate-operands{target=gfx942},tile-infer-layouts{target=gfx942},tile-lay-out-shared{target=gfx942}))' | FileCheck %s --check-prefix=AMD
// RUN: tilec-opt %s --verify-contracts=gfx942 --pass-pipeline='builtin.module(tile.program(tile-isolate-operands{target=gfx942},tile-infer-layouts{target=gfx942},tile-lay-out-shared{target=gfx942 swizzle=1}))' | FileCheck %s --check-prefix=OTHER
// RUN: tilec-opt %s --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-isolate-operands{target=sm_90a},tile-choose-warp-groups{target=sm_90a},tile-infer-layouts{target=sm_90a},tile-lay-out-shared{target=sm_90a}))' | FileCheck %s --check-prefix=PANELS
//
// Operands of a product are swizzled so that lanes read all banks at a time: chunks of 16 bytes over 8 rows for matrix
// reads, of 8 bytes over 32 rows for gfx942, whose lanes read as much; `swizzle` passes that one over. Warp groups read
// panels of 128 bytes. What only a copy fills is plain.

// CHECK:      tile.alloc "A" layout(#tile.shared<shape = [64, 128] pitch = 128 vec = 8 rows_per_phase = 1 phases = 8>)
// CHECK:      tile.alloc "D" layout(#tile.shared<shape = [64, 128] pitch = 128 vec = 1 rows_per_phase = 1 phases = 1>)
// AMD-COUNT-2: layout(#tile.shared<shape = [64, 128] pitch = 128 vec = 4 rows_per_phase = 1 phases = 32>)
// AMD:        tile.alloc "D" layout(#tile.shared<shape = [64, 128] pitch = 128 vec = 1 rows_per_phase = 1 phases = 1>)
// OTHER-COUNT-2: layout(#tile.shared<shape = [64, 128] pitch = 128 vec = 4 rows_per_phase = 1 phases = 32 gray>)
// PANELS-COUNT-2: layout(#tile.shared<shape = [64, 128] pitch = 64 vec = 8 rows_per_phase = 1 phases = 8 panel = 64>)
// PANELS:     tile.alloc "D" layout(#tile.shared<shape = [64, 128] pitch = 128 vec = 1 rows_per_phase = 1 phases = 1>)
tile.program @p {
  %T = tile.tensor "T"[] : !tile.buffer<[64, 128], f16, global>
  %c1 = arith.constant 1 : index
  tile.kernel "k" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[64, 128], f16, shared>
    %B = tile.alloc "B" : !tile.buffer<[64, 128], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[64, 64], f32, fragment>
    %D = tile.alloc "D" : !tile.buffer<[64, 128], f16, shared>
    tile.gemm %A, %B, %C {transpose_b} : !tile.buffer<[64, 128], f16, shared>, !tile.buffer<[64, 128], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
    tile.copy %T to %D : !tile.buffer<[64, 128], f16, global>, !tile.buffer<[64, 128], f16, shared>
  }
}
