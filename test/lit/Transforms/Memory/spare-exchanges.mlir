// RUN: tilec-opt %s --verify-contracts=gfx942 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx942},tile-expand-pipelines{target=gfx942},tile-place-shared{target=gfx942}))' | FileCheck %s
//
// Where small reductions would not all fit with bytes of their own (64 KB, of which the buffer takes 63), they
// tell each other in one place in turn.
// SPDX-License-Identifier: Apache-2.0

// CHECK: tile.kernel "sums" {{.*}}shared_bytes = 65024 : i64
// CHECK: tile.reduce sum {{.*}}shared_place = 64512 : i64
// CHECK: tile.reduce max {{.*}}shared_place = 64512 : i64
// CHECK: tile.reduce min {{.*}}shared_place = 64512 : i64
tile.program @sums {
  %R = tile.tensor "R"[] : !tile.buffer<[1], f32, global>
  %T = tile.tensor "T"[] : !tile.buffer<[1, 16128], f32, global>
  %U = tile.tensor "U"[] : !tile.buffer<[1, 1024], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "sums" grid(%one) threads(128) {
  ^bb0(%bx: index):
    %S = tile.alloc "S" : !tile.buffer<[1, 16128], f32, shared>
    tile.copy %T to %S : !tile.buffer<[1, 16128], f32, global>, !tile.buffer<[1, 16128], f32, shared>
    %A = tile.alloc "A" : !tile.buffer<[1, 1024], f32, fragment>
    tile.copy %U to %A : !tile.buffer<[1, 1024], f32, global>, !tile.buffer<[1, 1024], f32, fragment>
    %sum = tile.alloc "sum" : !tile.buffer<[1], f32, fragment>
    tile.reduce sum %A to %sum dim 1 : !tile.buffer<[1, 1024], f32, fragment>, !tile.buffer<[1], f32, fragment>
    %most = tile.alloc "most" : !tile.buffer<[1], f32, fragment>
    tile.reduce max %A to %most dim 1 : !tile.buffer<[1, 1024], f32, fragment>, !tile.buffer<[1], f32, fragment>
    %least = tile.alloc "least" : !tile.buffer<[1], f32, fragment>
    tile.reduce min %A to %least dim 1 : !tile.buffer<[1, 1024], f32, fragment>, !tile.buffer<[1], f32, fragment>
    tile.copy %S to %T : !tile.buffer<[1, 16128], f32, shared>, !tile.buffer<[1, 16128], f32, global>
    tile.copy %sum to %R : !tile.buffer<[1], f32, fragment>, !tile.buffer<[1], f32, global>
    tile.copy %most to %R : !tile.buffer<[1], f32, fragment>, !tile.buffer<[1], f32, global>
    tile.copy %least to %R : !tile.buffer<[1], f32, fragment>, !tile.buffer<[1], f32, global>
  }
}
