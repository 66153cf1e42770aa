// RUN: tilec-opt %s | tilec-opt | FileCheck %s
// RUN: tilec-opt %s --mlir-print-op-generic | tilec-opt | FileCheck %s
//
// What threads of a lockstep kernel do with their warp and their block.

tile.program @threads {
  %one = arith.constant 1 : index
  // CHECK: %[[COUNTER:.*]] = tile.workspace "grid_barrier"[] {zeroed} : !tile.buffer<[1], i32, global>
  %counter = tile.workspace "grid_barrier"[] {zeroed} : !tile.buffer<[1], i32, global>
  // CHECK: tile.kernel "k" grid(%{{.*}}) threads(128) attributes {lockstep, warp_lanes = 64 : i64} {
  tile.kernel "k" grid(%one) threads(128) attributes {lockstep, warp_lanes = 64} {
  ^bb0(%bx: index):
    %x = arith.constant 1.0 : f32
    %i = arith.constant 7 : i32
    %yes = arith.constant true
    // CHECK: %[[T:.*]] = tile.thread_id
    %t = tile.thread_id
    // CHECK: tile.shuffle idx %{{.*}}, %[[T]] width(64) : f32
    %a = tile.shuffle idx %x, %t width(64) : f32
    // CHECK: tile.shuffle xor %{{.*}}, %{{.*}} width(16) active(%{{.*}}) : i32
    %b = tile.shuffle xor %i, %one width(16) active(%yes) : i32
    // CHECK: tile.shuffle up %{{.*}}, %{{.*}} width(32) : i32
    %c = tile.shuffle up %i, %one width(32) : i32
    // CHECK: tile.shuffle down %{{.*}}, %{{.*}} width(32) : i32
    %d = tile.shuffle down %i, %one width(32) : i32
    // CHECK: tile.grid_sync %{{.*}}, %[[COUNTER]] : !tile.buffer<[1], i32, global>
    tile.grid_sync %i, %counter : !tile.buffer<[1], i32, global>
    // CHECK: tile.vote any %{{.*}} active(%{{.*}})
    %e = tile.vote any %yes active(%yes)
    // CHECK: tile.vote all %{{.*}}
    %f = tile.vote all %yes
    // CHECK: tile.ballot %{{.*}} : i64
    %g = tile.ballot %yes : i64
    // CHECK: tile.match any %{{.*}} : i32 -> i64
    %h = tile.match any %i : i32 -> i64
    // CHECK: tile.match all %{{.*}} active(%{{.*}}) : f32 -> i64
    %j = tile.match all %x active(%yes) : f32 -> i64
    // CHECK: tile.warp_reduce sum %{{.*}} : f32
    %k = tile.warp_reduce sum %x : f32
    // CHECK: tile.warp_reduce max %{{.*}} active(%{{.*}}) {is_unsigned} : i32
    %l = tile.warp_reduce max %i active(%yes) {is_unsigned} : i32
    // CHECK: tile.block_vote count %{{.*}}
    %m = tile.block_vote count %yes
    // CHECK: tile.dp4a %{{.*}}, %{{.*}}, %{{.*}} {is_unsigned}
    %n = tile.dp4a %i, %i, %i {is_unsigned}
    // CHECK: %[[W:.*]] = tile.on_waves 1 count 1
    %w = tile.on_waves 1 count 1
    // CHECK: scf.if %[[W]] {
    scf.if %w {
      tile.sync_warp
    }
    // CHECK: tile.sync_threads
    tile.sync_threads
    // CHECK: tile.sync_warp
    tile.sync_warp
    // CHECK: tile.sched_barrier 8
    tile.sched_barrier 8
    // CHECK: tile.setprio 2
    tile.setprio 2
  }
}
