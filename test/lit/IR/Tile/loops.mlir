// RUN: tilec-opt %s | tilec-opt | FileCheck %s
// RUN: tilec-opt %s --mlir-print-op-generic | tilec-opt | FileCheck %s
//
// Loops, and what stands in them.

tile.program @loops {
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %from = tile.alloc "from" : !tile.buffer<[8], f32, fragment>
    %to = tile.alloc "to" : !tile.buffer<[8], f16, shared>
    // CHECK: tile.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
    // CHECK-NEXT: arith.addi %[[I]], %bx : index
    tile.for %i = %c0 to %c8 step %one {
      %x = arith.addi %i, %bx : index
    }
    // CHECK: tile.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} kind(unroll) {
    tile.for %i = %c0 to %c8 step %one kind(unroll) {
    }
    // CHECK: tile.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} kind(pipelined) stages(3) attributes {order = [1, 0]} {
    tile.for %i = %c0 to %c8 step %one kind(pipelined) stages(3) attributes {order = [1, 0]} {
    }
    // CHECK: tile.parallel (%[[P:.*]], %[[Q:.*]]) in (%{{.*}}, %{{.*}}) {
    // CHECK-NEXT: arith.muli %[[P]], %[[Q]] : index
    tile.parallel (%i, %j) in (%c8, %c8) {
      %x = arith.muli %i, %j : index
    }
    // CHECK: tile.for {{.*}} attributes {planned = "cluster_m"} {
    tile.for %i = %c0 to %c8 step %one attributes {planned = "cluster_m"} {
    }
    // CHECK: tile.for %{{.*}} = %c0 to %c8 step %c1 dead_from(%{{.*}}) kind(pipelined) stages(2) attributes {served = #tile.served<plain slots = 3 every_thread exact>} {
    tile.for %i = %c0 to %c8 step %one dead_from(%one) kind(pipelined) stages(2) attributes {served = #tile.served<plain slots = 3 every_thread exact>} {
    }
    // CHECK: served = #tile.served<beside slots = 2>
    tile.for %i = %c0 to %c8 step %one kind(pipelined) attributes {served = #tile.served<beside slots = 2>} {
    }
    // CHECK: served = #tile.served<overlapped [first, longest, second] slots = 1 turns>
    %a = tile.alloc "a" : !tile.buffer<[16, 16], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[16, 16], f32, fragment>
    tile.for %i = %c0 to %c8 step %one kind(pipelined) attributes {served = #tile.served<overlapped [first, longest, second] slots = 1 turns>} {
      tile.gemm %a, %a, %c : !tile.buffer<[16, 16], f16, shared>, !tile.buffer<[16, 16], f16, shared>, !tile.buffer<[16, 16], f32, fragment>
      tile.parallel (%j) in (%c8) {
        %x = tile.load %from[%j] : !tile.buffer<[8], f32, fragment> -> f32
        tile.store %x, %from[%j] : f32, !tile.buffer<[8], f32, fragment>
      }
      tile.gemm %a, %a, %c : !tile.buffer<[16, 16], f16, shared>, !tile.buffer<[16, 16], f16, shared>, !tile.buffer<[16, 16], f32, fragment>
    }
    // CHECK: tile.gather (%{{.*}}) in (%{{.*}}) {
    tile.gather (%i) in (%c8) {
    }
    // CHECK: tile.move (%{{.*}}) in (%{{.*}}) attributes {part = array<i64: 0, 2>} {
    tile.move (%i) in (%c8) attributes {part = array<i64: 0, 2>} {
      %x = tile.load %from[%i] : !tile.buffer<[8], f32, fragment> -> f32
      %y = arith.truncf %x : f32 to f16
      %z = arith.extf %y : f16 to f32
      tile.store %z, %to[%i] : f32, !tile.buffer<[8], f16, shared>
    }
    // CHECK: tile.parallel (%{{.*}}) in (%{{.*}}) attributes {vector_hint = 4 : i64} {
    tile.parallel (%i) in (%c8) attributes {vector_hint = 4} {
    }
    // CHECK:      tile.while {
    // CHECK-NEXT:   %[[T:.*]] = arith.constant true
    // CHECK-NEXT:   tile.condition %[[T]]
    // CHECK-NEXT: } do {
    // CHECK-NEXT:   tile.break
    // CHECK-NEXT: }
    tile.while {
      %t = arith.constant true
      tile.condition %t
    } do {
      tile.break
    }
    // CHECK: scf.if
    // CHECK-NEXT: tile.break
    tile.for %i = %c0 to %c8 step %one {
      %p = arith.cmpi eq, %i, %c0 : index
      scf.if %p {
        tile.break
      }
    }
  }
}
