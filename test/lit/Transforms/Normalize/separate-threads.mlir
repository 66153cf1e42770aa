// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-separate-threads))' | FileCheck %s
//
// Threads that touch one element of a shared buffer are kept apart: by a barrier of the block where
// they are of different waves, by one of the wave where they are not; by none where each has
// elements of its own, and where the author has placed one.

// Written by some, updated by all, read by all: two barriers, outside of the branch. Atomic updates
// need none between each other.
// CHECK-LABEL: tile.kernel "update"
tile.program @update {
  %R = tile.tensor "R"[] : !tile.buffer<[32], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "update" grid(%one) threads(256) attributes {lockstep, warp_lanes = 64} {
  ^bb0(%bx: index):
    %c32 = arith.constant 32 : index
    %f = arith.constant 1.0 : f32
    %t = tile.thread_id
    %n = arith.remui %t, %c32 : index
    %s = tile.alloc "s" : !tile.buffer<[32], f32, shared>
    %c = arith.cmpi ult, %t, %c32 : index
    // CHECK: scf.if
    // CHECK-NOT: tile.sync_
    // CHECK: }
    scf.if %c {
      tile.store %f, %s[%t] : f32, !tile.buffer<[32], f32, shared>
    }
    // CHECK-NEXT: tile.sync_threads
    // CHECK-NEXT: tile.atomic
    // CHECK-NEXT: tile.atomic
    // CHECK-NEXT: tile.sync_threads
    // CHECK-NEXT: tile.load
    // CHECK-NOT: tile.sync_
    %o = tile.atomic add %f, %s[%n] : f32, !tile.buffer<[32], f32, shared> -> f32
    %p = tile.atomic add %f, %s[%one] : f32, !tile.buffer<[32], f32, shared> -> f32
    %x = tile.load %s[%n] : !tile.buffer<[32], f32, shared> -> f32
    tile.store %x, %R[%n] : f32, !tile.buffer<[32], f32, global>
  }
}

// All threads write the same values and read them: one barrier between, one around the loop. What
// each thread has of its own, and equal rounds of the inner loops, ask for none.
// CHECK-LABEL: tile.kernel "rounds"
tile.program @rounds {
  %A = tile.tensor "A"[] : !tile.buffer<[64], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "rounds" grid(%one) threads(128) attributes {lockstep, warp_lanes = 32} {
  ^bb0(%bx: index):
    %zero = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %t = tile.thread_id
    %s = tile.alloc "s" : !tile.buffer<[64], f32, shared>
    %own = tile.alloc "own" : !tile.buffer<[128, 64], f32, shared>
    // CHECK: tile.for
    tile.for %k = %zero to %c4 step %one {
      // CHECK-NEXT: tile.sync_threads
      // CHECK-NEXT: tile.for
      // CHECK-NOT: tile.sync_
      tile.for %j = %zero to %c64 step %one {
        %x = tile.load %A[%j] : !tile.buffer<[64], f32, global> -> f32
        tile.store %x, %s[%j] : f32, !tile.buffer<[64], f32, shared>
        tile.store %x, %own[%t, %j] : f32, !tile.buffer<[128, 64], f32, shared>
      }
      // CHECK: }
      // CHECK-NEXT: tile.sync_threads
      // CHECK-NEXT: tile.for
      tile.for %j = %zero to %c64 step %one {
        %x = tile.load %s[%j] : !tile.buffer<[64], f32, shared> -> f32
        // CHECK-NOT: tile.sync_
        %y = tile.load %own[%t, %j] : !tile.buffer<[128, 64], f32, shared> -> f32
        %z = arith.addf %x, %y : f32
        tile.store %z, %own[%t, %j] : f32, !tile.buffer<[128, 64], f32, shared>
      }
    }
  }
}

