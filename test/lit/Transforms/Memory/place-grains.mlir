// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-place-shared{target=sm_90a}))' | FileCheck %s --check-prefixes=CHECK,NV
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-place-shared{target=gfx950}))' | FileCheck %s --check-prefixes=CHECK,AMD
//
// Buffers are as long as what asynchronous copies may write of them: multiples of 128 bytes of a tensor copy, of 1 KB
// of 64 lanes'. What is swizzled begins where its swizzle does.

// CHECK-LABEL: tile.program @three
// NV:          tile.alloc "half" {{.*}} {shared_place = 1536 : i64}
// NV:          tile.alloc "swizzled" {{.*}} {shared_place = 0 : i64}
// NV:          tile.alloc "vector" {{.*}} {shared_place = 1024 : i64}
// NV:          tile.alloc "other" {{.*}} {shared_place = 1280 : i64}
// AMD:         tile.alloc "half" {{.*}} {shared_place = 0 : i64}
// AMD:         tile.alloc "swizzled" {{.*}} {shared_place = 1024 : i64}
// AMD:         tile.alloc "vector" {{.*}} {shared_place = 2048 : i64}
// AMD:         tile.alloc "other" {{.*}} {shared_place = 3072 : i64}
#half = #tile.shared<shape = [16] pitch = 16 vec = 1 rows_per_phase = 1 phases = 1>
#vector = #tile.shared<shape = [40] pitch = 40 vec = 1 rows_per_phase = 1 phases = 1>
#swizzled = #tile.shared<shape = [8, 32] pitch = 32 vec = 4 rows_per_phase = 1 phases = 8>
tile.program @three {
  %B = tile.tensor "B"[] : !tile.buffer<[16], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "three" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %H = tile.alloc "half" layout(#half) : !tile.buffer<[16], f32, shared>
    %S = tile.alloc "swizzled" layout(#swizzled) : !tile.buffer<[8, 32], f32, shared>
    %V = tile.alloc "vector" layout(#vector) : !tile.buffer<[40], f32, shared>
    %W = tile.alloc "other" layout(#vector) : !tile.buffer<[40], f32, shared>
    %n = arith.constant 16 : index
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    tile.fill %zero, %H : f32, !tile.buffer<[16], f32, shared>
    tile.fill %zero, %S : f32, !tile.buffer<[8, 32], f32, shared>
    tile.fill %zero, %V : f32, !tile.buffer<[40], f32, shared>
    tile.fill %zero, %W : f32, !tile.buffer<[40], f32, shared>
    tile.parallel (%i) in (%n) {
      %h = tile.load %H[%i] : !tile.buffer<[16], f32, shared> -> f32
      %s = tile.load %S[%c0, %i] : !tile.buffer<[8, 32], f32, shared> -> f32
      %v = tile.load %V[%i] : !tile.buffer<[40], f32, shared> -> f32
      %w = tile.load %W[%i] : !tile.buffer<[40], f32, shared> -> f32
      %a = arith.addf %h, %s : f32
      %b = arith.addf %v, %w : f32
      %c = arith.addf %a, %b : f32
      tile.store %c, %B[%i] : f32, !tile.buffer<[16], f32, global>
    }
  }
}
