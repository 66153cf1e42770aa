// RUN: tilec-opt %s --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-set-k-tiles{target=sm_90a}))' 2>&1 | FileCheck %s
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-set-k-tiles{target=gfx950}))' 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-set-k-tiles{target=sm_90a strategy=ping_pong}))' 2>&1 | FileCheck %s --check-prefix=SAME
//
// Rounds bring rows of 128 bytes along K: short ones are joined, and long ones cut where shared memory holds few of them.

// SAME-NOT: remark
// CHECK: remark: a round brings 64 of K instead of 32
// CHECK: remark: a round brings 64 of K instead of 128
// CHECK: remark: a round brings 64 of K instead of 32
// CHECK-NOT: remark

// CHECK-LABEL: tile.kernel "short"
// CHECK: tile.alloc "a" : !tile.buffer<[128, 64], f16, shared>
// CHECK: tile.alloc "b" : !tile.buffer<[64, 128], f16, shared>
// CHECK: tile.for %[[K:.*]] = %c0 to %c16{{.*}} step
// CHECK: %[[AT:.*]] = arith.muli %[[K]], %c64
// CHECK: tile.gemm
// CHECK-SAME: !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[64, 128], f16, shared>
// CHECK-LABEL: tile.kernel "long"
// CHECK: tile.for %{{.*}} = %c0 to %c16{{.*}} step
// 33 rounds are no whole number of pairs, but what the last pair has too much is behind both tensors.
// CHECK-LABEL: tile.kernel "odd"
// CHECK: tile.for %{{.*}} = %c0 to %c17{{.*}} step
// Not behind the tensor: 31 rounds of a longer one. Read elsewhere. A place that does not move by whole rounds.
// CHECK-LABEL: tile.kernel "inside"
// CHECK: tile.for %{{.*}} = %c0 to %c31{{.*}} step
// CHECK-LABEL: tile.kernel "read"
// CHECK: tile.for %{{.*}} = %c0 to %c32{{.*}} step
// CHECK-LABEL: tile.kernel "jumping"
// CHECK: tile.for %{{.*}} = %c0 to %c16{{.*}} step
tile.program @products {
  %A = tile.tensor "A"[] : !tile.buffer<[128, 1024], f16, global>
  %B = tile.tensor "B"[] : !tile.buffer<[1024, 128], f16, global>
  %A33 = tile.tensor "A33"[] : !tile.buffer<[128, 1050], f16, global>
  %B33 = tile.tensor "B33"[] : !tile.buffer<[1050, 128], f16, global>
  %C = tile.tensor "C"[] : !tile.buffer<[128, 128], f32, global>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %c33 = arith.constant 33 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  tile.kernel "short" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[128, 32], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[32, 128], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[128, 128], f32, fragment>
    tile.for %k = %c0 to %c32 step %c1 kind(pipelined) stages(3) {
      %at = arith.muli %k, %c32 : index
      %from = tile.subview %A[%c0, %at] : !tile.buffer<[128, 1024], f16, global> to !tile.buffer<[128, 32], f16, global>
      tile.copy %from to %a : !tile.buffer<[128, 32], f16, global>, !tile.buffer<[128, 32], f16, shared>
      %of = tile.subview %B[%at, %c0] : !tile.buffer<[1024, 128], f16, global> to !tile.buffer<[32, 128], f16, global>
      tile.copy %of to %b : !tile.buffer<[32, 128], f16, global>, !tile.buffer<[32, 128], f16, shared>
      tile.gemm %a, %b, %c : !tile.buffer<[128, 32], f16, shared>, !tile.buffer<[32, 128], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
    }
  }
  tile.kernel "long" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[128, 128], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[128, 128], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[128, 128], f32, fragment>
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) stages(3) {
      %at = arith.muli %k, %c128 : index
      %from = tile.subview %A[%c0, %at] : !tile.buffer<[128, 1024], f16, global> to !tile.buffer<[128, 128], f16, global>
      tile.copy %from to %a : !tile.buffer<[128, 128], f16, global>, !tile.buffer<[128, 128], f16, shared>
      %of = tile.subview %B[%at, %c0] : !tile.buffer<[1024, 128], f16, global> to !tile.buffer<[128, 128], f16, global>
      tile.copy %of to %b : !tile.buffer<[128, 128], f16, global>, !tile.buffer<[128, 128], f16, shared>
      tile.gemm %a, %b, %c : !tile.buffer<[128, 128], f16, shared>, !tile.buffer<[128, 128], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
    }
  }
  tile.kernel "odd" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[128, 32], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[32, 128], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[128, 128], f32, fragment>
    tile.for %k = %c0 to %c33 step %c1 kind(pipelined) stages(3) {
      %at = arith.muli %k, %c32 : index
      %from = tile.subview %A33[%c0, %at] : !tile.buffer<[128, 1050], f16, global> to !tile.buffer<[128, 32], f16, global>
      tile.copy %from to %a : !tile.buffer<[128, 32], f16, global>, !tile.buffer<[128, 32], f16, shared>
      %of = tile.subview %B33[%at, %c0] : !tile.buffer<[1050, 128], f16, global> to !tile.buffer<[32, 128], f16, global>
      tile.copy %of to %b : !tile.buffer<[32, 128], f16, global>, !tile.buffer<[32, 128], f16, shared>
      tile.gemm %a, %b, %c : !tile.buffer<[128, 32], f16, shared>, !tile.buffer<[32, 128], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
    }
  }
  tile.kernel "inside" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[128, 32], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[32, 128], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[128, 128], f32, fragment>
    tile.for %k = %c0 to %c31 step %c1 kind(pipelined) stages(3) {
      %at = arith.muli %k, %c32 : index
      %from = tile.subview %A[%c0, %at] : !tile.buffer<[128, 1024], f16, global> to !tile.buffer<[128, 32], f16, global>
      tile.copy %from to %a : !tile.buffer<[128, 32], f16, global>, !tile.buffer<[128, 32], f16, shared>
      %of = tile.subview %B[%at, %c0] : !tile.buffer<[1024, 128], f16, global> to !tile.buffer<[32, 128], f16, global>
      tile.copy %of to %b : !tile.buffer<[32, 128], f16, global>, !tile.buffer<[32, 128], f16, shared>
      tile.gemm %a, %b, %c : !tile.buffer<[128, 32], f16, shared>, !tile.buffer<[32, 128], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
    }
  }
  tile.kernel "read" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[128, 32], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[32, 128], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[128, 128], f32, fragment>
    tile.for %k = %c0 to %c32 step %c1 kind(pipelined) stages(3) {
      %at = arith.muli %k, %c32 : index
      %from = tile.subview %A[%c0, %at] : !tile.buffer<[128, 1024], f16, global> to !tile.buffer<[128, 32], f16, global>
      tile.copy %from to %a : !tile.buffer<[128, 32], f16, global>, !tile.buffer<[128, 32], f16, shared>
      %of = tile.subview %B[%at, %c0] : !tile.buffer<[1024, 128], f16, global> to !tile.buffer<[32, 128], f16, global>
      tile.copy %of to %b : !tile.buffer<[32, 128], f16, global>, !tile.buffer<[32, 128], f16, shared>
      tile.gemm %a, %b, %c : !tile.buffer<[128, 32], f16, shared>, !tile.buffer<[32, 128], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
    }
    tile.parallel (%i, %j) in (%c128, %c32) {
      %v = tile.load %a[%i, %j] : !tile.buffer<[128, 32], f16, shared> -> f32
      tile.store %v, %C[%i, %j] : f32, !tile.buffer<[128, 128], f32, global>
    }
  }
  tile.kernel "jumping" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[128, 32], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[32, 128], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[128, 128], f32, fragment>
    tile.for %k = %c0 to %c16 step %c1 kind(pipelined) stages(3) {
      %at = arith.muli %k, %c64 : index
      %from = tile.subview %A[%c0, %at] : !tile.buffer<[128, 1024], f16, global> to !tile.buffer<[128, 32], f16, global>
      tile.copy %from to %a : !tile.buffer<[128, 32], f16, global>, !tile.buffer<[128, 32], f16, shared>
      %of = tile.subview %B[%at, %c0] : !tile.buffer<[1024, 128], f16, global> to !tile.buffer<[32, 128], f16, global>
      tile.copy %of to %b : !tile.buffer<[32, 128], f16, global>, !tile.buffer<[32, 128], f16, shared>
      tile.gemm %a, %b, %c : !tile.buffer<[128, 32], f16, shared>, !tile.buffer<[32, 128], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
    }
  }
}
