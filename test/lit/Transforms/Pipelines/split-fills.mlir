// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950},tile-split-fills{target=gfx950}))' | FileCheck %s
//
// A tile that a round copies, reads and then gives other values is two. One that is not overwritten whole stays, and so
// does one without room for two slots.

// CHECK-LABEL: tile.kernel "versions"
// CHECK:         %a_brought = tile.alloc "a_brought"
// CHECK:         tile.for
// CHECK:           tile.copy %{{[0-9]+}} to %a_brought
// CHECK:           tile.load %a_brought[
// CHECK:           tile.parallel
// CHECK:             tile.load %a_brought[
// CHECK:             tile.store %{{.*}}, %a[
// CHECK:           tile.gemm %a, %a, %c
// CHECK-LABEL: tile.kernel "part"
// CHECK-NOT:     brought
// CHECK-LABEL: tile.kernel "large"
// CHECK-NOT:     brought
tile.program @tiles {
  %A = tile.tensor "A"[] : !tile.buffer<[32, 512], f16, global>
  %L = tile.tensor "L"[] : !tile.buffer<[256, 2048], f16, global>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  tile.kernel "versions" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[32, 64], f16, shared>
    %g = tile.alloc "g" : !tile.buffer<[32, 64], f32, fragment>
    %most = tile.alloc "most" : !tile.buffer<[32], f32, fragment>
    %c = tile.alloc "c" : !tile.buffer<[32, 32], f32, fragment>
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) stages(2) {
      %from = arith.muli %k, %c64 : index
      %box = tile.subview %A[%c0, %from] : !tile.buffer<[32, 512], f16, global> to !tile.buffer<[32, 64], f16, global>
      tile.copy %box to %a : !tile.buffer<[32, 64], f16, global>, !tile.buffer<[32, 64], f16, shared>
      tile.copy %a to %g : !tile.buffer<[32, 64], f16, shared>, !tile.buffer<[32, 64], f32, fragment>
      tile.reduce absmax %g to %most dim 1 : !tile.buffer<[32, 64], f32, fragment>, !tile.buffer<[32], f32, fragment>
      tile.parallel (%i, %j) in (%c32, %c64) {
        %value = tile.load %a[%i, %j] : !tile.buffer<[32, 64], f16, shared> -> f32
        %by = tile.load %most[%i] : !tile.buffer<[32], f32, fragment> -> f32
        %quotient = arith.divf %value, %by : f32
        tile.store %quotient, %a[%i, %j] : f32, !tile.buffer<[32, 64], f16, shared>
      }
      tile.gemm %a, %a, %c {transpose_b} : !tile.buffer<[32, 64], f16, shared>, !tile.buffer<[32, 64], f16, shared>, !tile.buffer<[32, 32], f32, fragment>
    }
  }
  tile.kernel "part" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[32, 64], f16, shared>
    %g = tile.alloc "g" : !tile.buffer<[32, 64], f32, fragment>
    %most = tile.alloc "most" : !tile.buffer<[32], f32, fragment>
    %c = tile.alloc "c" : !tile.buffer<[32, 32], f32, fragment>
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) stages(2) {
      %from = arith.muli %k, %c64 : index
      %box = tile.subview %A[%c0, %from] : !tile.buffer<[32, 512], f16, global> to !tile.buffer<[32, 64], f16, global>
      tile.copy %box to %a : !tile.buffer<[32, 64], f16, global>, !tile.buffer<[32, 64], f16, shared>
      tile.copy %a to %g : !tile.buffer<[32, 64], f16, shared>, !tile.buffer<[32, 64], f32, fragment>
      tile.reduce absmax %g to %most dim 1 : !tile.buffer<[32, 64], f32, fragment>, !tile.buffer<[32], f32, fragment>
      tile.parallel (%i, %j) in (%c16, %c64) {
        %value = tile.load %a[%i, %j] : !tile.buffer<[32, 64], f16, shared> -> f32
        %by = tile.load %most[%i] : !tile.buffer<[32], f32, fragment> -> f32
        %quotient = arith.divf %value, %by : f32
        tile.store %quotient, %a[%i, %j] : f32, !tile.buffer<[32, 64], f16, shared>
      }
      tile.gemm %a, %a, %c {transpose_b} : !tile.buffer<[32, 64], f16, shared>, !tile.buffer<[32, 64], f16, shared>, !tile.buffer<[32, 32], f32, fragment>
    }
  }
  tile.kernel "large" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[256, 256], f16, shared>
    %g = tile.alloc "g" : !tile.buffer<[256, 256], f32, fragment>
    %most = tile.alloc "most" : !tile.buffer<[256], f32, fragment>
    %c = tile.alloc "c" : !tile.buffer<[256, 256], f32, fragment>
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) stages(2) {
      %from = arith.muli %k, %c256 : index
      %box = tile.subview %L[%c0, %from] : !tile.buffer<[256, 2048], f16, global> to !tile.buffer<[256, 256], f16, global>
      tile.copy %box to %a : !tile.buffer<[256, 256], f16, global>, !tile.buffer<[256, 256], f16, shared>
      tile.copy %a to %g : !tile.buffer<[256, 256], f16, shared>, !tile.buffer<[256, 256], f32, fragment>
      tile.reduce absmax %g to %most dim 1 : !tile.buffer<[256, 256], f32, fragment>, !tile.buffer<[256], f32, fragment>
      tile.parallel (%i, %j) in (%c256, %c256) {
        %value = tile.load %a[%i, %j] : !tile.buffer<[256, 256], f16, shared> -> f32
        %by = tile.load %most[%i] : !tile.buffer<[256], f32, fragment> -> f32
        %quotient = arith.divf %value, %by : f32
        tile.store %quotient, %a[%i, %j] : f32, !tile.buffer<[256, 256], f16, shared>
      }
      tile.gemm %a, %a, %c {transpose_b} : !tile.buffer<[256, 256], f16, shared>, !tile.buffer<[256, 256], f16, shared>, !tile.buffer<[256, 256], f32, fragment>
    }
  }
}
