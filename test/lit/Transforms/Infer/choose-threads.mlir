// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-choose-threads{target=gfx950}))' 2>&1 | FileCheck %s
//
// More threads where fragments do not fit into a thread's share of the registers, and only there: a
// kernel whose number the script has read keeps it, and one that fits nowhere is the author's.

// CHECK:      remark: threads= is 256 here, not 128: fragments take 514 registers of each of 128 threads, which have 512 on gfx950
// CHECK:      remark: threads= is 256 here, not 128: with fewer the machine code spills registers or moves accumulators; `schedule.exact(...)` around a loop keeps the number
// CHECK:      tile.kernel "large" grid(%c1) threads(256)
// CHECK:      tile.kernel "named" grid(%c1) threads(128) attributes {fixed_threads}
// CHECK:      tile.kernel "small" grid(%c1) threads(128)
// CHECK:      tile.kernel "nowhere" grid(%c1) threads(128)
// Idle schedulers are given a wave where shared memory holds one block: two tiles of 64 KB of 160 that are needed at
// once, not such that share their bytes.
// CHECK:      tile.kernel "at_once" grid(%c1) threads(256)
// CHECK:      tile.kernel "in_turn" grid(%c1) threads(128)
// What machine code has said: more threads, where each wave of them has a part of the product.
// CHECK:      tile.kernel "said" grid(%c1) threads(256)
// CHECK:      tile.kernel "too_many" grid(%c1) threads(128)
// CHECK:      tile.kernel "said_of_named" grid(%c1) threads(128)
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
  tile.kernel "at_once" grid(%one) threads(128) {
  ^bb0(%bx: index):
    %S = tile.alloc "S" : !tile.buffer<[16384], f32, shared>
    %U = tile.alloc "U" : !tile.buffer<[16384], f32, shared>
    %F = tile.alloc "F" : !tile.buffer<[128, 256], f32, fragment>
    %r = tile.alloc "r" : !tile.buffer<[128], f32, fragment>
    %zero = arith.constant 0.0 : f32
    %n = arith.constant 16384 : index
    tile.for %k = %one to %n step %one {
      tile.reduce sum %F to %r dim 1 : !tile.buffer<[128, 256], f32, fragment>, !tile.buffer<[128], f32, fragment>
    }
    tile.fill %zero, %S : f32, !tile.buffer<[16384], f32, shared>
    tile.fill %zero, %U : f32, !tile.buffer<[16384], f32, shared>
    tile.parallel (%i) in (%n) {
      %x = tile.load %S[%i] : !tile.buffer<[16384], f32, shared> -> f32
      tile.store %x, %U[%i] : f32, !tile.buffer<[16384], f32, shared>
    }
  }
  tile.kernel "in_turn" grid(%one) threads(128) {
  ^bb0(%bx: index):
    %S = tile.alloc "S" : !tile.buffer<[16384], f32, shared>
    %U = tile.alloc "U" : !tile.buffer<[16384], f32, shared>
    %F = tile.alloc "F" : !tile.buffer<[128, 256], f32, fragment>
    %r = tile.alloc "r" : !tile.buffer<[128], f32, fragment>
    %zero = arith.constant 0.0 : f32
    %n = arith.constant 16384 : index
    tile.for %k = %one to %n step %one {
      tile.reduce sum %F to %r dim 1 : !tile.buffer<[128, 256], f32, fragment>, !tile.buffer<[128], f32, fragment>
    }
    tile.fill %zero, %S : f32, !tile.buffer<[16384], f32, shared>
    tile.parallel (%i) in (%n) {
      %x = tile.load %S[%i] : !tile.buffer<[16384], f32, shared> -> f32
      tile.store %x, %S[%i] : f32, !tile.buffer<[16384], f32, shared>
    }
    tile.fill %zero, %U : f32, !tile.buffer<[16384], f32, shared>
    tile.parallel (%i) in (%n) {
      %x = tile.load %U[%i] : !tile.buffer<[16384], f32, shared> -> f32
      tile.store %x, %U[%i] : f32, !tile.buffer<[16384], f32, shared>
    }
  }
  tile.kernel "said" grid(%one) threads(128) attributes {least_threads = 256 : i64} {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[128, 32], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[128, 128], f32, fragment>
    tile.gemm %A, %A, %C {transpose_b} : !tile.buffer<[128, 32], f16, shared>, !tile.buffer<[128, 32], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
  }
  tile.kernel "too_many" grid(%one) threads(128) attributes {least_threads = 256 : i64} {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[16, 32], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[16, 16], f32, fragment>
    tile.gemm %A, %A, %C {transpose_b} : !tile.buffer<[16, 32], f16, shared>, !tile.buffer<[16, 32], f16, shared>, !tile.buffer<[16, 16], f32, fragment>
  }
  tile.kernel "said_of_named" grid(%one) threads(128) attributes {fixed_threads, least_threads = 256 : i64} {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[128, 32], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[128, 128], f32, fragment>
    tile.gemm %A, %A, %C {transpose_b} : !tile.buffer<[128, 32], f16, shared>, !tile.buffer<[128, 32], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
  }
}
