// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-choose-threads{target=gfx950}))' 2>&1 | FileCheck %s
//
// More threads where fragments do not fit into a thread's share of the registers, and only there: a
// kernel whose number the script has read keeps it, and one that fits nowhere is the author's.

// CHECK:      remark: threads= is 256 here, not 128: fragments take 514 registers of each of 128 threads, which have 512 on gfx950
// CHECK:      tile.kernel "large" grid(%c1) threads(256)
// CHECK:      tile.kernel "named" grid(%c1) threads(128) attributes {fixed_threads}
// CHECK:      tile.kernel "small" grid(%c1) threads(128)
// CHECK:      tile.kernel "nowhere" grid(%c1) threads(128)
tile.program @kernels {
  %one = arith.constant 1 : index
  tile.kernel "large" grid(%one) threads(128) {
  ^bb0(%bx: index):
    %F = tile.alloc "F" : !tile.buffer<[256, 256], f32, fragment>
    %r = tile.alloc "r" : !tile.buffer<[256], f32, fragment>
    tile.reduce sum %F to %r dim 1 : !tile.buffer<[256, 256], f32, fragment>, !tile.buffer<[256], f32, fragment>
  }
  tile.kernel "named" grid(%one) threads(128) attributes {fixed_threads} {
  ^bb0(%bx: index):
    %F = tile.alloc "F" : !tile.buffer<[256, 256], f32, fragment>
    %r = tile.alloc "r" : !tile.buffer<[256], f32, fragment>
    tile.reduce sum %F to %r dim 1 : !tile.buffer<[256, 256], f32, fragment>, !tile.buffer<[256], f32, fragment>
  }
  tile.kernel "small" grid(%one) threads(128) {
  ^bb0(%bx: index):
    %F = tile.alloc "F" : !tile.buffer<[64, 256], f32, fragment>
    %r = tile.alloc "r" : !tile.buffer<[64], f32, fragment>
    tile.reduce sum %F to %r dim 1 : !tile.buffer<[64, 256], f32, fragment>, !tile.buffer<[64], f32, fragment>
  }
  tile.kernel "nowhere" grid(%one) threads(128) {
  ^bb0(%bx: index):
    %F = tile.alloc "F" : !tile.buffer<[4096, 256], f32, fragment>
    %r = tile.alloc "r" : !tile.buffer<[4096], f32, fragment>
    tile.reduce sum %F to %r dim 1 : !tile.buffer<[4096, 256], f32, fragment>, !tile.buffer<[4096], f32, fragment>
  }
}
