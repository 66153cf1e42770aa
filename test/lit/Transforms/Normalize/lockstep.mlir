// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-normalize))' | FileCheck %s
//
// Where threads meet, all of them pass: the branch of some threads is cut there. What a thread does
// with its own buffers is a loop of the thread; a tile operation of the block is done if any thread
// gets to it.

// CHECK-LABEL: tile.kernel "cut"
tile.program @cut {
  %A = tile.tensor "A"[] : !tile.buffer<[64], f32, global>
  %R = tile.tensor "R"[] : !tile.buffer<[128], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "cut" grid(%one) threads(128) attributes {lockstep, warp_lanes = 64} {
  ^bb0(%bx: index):
    %c64 = arith.constant 64 : index
    %f = arith.constant 1.0 : f32
    %t = tile.thread_id
    %s = tile.alloc "s" : !tile.buffer<[64], f32, shared>
    // CHECK: %[[C:.*]] = arith.cmpi ult
    %c = arith.cmpi ult, %t, %c64 : index
    scf.if %c {
      // The condition holds for thread 0, so the copy needs no branch.
      // CHECK-NOT: scf.if
      // CHECK: tile.copy %{{.*}} to %s
      tile.copy %A to %s : !tile.buffer<[64], f32, global>, !tile.buffer<[64], f32, shared>
      // CHECK: scf.if %[[C]] {
      // CHECK-NEXT: tile.load %s
      // CHECK-NEXT: arith.addf
      // CHECK-NEXT: tile.store %{{.*}}, %carried
      // CHECK-NEXT: }
      %x = tile.load %s[%t] : !tile.buffer<[64], f32, shared> -> f32
      %y = arith.addf %x, %f : f32
      // CHECK: %[[LOADED:.*]] = tile.load %carried
      // CHECK: %[[Y:.*]] = arith.select %[[C]], %[[LOADED]]
      // CHECK: %[[Z:.*]] = tile.shuffle xor %[[Y]], %{{.*}} width(32) active(%[[C]])
      %z = tile.shuffle xor %y, %one width(32) : f32
      // CHECK: tile.sync_threads
      tile.sync_threads
      // CHECK: scf.if %[[C]] {
      // CHECK-NEXT: tile.store %[[Z]]
      // CHECK-NEXT: }
      tile.store %z, %R[%t] : f32, !tile.buffer<[128], f32, global>
    }
  }
}

// CHECK-LABEL: tile.kernel "any"
tile.program @any {
  %A = tile.tensor "A"[] : !tile.buffer<[64], f32, global>
  %I = tile.tensor "I"[] : !tile.buffer<[128], i32, global>
  %one = arith.constant 1 : index
  tile.kernel "any" grid(%one) threads(128) attributes {lockstep, warp_lanes = 64} {
  ^bb0(%bx: index):
    %zero = arith.constant 0 : i32
    %t = tile.thread_id
    %s = tile.alloc "s" : !tile.buffer<[64], f32, shared>
    %i = tile.load %I[%t] : !tile.buffer<[128], i32, global> -> i32
    %c = arith.cmpi sgt, %i, %zero : i32
    // CHECK: %[[N:.*]] = tile.block_vote any
    // CHECK: %[[ANY:.*]] = arith.cmpi ne, %[[N]]
    // CHECK: scf.if %[[ANY]] {
    // CHECK-NEXT: tile.copy
    scf.if %c {
      tile.copy %A to %s : !tile.buffer<[64], f32, global>, !tile.buffer<[64], f32, shared>
    }
  }
}

// CHECK-LABEL: tile.kernel "own"
tile.program @own {
  %A = tile.tensor "A"[] : !tile.buffer<[128, 2], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "own" grid(%one) threads(128) attributes {lockstep, warp_lanes = 64} {
  ^bb0(%bx: index):
    %zero = arith.constant 0 : index
    %t = tile.thread_id
    // CHECK: %l = tile.alloc "l"
    %l = tile.alloc "l" : !tile.buffer<[2], f32, local>
    // Unrolled: registers have no addresses.
    // CHECK-NOT: tile.copy
    // CHECK-NOT: tile.parallel
    // CHECK-NOT: tile.for
    // CHECK-COUNT-2: tile.store %{{.*}}, %l
    %v = tile.subview %A[%t, %zero] dropped [0] : !tile.buffer<[128, 2], f32, global> to !tile.buffer<[2], f32, global>
    tile.copy %v to %l : !tile.buffer<[2], f32, global>, !tile.buffer<[2], f32, local>
    %x = tile.load %l[%zero] : !tile.buffer<[2], f32, local> -> f32
    tile.store %x, %A[%t, %zero] : f32, !tile.buffer<[128, 2], f32, global>
  }
}

// CHECK-LABEL: tile.kernel "uneven"
tile.program @uneven {
  %R = tile.tensor "R"[] : !tile.buffer<[128], i32, global>
  %one = arith.constant 1 : index
  tile.kernel "uneven" grid(%one) threads(128) attributes {lockstep, warp_lanes = 64} {
  ^bb0(%bx: index):
    %zero = arith.constant 0 : index
    %t = tile.thread_id
    // CHECK: tile.atomic max %{{.*}}, %rounds
    // CHECK: tile.sync_threads
    // CHECK: %[[MOST:.*]] = arith.index_cast %{{.*}} : i32 to index
    // CHECK: tile.for %[[N:.*]] = %{{.*}} to %[[MOST]]
    // CHECK: %[[HERE:.*]] = arith.cmpi slt, %[[N]]
    // CHECK: tile.sync_threads
    // CHECK-NEXT: scf.if %[[HERE]] {
    // CHECK-NEXT: tile.store
    %i7 = arith.constant 7 : i32
    tile.for %i = %zero to %t step %one {
      tile.sync_threads
      tile.store %i7, %R[%i] : i32, !tile.buffer<[128], i32, global>
    }
  }
}
