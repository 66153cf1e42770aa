// RUN: tilec-opt %s --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-split-products{target=sm_90a}))' 2>&1 | FileCheck %s
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-split-products{target=sm_90a strategy=ping_pong}))' | FileCheck %s --check-prefix=WHOLE
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-split-products{target=sm_80}))' | FileCheck %s --check-prefix=WHOLE
//
// Blocks of a cluster share a tile where tiles are few: each has a part of the rounds, and of the rows of the sum. How many
// rounds each has is a constant where they divide.

// CHECK: remark: 8 blocks share each of the 2 tiles, each a part of K
// CHECK: remark: 4 blocks share each of the 1 tiles, each a part of K

// CHECK-LABEL: tile.kernel "even"
// CHECK-SAME: cluster = 8
// CHECK: %[[RANK:.*]] = tile.cluster_rank
// CHECK: tile.for %{{.*}} = %c0 to %[[OWN:.*]] step
// CHECK: tile.alloc "partial" layout
// CHECK-SAME: !tile.buffer<[128, 128], f32, shared>
// CHECK: tile.move
// CHECK: tile.cluster_barrier{{$}}
// CHECK: tile.alloc "c"
// CHECK-SAME: !tile.buffer<[16, 128], f32, fragment>
// CHECK: tile.load %{{.*}} : !tile.buffer<[128, 128], f32, shared> -> f32
// CHECK: tile.load %{{.*}} block(1) : !tile.buffer<[128, 128], f32, shared> -> f32
// CHECK: tile.load %{{.*}} block(7) : !tile.buffer<[128, 128], f32, shared> -> f32
// CHECK-NOT: block(8)
// CHECK: tile.move
// CHECK: tile.cluster_barrier keeps

// CHECK-LABEL: tile.kernel "uneven"
// CHECK: %[[FIRST:.*]] = arith.muli
// CHECK: %[[END:.*]] = arith.minsi
// CHECK: tile.for %{{.*}} = %{{.*}} to %[[END]] step

