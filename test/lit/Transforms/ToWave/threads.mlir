// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-check,tile-expand-threads,tile-separate-threads,tile-normalize,tile-lay-out{target=gfx950},tile-expand-pipelines{target=gfx950},tile-place-shared{target=gfx950},tile-place-barriers),tile-to-wave{target=gfx950},canonicalize{region-simplify=disabled},cse)' | FileCheck %s
//
// A lockstep kernel: values of threads are values of lanes, what they find out together is one op,
// and the author's barrier orders all memory.

// CHECK-LABEL: wave.kernel @threads(
// CHECK:       [[T:%[0-9]+]] = wave.thread_id
// CHECK:       [[V:%[0-9]+]] = arith.index_cast [[T]]
// CHECK-NEXT:  [[OTHER:%[0-9]+]] = wave.shuffle_xor [[V]], 1 : i32
// CHECK:       wave.vote
// CHECK:       wave.shared_write [[OTHER]]
// CHECK-NEXT:  wave.barrier global
// CHECK:       wave.shared_read
// CHECK-NOT:   wave.barrier
// CHECK:       wave.global_write {{.*}} align 4 : i32
tile.program @threads {
  %R = tile.tensor "R"[] : !tile.buffer<[128], i32, global>
  %one = arith.constant 1 : index
  tile.kernel "threads" grid(%one) threads(128) attributes {lockstep, warp_lanes = 64} {
  ^bb0(%bx: index):
    %last = arith.constant 127 : index
    %t = tile.thread_id
    %m = arith.subi %last, %t : index
    %s = tile.alloc "s" : !tile.buffer<[128], i32, shared>
    %v = arith.index_cast %t : index to i32
    %o = tile.shuffle xor %v, %one width(64) : i32
    %any = arith.cmpi eq, %o, %v : i32
    %b = tile.vote any %any
    tile.store %o, %s[%t] : i32, !tile.buffer<[128], i32, shared>
    tile.sync_threads
    %x = tile.load %s[%m] : !tile.buffer<[128], i32, shared> -> i32
    %w = arith.extui %b : i1 to i32
    %sum = arith.addi %x, %w : i32
    tile.store %sum, %R[%t] : i32, !tile.buffer<[128], i32, global>
  }
}
