// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950},tile-expand-pipelines{target=gfx950},tile-place-shared{target=gfx950},tile-place-barriers),tile-to-wave{target=gfx950},canonicalize{region-simplify=disabled},cse)' | FileCheck %s
//
// The sums of columns. A lane has eight in a row, so that two of them are a pair in the register file and no term is moved.
// Four lanes of a wave have terms of the same eight sums: each combines four with one of them, then two with another one,
// and writes these two. All lanes read all eight, of four waves, two to an addition.

// CHECK-LABEL: wave.kernel @columns(
// CHECK-COUNT-28: arith.addf {{.*}} : vector<2xf32>
// CHECK-COUNT-4: wave.shuffle_xor {{%[0-9]+}}, 16 : f32
// CHECK-COUNT-2: wave.shuffle_xor {{%[0-9]+}}, 32 : f32
// CHECK-NOT: wave.shuffle_xor
// CHECK:     wave.shared_write {{%[0-9]+}}, {{%[0-9]+}} : vector<2xf32>
// CHECK-NOT: wave.shared_write
// CHECK:     wave.barrier
// CHECK-COUNT-8: wave.shared_read {{.*}} : vector<4xf32>
tile.program @columns {
  %X = tile.tensor "X"[] : !tile.buffer<[128, 128], f16, global>
  %Y = tile.tensor "Y"[] : !tile.buffer<[128], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "columns" grid(%one) threads(256) {
  ^bb0(%bx: index):
    %x = tile.alloc "x" : !tile.buffer<[128, 128], f32, fragment>
    %y = tile.alloc "y" : !tile.buffer<[128], f32, fragment>
    tile.copy %X to %x : !tile.buffer<[128, 128], f16, global>, !tile.buffer<[128, 128], f32, fragment>
    tile.reduce sum %x to %y dim 0 : !tile.buffer<[128, 128], f32, fragment>, !tile.buffer<[128], f32, fragment>
    tile.copy %y to %Y : !tile.buffer<[128], f32, fragment>, !tile.buffer<[128], f32, global>
  }
}
