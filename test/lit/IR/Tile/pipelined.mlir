// RUN: tilec-opt %s | tilec-opt | FileCheck %s
// RUN: tilec-opt %s --mlir-print-op-generic | tilec-opt | FileCheck %s
//
// What the pipeliner makes.

tile.program @pipelined {
  %A = tile.tensor "A"[] : !tile.buffer<[64, 32], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[64, 32], f16, shared>
    // CHECK: tile.async_copy %{{.*}} to %s : !tile.buffer<[64, 32], f16, global>, !tile.buffer<[64, 32], f16, shared>
    tile.async_copy %A to %s : !tile.buffer<[64, 32], f16, global>, !tile.buffer<[64, 32], f16, shared>
    // CHECK-NEXT: tile.async_commit
    tile.async_commit
    // CHECK-NEXT: tile.async_wait 1
    tile.async_wait 1
    // CHECK-NEXT: tile.barrier
    tile.barrier
    // A copy that a producer will bring says how.
    // CHECK: tile.copy %{{.*}} to %s {transfers = #tile.transfers<[32, 32] swizzle = 64 panels = 1 chunks = 2 row_dim = 0 col_dim = 1>} :
    tile.copy %A to %s {transfers = #tile.transfers<[32, 32] swizzle = 64 panels = 1 chunks = 2 row_dim = 0 col_dim = 1>} : !tile.buffer<[64, 32], f16, global>, !tile.buffer<[64, 32], f16, shared>
    // A producer warp fills slots, the others consume them.
    %c = tile.alloc "c" : !tile.buffer<[64, 64], f32, fragment>
    // CHECK: %[[P:.*]] = tile.pipe stages(3) bytes(4096) {every_thread}
    %p = tile.pipe stages(3) bytes(4096) {every_thread}
    // CHECK: tile.producer {
    tile.producer {
      // CHECK-NEXT: %[[Q:.*]] = tile.pipe_acquire %[[P]]
      %q = tile.pipe_acquire %p
      // CHECK-NEXT: tile.tma_copy %{{.*}} to %s pipe(%[[P]], %[[Q]]) {transfers = #tile.transfers<[64, 32] swizzle = 0 panels = 1 chunks = 1 row_dim = 0 col_dim = 1>} : !tile.buffer<[64, 32], f16, global>, !tile.buffer<[64, 32], f16, shared>
      tile.tma_copy %A to %s pipe(%p, %q) {transfers = #tile.transfers<[64, 32] swizzle = 0 panels = 1 chunks = 1 row_dim = 0 col_dim = 1>} : !tile.buffer<[64, 32], f16, global>, !tile.buffer<[64, 32], f16, shared>
    }
    // CHECK: %[[W:.*]] = tile.pipe_wait %[[P]]
    %w = tile.pipe_wait %p
    // CHECK-NEXT: tile.gemm %s, %s, %c {in_flight, transpose_b, warp_group}
    tile.gemm %s, %s, %c {transpose_b, warp_group, in_flight} : !tile.buffer<[64, 32], f16, shared>, !tile.buffer<[64, 32], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
    // CHECK-NEXT: tile.gemm_wait %c pending 0 : !tile.buffer<[64, 64], f32, fragment>
    tile.gemm_wait %c pending 0 : !tile.buffer<[64, 64], f32, fragment>
    // CHECK-NEXT: tile.pipe_release %[[P]], %[[W]] {previous}
    tile.pipe_release %p, %w {previous}
    // CHECK-NEXT: tile.pipe_drain %[[P]]
    tile.pipe_drain %p
  }

  // Two blocks bring a half each; two teams take tiles in turn.
  // CHECK: tile.kernel "shared" grid(%{{.*}}) threads(128) attributes {cluster = 2 : i64, teams = 2 : i64}
  tile.kernel "shared" grid(%one) threads(128) attributes {cluster = 2, teams = 2} {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[64, 32], f16, shared>
    // CHECK: %[[P:.*]] = tile.pipe stages(3) bytes(4096) {shared}
    %p = tile.pipe stages(3) bytes(4096) {shared}
    tile.producer {
      %q = tile.pipe_acquire %p
      // CHECK: tile.tma_copy %{{.*}} to %s pipe(%[[P]], %{{.*}}) {parts = 2 : i64, transfers = #tile.transfers<[64, 32] swizzle = 0 panels = 1 chunks = 1 row_dim = 0 col_dim = 1>}
      tile.tma_copy %A to %s pipe(%p, %q) {parts = 2, transfers = #tile.transfers<[64, 32] swizzle = 0 panels = 1 chunks = 1 row_dim = 0 col_dim = 1>} : !tile.buffer<[64, 32], f16, global>, !tile.buffer<[64, 32], f16, shared>
    }
    // CHECK: %[[T:.*]] = tile.team
    %t = tile.team
    // CHECK-NEXT: tile.pipe_skip %[[P]] by %[[T]]
    tile.pipe_skip %p by %t
    // CHECK-NEXT: tile.turn_wait
    tile.turn_wait
    // CHECK-NEXT: tile.turn_pass
    tile.turn_pass
  }
}