// Nothing is split that has little to do, a sum that does not begin with zeros, or rows that meet behind the loop.
// CHECK-LABEL: tile.kernel "short"
// CHECK-NOT: cluster
// CHECK-LABEL: tile.kernel "begun"
// CHECK-NOT: cluster
// CHECK-LABEL: tile.kernel "mixed"
// CHECK-NOT: cluster
// WHOLE-NOT: cluster
tile.program @products {
  %A = tile.tensor "A"[] : !tile.buffer<[128, 8192], f16, global>
  %B = tile.tensor "B"[] : !tile.buffer<[256, 8192], f16, global>
  %C = tile.tensor "C"[] : !tile.buffer<[128, 256], f32, global>
  %D = tile.tensor "D"[] : !tile.buffer<[128], f32, global>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c127 = arith.constant 127 : index
  %c128 = arith.constant 128 : index
  %even = arith.constant 128 : index
  %uneven = arith.constant 33 : index
  %short = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  tile.kernel "even" grid(%c2) threads(256) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[128, 64], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[128, 64], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[128, 128], f32, fragment>
    tile.fill %zero, %c : f32, !tile.buffer<[128, 128], f32, fragment>
    %n = arith.muli %bx, %c128 : index
    tile.for %k = %c0 to %even step %c1 kind(pipelined) stages(3) {
      %at = arith.muli %k, %c64 : index
      %from = tile.subview %A[%c0, %at] : !tile.buffer<[128, 8192], f16, global> to !tile.buffer<[128, 64], f16, global>
      tile.copy %from to %a : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      %of = tile.subview %B[%n, %at] : !tile.buffer<[256, 8192], f16, global> to !tile.buffer<[128, 64], f16, global>
      tile.copy %of to %b : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      tile.gemm %a, %b, %c {transpose_b} : !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
    }
    tile.move (%i, %j) in (%c128, %c128) {
      %v = tile.load %c[%i, %j] : !tile.buffer<[128, 128], f32, fragment> -> f32
      %at = arith.addi %n, %j : index
      tile.store %v, %C[%i, %at] : f32, !tile.buffer<[128, 256], f32, global>
    }
  }
  tile.kernel "uneven" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[128, 64], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[128, 64], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[128, 128], f32, fragment>
    tile.fill %zero, %c : f32, !tile.buffer<[128, 128], f32, fragment>
    tile.for %k = %c0 to %uneven step %c1 kind(pipelined) stages(3) {
      %at = arith.muli %k, %c64 : index
      %from = tile.subview %A[%c0, %at] : !tile.buffer<[128, 8192], f16, global> to !tile.buffer<[128, 64], f16, global>
      tile.copy %from to %a : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      %of = tile.subview %B[%c0, %at] : !tile.buffer<[256, 8192], f16, global> to !tile.buffer<[128, 64], f16, global>
      tile.copy %of to %b : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      tile.gemm %a, %b, %c {transpose_b} : !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
    }
    tile.move (%i, %j) in (%c128, %c128) {
      %v = tile.load %c[%i, %j] : !tile.buffer<[128, 128], f32, fragment> -> f32
      tile.store %v, %C[%i, %j] : f32, !tile.buffer<[128, 256], f32, global>
    }
  }
  tile.kernel "short" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[128, 64], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[128, 64], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[128, 128], f32, fragment>
    tile.fill %zero, %c : f32, !tile.buffer<[128, 128], f32, fragment>
    tile.for %k = %c0 to %short step %c1 kind(pipelined) stages(3) {
      %at = arith.muli %k, %c64 : index
      %from = tile.subview %A[%c0, %at] : !tile.buffer<[128, 8192], f16, global> to !tile.buffer<[128, 64], f16, global>
      tile.copy %from to %a : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      %of = tile.subview %B[%c0, %at] : !tile.buffer<[256, 8192], f16, global> to !tile.buffer<[128, 64], f16, global>
      tile.copy %of to %b : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      tile.gemm %a, %b, %c {transpose_b} : !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
    }
    tile.move (%i, %j) in (%c128, %c128) {
      %v = tile.load %c[%i, %j] : !tile.buffer<[128, 128], f32, fragment> -> f32
      tile.store %v, %C[%i, %j] : f32, !tile.buffer<[128, 256], f32, global>
    }
  }
  tile.kernel "begun" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[128, 64], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[128, 64], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[128, 128], f32, fragment>
    tile.fill %one, %c : f32, !tile.buffer<[128, 128], f32, fragment>
    tile.for %k = %c0 to %even step %c1 kind(pipelined) stages(3) {
      %at = arith.muli %k, %c64 : index
      %from = tile.subview %A[%c0, %at] : !tile.buffer<[128, 8192], f16, global> to !tile.buffer<[128, 64], f16, global>
      tile.copy %from to %a : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      %of = tile.subview %B[%c0, %at] : !tile.buffer<[256, 8192], f16, global> to !tile.buffer<[128, 64], f16, global>
      tile.copy %of to %b : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      tile.gemm %a, %b, %c {transpose_b} : !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
    }
    tile.move (%i, %j) in (%c128, %c128) {
      %v = tile.load %c[%i, %j] : !tile.buffer<[128, 128], f32, fragment> -> f32
      tile.store %v, %C[%i, %j] : f32, !tile.buffer<[128, 256], f32, global>
    }
  }
  tile.kernel "mixed" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[128, 64], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[128, 64], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[128, 128], f32, fragment>
    %s = tile.alloc "s" : !tile.buffer<[128, 128], f32, shared>
    tile.fill %zero, %c : f32, !tile.buffer<[128, 128], f32, fragment>
    tile.for %k = %c0 to %even step %c1 kind(pipelined) stages(3) {
      %at = arith.muli %k, %c64 : index
      %from = tile.subview %A[%c0, %at] : !tile.buffer<[128, 8192], f16, global> to !tile.buffer<[128, 64], f16, global>
      tile.copy %from to %a : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      %of = tile.subview %B[%c0, %at] : !tile.buffer<[256, 8192], f16, global> to !tile.buffer<[128, 64], f16, global>
      tile.copy %of to %b : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      tile.gemm %a, %b, %c {transpose_b} : !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
    }
    tile.move (%i, %j) in (%c128, %c128) {
      %v = tile.load %c[%i, %j] : !tile.buffer<[128, 128], f32, fragment> -> f32
      tile.store %v, %s[%i, %j] : f32, !tile.buffer<[128, 128], f32, shared>
    }
    tile.move (%i, %j) in (%c128, %c128) {
      %back = arith.subi %c127, %i : index
      %v = tile.load %s[%back, %j] : !tile.buffer<[128, 128], f32, shared> -> f32
      tile.store %v, %C[%i, %j] : f32, !tile.buffer<[128, 256], f32, global>
    }
  }
}
