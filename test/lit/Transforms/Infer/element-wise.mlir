// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-isolate-operands{target=gfx950},tile-infer-layouts{target=gfx950},tile-lay-out-shared{target=gfx950}))' | FileCheck %s --check-prefix=AMD
// RUN: tilec-opt %s --verify-contracts=sm_80 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-isolate-operands{target=sm_80},tile-infer-layouts{target=sm_80},tile-lay-out-shared{target=sm_80}))' | FileCheck %s --check-prefix=SM80
//
// No product decides: lanes take 16 bytes of a row side by side, waves take rows; a sum of rows has the
// layout of its source without columns, copies in the lanes that shared a row; a shared tile that
// nobody multiplies is row-major.

// AMD:  "F" layout(#tile.fragment<shape = [32, 64] register = {{\[}}[0, 1], [0, 2], [0, 4]] lane = {{\[}}[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]] reps = {{\[}}[0, 2]] waves = {{\[}}[0, 2]]>)
// AMD:  "r" layout(#tile.fragment<shape = [32] register = [] lane = {{\[}}[0], [0], [0], [1], [2], [4]] reps = {{\[}}[0, 2]] waves = {{\[}}[0, 2]]>)
// AMD:  "S" layout(#tile.shared<shape = [32, 64] pitch = 64 vec = 1 rows_per_phase = 1 phases = 1>)
// SM80: "F" layout(#tile.fragment<shape = [32, 64] register = {{\[}}[0, 1], [0, 2], [0, 4]] lane = {{\[}}[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]] reps = {{\[}}[0, 2]] waves = {{\[}}[0, 4]]>)
// SM80: "r" layout(#tile.fragment<shape = [32] register = [] lane = {{\[}}[0], [0], [0], [1], [2]] reps = {{\[}}[0, 2]] waves = {{\[}}[0, 4]]>)
tile.program @elementwise {
  %A = tile.tensor "A"[] : !tile.buffer<[32, 64], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "elementwise" grid(%one) threads(128) {
  ^bb0(%bx: index):
    %F = tile.alloc "F" : !tile.buffer<[32, 64], f16, fragment>
    %r = tile.alloc "r" : !tile.buffer<[32], f32, fragment>
    %S = tile.alloc "S" : !tile.buffer<[32, 64], f16, shared>
    tile.copy %A to %F : !tile.buffer<[32, 64], f16, global>, !tile.buffer<[32, 64], f16, fragment>
    tile.reduce sum %F to %r dim 1 : !tile.buffer<[32, 64], f16, fragment>, !tile.buffer<[32], f32, fragment>
    tile.copy %F to %S : !tile.buffer<[32, 64], f16, fragment>, !tile.buffer<[32, 64], f16, shared>
  }
}