// Neighbours: in the wave for `xor 1`, which needs no barrier of the block; across waves for + 1.
// CHECK-LABEL: tile.kernel "near"
tile.program @near {
  %R = tile.tensor "R"[] : !tile.buffer<[128], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "near" grid(%one) threads(128) attributes {lockstep, warp_lanes = 64} {
  ^bb0(%bx: index):
    %c128 = arith.constant 128 : index
    %f = arith.constant 1.0 : f32
    %t = tile.thread_id
    %s = tile.alloc "s" : !tile.buffer<[128], f32, shared>
    // CHECK: tile.store %{{.*}}, %s
    tile.store %f, %s[%t] : f32, !tile.buffer<[128], f32, shared>
    // CHECK-NEXT: arith.xori
    %x = arith.xori %t, %one : index
    // CHECK-NEXT: tile.sync_warp
    // CHECK-NEXT: tile.load
    %v = tile.load %s[%x] : !tile.buffer<[128], f32, shared> -> f32
    %n = arith.addi %t, %one : index
    %m = arith.remui %n, %c128 : index
    // CHECK: tile.sync_threads
    // CHECK-NEXT: tile.load
    // CHECK-NOT: tile.sync_
    %w = tile.load %s[%m] : !tile.buffer<[128], f32, shared> -> f32
    tile.store %v, %R[%t] : f32, !tile.buffer<[128], f32, global>
    tile.store %w, %R[%t] : f32, !tile.buffer<[128], f32, global>
  }
}

// A tree whose width is known only when it runs: the lower half reads the upper one, which nobody
// writes. The author's barriers are enough.
// CHECK-LABEL: tile.kernel "tree"
tile.program @tree {
  %one = arith.constant 1 : index
  tile.kernel "tree" grid(%one) threads(256) attributes {lockstep, warp_lanes = 64} {
  ^bb0(%bx: index):
    %zero = arith.constant 0 : index
    %i2 = arith.constant 2 : i32
    %i0 = arith.constant 0 : i32
    %i128 = arith.constant 128 : i32
    %f = arith.constant 1.0 : f32
    %t = tile.thread_id
    %s = tile.alloc "s" : !tile.buffer<[256], f32, shared>
    %w = tile.alloc "w" : !tile.buffer<[1], i32, local>
    tile.store %i128, %w[%zero] : i32, !tile.buffer<[1], i32, local>
    tile.store %f, %s[%t] : f32, !tile.buffer<[256], f32, shared>
    // CHECK: tile.store %{{.*}}, %s
    // CHECK-NOT: tile.sync_
    tile.while {
      %h = tile.load %w[%zero] : !tile.buffer<[1], i32, local> -> i32
      %c = arith.cmpi sgt, %h, %i0 : i32
      tile.condition %c
    } do {
      // CHECK: do {
      // CHECK: tile.sync_threads
      // CHECK-NOT: tile.sync_
      tile.sync_threads
      %h = tile.load %w[%zero] : !tile.buffer<[1], i32, local> -> i32
      %i = arith.index_cast %t : index to i32
      %c = arith.cmpi slt, %i, %h : i32
      scf.if %c {
        %again = tile.load %w[%zero] : !tile.buffer<[1], i32, local> -> i32
        %j = arith.index_cast %again : i32 to index
        %u = arith.addi %t, %j : index
        %x = tile.load %s[%t] : !tile.buffer<[256], f32, shared> -> f32
        %y = tile.load %s[%u] : !tile.buffer<[256], f32, shared> -> f32
        %z = arith.addf %x, %y : f32
        tile.store %z, %s[%t] : f32, !tile.buffer<[256], f32, shared>
      }
      %n = arith.divsi %h, %i2 : i32
      tile.store %n, %w[%zero] : i32, !tile.buffer<[1], i32, local>
    }
  }
}

// Threads that take one branch do so before those that take the other; a barrier in between is one
// for all (tile-normalize moves it out). The load and the store of one statement are two accesses.
// CHECK-LABEL: tile.kernel "branches"
tile.program @branches {
  %one = arith.constant 1 : index
  tile.kernel "branches" grid(%one) threads(128) attributes {lockstep, warp_lanes = 32} {
  ^bb0(%bx: index):
    %c64 = arith.constant 64 : index
    %c63 = arith.constant 63 : index
    %f = arith.constant 1.0 : f32
    %t = tile.thread_id
    %s = tile.alloc "s" : !tile.buffer<[128], f32, shared>
    %c = arith.cmpi ult, %t, %c64 : index
    // CHECK: scf.if
    scf.if %c {
      // CHECK-NEXT: tile.store
      // CHECK-NEXT: arith.subi
      // CHECK-NEXT: tile.sync_threads
      // CHECK-NEXT: tile.load
      // CHECK-NEXT: tile.sync_threads
      // CHECK-NEXT: tile.store
      tile.store %f, %s[%t] : f32, !tile.buffer<[128], f32, shared>
      %o = arith.subi %c63, %t : index
      %x = tile.load %s[%o] : !tile.buffer<[128], f32, shared> -> f32
      tile.store %x, %s[%t] : f32, !tile.buffer<[128], f32, shared>
    } else {
      // CHECK-NEXT: } else {
      // CHECK-NEXT: arith.subi
      // CHECK-NEXT: tile.sync_threads
      // CHECK-NEXT: tile.load
      // CHECK-NEXT: tile.store
      %o = arith.subi %t, %c64 : index
      %x = tile.load %s[%o] : !tile.buffer<[128], f32, shared> -> f32
      tile.store %x, %s[%t] : f32, !tile.buffer<[128], f32, shared>
    }
    // CHECK-NEXT: }
    // CHECK-NEXT: }
  }
}

