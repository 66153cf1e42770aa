// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-expand-threads,tile-unify-meetings))' | FileCheck %s
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

// The last wave is short: what all threads do alike is done by its other lanes as well, so that they
// come by where threads meet; they touch no memory and say nothing.
// CHECK-LABEL: tile.kernel "short"
tile.program @short {
  %R = tile.tensor "R"[] : !tile.buffer<[80], i32, global>
  %one = arith.constant 1 : index
  tile.kernel "short" grid(%one) threads(80) attributes {lockstep, warp_lanes = 64} {
  ^bb0(%bx: index):
    %zero = arith.constant 0 : index
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %i4 = arith.constant 4 : i32
    // CHECK: %[[THERE:.*]] = arith.cmpi ult, %{{.*}}, %c80
    %t = tile.thread_id
    %n = tile.alloc "n" : !tile.buffer<[1], i32, local>
    %f = tile.alloc "f" : !tile.buffer<[8], i32, shared>
    // CHECK: tile.store %{{.*}}, %n
    tile.store %i0, %n[%zero] : i32, !tile.buffer<[1], i32, local>
    // CHECK: tile.while
    tile.while {
      %x = tile.load %n[%zero] : !tile.buffer<[1], i32, local> -> i32
      %c = arith.cmpi slt, %x, %i4 : i32
      tile.condition %c
    } do {
      // CHECK: do {
      // CHECK-NOT: scf.if
      // CHECK: tile.fill %{{.*}}, %f
      %x = tile.load %n[%zero] : !tile.buffer<[1], i32, local> -> i32
      tile.fill %x, %f : i32, !tile.buffer<[8], i32, shared>
      // CHECK: scf.if %[[THERE]] {
      // CHECK-NEXT: tile.load %{{.*}} : !tile.buffer<[80], i32, global>
      // CHECK: tile.warp_reduce sum %{{.*}} active(%[[THERE]])
      %v = tile.load %R[%t] : !tile.buffer<[80], i32, global> -> i32
      %s = tile.warp_reduce sum %v : i32
      // CHECK: scf.if %[[THERE]] {
      // CHECK-NEXT: tile.store %{{.*}} : i32, !tile.buffer<[80], i32, global>
      // CHECK-NEXT: }
      // CHECK: tile.store %{{.*}}, %n
      tile.store %s, %R[%t] : i32, !tile.buffer<[80], i32, global>
      %y = arith.addi %x, %i1 : i32
      tile.store %y, %n[%zero] : i32, !tile.buffer<[1], i32, local>
    }
  }
}
