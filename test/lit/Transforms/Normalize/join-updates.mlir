// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-join-updates))' | FileCheck %s
//
// A tile of a pipelined product that each round scales in place is written once, from the tensor. Where the round reads
// what the copy has brought, the factor is a tile that the round writes, or the round changes the tile again, both stay.

// CHECK-LABEL: tile.kernel "scaled"
// CHECK:         tile.for
// CHECK-NOT:       tile.copy {{.*}} to %a
// CHECK:           tile.parallel (%[[I:.*]], %[[J:.*]]) in
// CHECK:             %[[COLUMN:.*]] = arith.addi %{{.*}}, %[[J]]
// CHECK:             %[[BROUGHT:.*]] = tile.load %{{[0-9]+}}[%[[I]], %[[COLUMN]]]
// CHECK-NOT:         tile.load %a
// CHECK:             arith.mulf %[[BROUGHT]]
// CHECK:             tile.store %{{.*}}, %a[%[[I]], %[[J]]]
// CHECK:           tile.gemm
// CHECK-LABEL: tile.kernel "again"
// CHECK:           tile.copy {{.*}} to %a
// CHECK:           tile.load %a
// CHECK:           tile.scan
// CHECK-LABEL: tile.kernel "read"
// CHECK:           tile.copy {{.*}} to %a
// CHECK:           tile.copy %a to %f
// CHECK-LABEL: tile.kernel "brought"
// CHECK:           tile.copy {{.*}} to %a
// CHECK:           tile.load %a
// CHECK-LABEL: tile.kernel "serial"
// CHECK:           tile.copy {{.*}} to %a
// CHECK:           tile.load %a
tile.program @tiles {
  %A = tile.tensor "A"[] : !tile.buffer<[32, 256], f16, global>
  %S = tile.tensor "S"[] : !tile.buffer<[32], f32, global>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  tile.kernel "scaled" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[32, 32], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[32, 32], f32, fragment>
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) stages(2) {
      %from = arith.muli %k, %c32 : index
      %box = tile.subview %A[%c0, %from] : !tile.buffer<[32, 256], f16, global> to !tile.buffer<[32, 32], f16, global>
      tile.copy %box to %a : !tile.buffer<[32, 32], f16, global>, !tile.buffer<[32, 32], f16, shared>
      tile.parallel (%i, %j) in (%c32, %c32) {
        %value = tile.load %a[%i, %j] : !tile.buffer<[32, 32], f16, shared> -> f32
        %factor = tile.load %S[%i] : !tile.buffer<[32], f32, global> -> f32
        %scaled = arith.mulf %value, %factor : f32
        tile.store %scaled, %a[%i, %j] : f32, !tile.buffer<[32, 32], f16, shared>
      }
      tile.gemm %a, %a, %c {transpose_b} : !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f32, fragment>
    }
  }
  tile.kernel "again" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[32, 32], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[32, 32], f32, fragment>
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) stages(2) {
      %from = arith.muli %k, %c32 : index
      %box = tile.subview %A[%c0, %from] : !tile.buffer<[32, 256], f16, global> to !tile.buffer<[32, 32], f16, global>
      tile.copy %box to %a : !tile.buffer<[32, 32], f16, global>, !tile.buffer<[32, 32], f16, shared>
      tile.parallel (%i, %j) in (%c32, %c32) {
        %value = tile.load %a[%i, %j] : !tile.buffer<[32, 32], f16, shared> -> f32
        %factor = tile.load %S[%i] : !tile.buffer<[32], f32, global> -> f32
        %scaled = arith.mulf %value, %factor : f32
        tile.store %scaled, %a[%i, %j] : f32, !tile.buffer<[32, 32], f16, shared>
      }
      tile.scan sum %a to %a dim 0 : !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f16, shared>
      tile.gemm %a, %a, %c {transpose_b} : !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f32, fragment>
    }
  }
  tile.kernel "read" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[32, 32], f16, shared>
    %f = tile.alloc "f" : !tile.buffer<[32, 32], f16, fragment>
    %c = tile.alloc "c" : !tile.buffer<[32, 32], f32, fragment>
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) stages(2) {
      %from = arith.muli %k, %c32 : index
      %box = tile.subview %A[%c0, %from] : !tile.buffer<[32, 256], f16, global> to !tile.buffer<[32, 32], f16, global>
      tile.copy %box to %a : !tile.buffer<[32, 32], f16, global>, !tile.buffer<[32, 32], f16, shared>
      tile.copy %a to %f : !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f16, fragment>
      tile.parallel (%i, %j) in (%c32, %c32) {
        %value = tile.load %a[%i, %j] : !tile.buffer<[32, 32], f16, shared> -> f32
        %scaled = arith.addf %value, %value : f32
        tile.store %scaled, %a[%i, %j] : f32, !tile.buffer<[32, 32], f16, shared>
      }
      tile.gemm %f, %a, %c {transpose_b} : !tile.buffer<[32, 32], f16, fragment>, !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f32, fragment>
    }
  }
  tile.kernel "brought" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[32, 32], f16, shared>
    %s = tile.alloc "s" : !tile.buffer<[32], f32, shared>
    %c = tile.alloc "c" : !tile.buffer<[32, 32], f32, fragment>
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) stages(2) {
      %from = arith.muli %k, %c32 : index
      %box = tile.subview %A[%c0, %from] : !tile.buffer<[32, 256], f16, global> to !tile.buffer<[32, 32], f16, global>
      tile.copy %box to %a : !tile.buffer<[32, 32], f16, global>, !tile.buffer<[32, 32], f16, shared>
      tile.copy %S to %s : !tile.buffer<[32], f32, global>, !tile.buffer<[32], f32, shared>
      tile.parallel (%i, %j) in (%c32, %c32) {
        %value = tile.load %a[%i, %j] : !tile.buffer<[32, 32], f16, shared> -> f32
        %factor = tile.load %s[%i] : !tile.buffer<[32], f32, shared> -> f32
        %scaled = arith.mulf %value, %factor : f32
        tile.store %scaled, %a[%i, %j] : f32, !tile.buffer<[32, 32], f16, shared>
      }
      tile.gemm %a, %a, %c {transpose_b} : !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f32, fragment>
    }
  }
  tile.kernel "serial" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[32, 32], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[32, 32], f32, fragment>
    tile.for %k = %c0 to %c8 step %c1 {
      %from = arith.muli %k, %c32 : index
      %box = tile.subview %A[%c0, %from] : !tile.buffer<[32, 256], f16, global> to !tile.buffer<[32, 32], f16, global>
      tile.copy %box to %a : !tile.buffer<[32, 32], f16, global>, !tile.buffer<[32, 32], f16, shared>
      tile.parallel (%i, %j) in (%c32, %c32) {
        %value = tile.load %a[%i, %j] : !tile.buffer<[32, 32], f16, shared> -> f32
        %scaled = arith.addf %value, %value : f32
        tile.store %scaled, %a[%i, %j] : f32, !tile.buffer<[32, 32], f16, shared>
      }
      tile.gemm %a, %a, %c {transpose_b} : !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f32, fragment>
    }
  }
}
