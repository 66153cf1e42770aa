// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950},tile-expand-pipelines{target=gfx950},tile-place-shared{target=gfx950}))' | FileCheck %s
//
// What waves tell each other lies behind the buffers. Small reductions after which threads meet have bytes of
// their own; the scan, which has barriers around it, comes last. The kernel says how much that is together.
// SPDX-License-Identifier: Apache-2.0

// CHECK: tile.kernel "sums" {{.*}}shared_bytes = 5632 : i64
// CHECK: tile.alloc "S" {{.*}}shared_place = 0 : i64
// CHECK: tile.reduce sum {{.*}}shared_place = 4096 : i64
// CHECK: tile.reduce max {{.*}}shared_place = 4608 : i64
// CHECK: tile.scan sum {{.*}}shared_place = 5120 : i64
tile.program @sums {
  %n = tile.dim "n"
  %R = tile.tensor "R"[] : !tile.buffer<[1], f32, global>
  %T = tile.tensor "T"[] : !tile.buffer<[1, 1024], f32, global>
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  tile.kernel "sums" grid(%one) threads(128) {
  ^bb0(%bx: index):
    %S = tile.alloc "S" : !tile.buffer<[1, 1024], f32, shared>
    tile.for %i = %zero to %n step %one {
      tile.copy %T to %S : !tile.buffer<[1, 1024], f32, global>, !tile.buffer<[1, 1024], f32, shared>
    }
    %A = tile.alloc "A" : !tile.buffer<[1, 1024], f32, fragment>
    tile.copy %S to %A : !tile.buffer<[1, 1024], f32, shared>, !tile.buffer<[1, 1024], f32, fragment>
    %sum = tile.alloc "sum" : !tile.buffer<[1], f32, fragment>
    tile.reduce sum %A to %sum dim 1 : !tile.buffer<[1, 1024], f32, fragment>, !tile.buffer<[1], f32, fragment>
    %most = tile.alloc "most" : !tile.buffer<[1], f32, fragment>
    tile.reduce max %A to %most dim 1 : !tile.buffer<[1, 1024], f32, fragment>, !tile.buffer<[1], f32, fragment>
    tile.scan sum %A to %A dim 1 : !tile.buffer<[1, 1024], f32, fragment>, !tile.buffer<[1, 1024], f32, fragment>
    tile.copy %A to %T : !tile.buffer<[1, 1024], f32, fragment>, !tile.buffer<[1, 1024], f32, global>
    tile.copy %sum to %R : !tile.buffer<[1], f32, fragment>, !tile.buffer<[1], f32, global>
    tile.copy %most to %R : !tile.buffer<[1], f32, fragment>, !tile.buffer<[1], f32, global>
  }
}