// A tile operation meets the code of threads: the barrier in front of it counts for what threads do
// behind it as well. A store of one constant needs none to be repeated.
// CHECK-LABEL: tile.kernel "tiles"
tile.program @tiles {
  %R = tile.tensor "R"[] : !tile.buffer<[128], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "tiles" grid(%one) threads(128) attributes {lockstep, warp_lanes = 64} {
  ^bb0(%bx: index):
    %zero = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c127 = arith.constant 127 : index
    %f = arith.constant 1.0 : f32
    %t = tile.thread_id
    %s = tile.alloc "s" : !tile.buffer<[128], f32, shared>
    %flag = tile.alloc "flag" : !tile.buffer<[1], f32, shared>
    // CHECK: tile.store %{{.*}}, %s
    tile.store %f, %s[%t] : f32, !tile.buffer<[128], f32, shared>
    // CHECK-NEXT: tile.sync_threads
    // CHECK-NEXT: tile.copy
    // CHECK-NOT: tile.sync_
    tile.copy %s to %R : !tile.buffer<[128], f32, shared>, !tile.buffer<[128], f32, global>
    %o = arith.subi %c127, %t : index
    %x = tile.load %s[%o] : !tile.buffer<[128], f32, shared> -> f32
    tile.store %x, %R[%t] : f32, !tile.buffer<[128], f32, global>
    tile.for %i = %zero to %c4 step %one {
      tile.store %f, %flag[%zero] : f32, !tile.buffer<[1], f32, shared>
    }
  }
}

// Rows and columns of a running number, of which a serial loop's part is whole rows: each thread
// fills elements of its own. Where the loop's part is no whole number of rows nothing is known of
// them, and a thread's second element may be another's first.
// CHECK-LABEL: tile.kernel "running"
tile.program @running {
  %R = tile.tensor "R"[] : !tile.buffer<[32], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "running" grid(%one) threads(128) attributes {lockstep, warp_lanes = 32} {
  ^bb0(%bx: index):
    %zero = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %c256 = arith.constant 256 : index
    %c250 = arith.constant 250 : index
    %t = tile.thread_id
    %n = arith.remui %t, %c32 : index
    %f = tile.load %R[%n] : !tile.buffer<[32], f32, global> -> f32
    %s = tile.alloc "s" : !tile.buffer<[32, 32], f32, shared>
    %u = tile.alloc "u" : !tile.buffer<[32, 32], f32, shared>
    %own = arith.muli %t, %c2 : index
    // CHECK: tile.for
    // CHECK-NOT: tile.sync_
    // CHECK: }
    tile.for %i = %zero to %c4 step %one {
      %part = arith.muli %i, %c256 : index
      %first = arith.addi %part, %own : index
      %row = arith.divui %first, %c32 : index
      %column = arith.remui %first, %c32 : index
      tile.store %f, %s[%row, %column] : f32, !tile.buffer<[32, 32], f32, shared>
      %second = arith.addi %first, %one : index
      %row2 = arith.divui %second, %c32 : index
      %column2 = arith.remui %second, %c32 : index
      tile.store %f, %s[%row2, %column2] : f32, !tile.buffer<[32, 32], f32, shared>
    }
    // CHECK: tile.for
    // CHECK: tile.sync_threads
    // CHECK: }
    tile.for %i = %zero to %c4 step %one {
      %part = arith.muli %i, %c250 : index
      %first = arith.addi %part, %own : index
      %row = arith.divui %first, %c32 : index
      %column = arith.remui %first, %c32 : index
      tile.store %f, %u[%row, %column] : f32, !tile.buffer<[32, 32], f32, shared>
    }
  }
}
