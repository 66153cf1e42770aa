// RUN: tilec-opt %s --verify-contracts=gfx942 --pass-pipeline='builtin.module(tile.program(tile-set-k-tiles{target=gfx942}))' 2>&1 | FileCheck %s
// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-set-k-tiles{target=gfx950}))' 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-set-k-tiles{target=gfx942 strategy=interleave}))' 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-set-k-tiles{target=sm_80}))' 2>&1 | FileCheck %s --check-prefix=SAME
//
// Where waves copy, a round brings half of K where two slots leave no unit for a second block, or shared memory for none:
// of 64 KiB in a grid of many blocks (not in one that leaves units idle), of what fits into no two slots in any. Half a line
// of the cache is the least that is read of a row.

// SAME-NOT: remark
// CHECK: remark: a round brings 32 of K instead of 64
// CHECK: remark: a round brings 32 of K instead of 64
// CHECK-NOT: remark
// CHECK-LABEL: tile.kernel "many"
// CHECK: tile.alloc "a" : !tile.buffer<[128, 32], f16, shared>
// CHECK: tile.alloc "b" : !tile.buffer<[32, 128], f16, shared>
// CHECK: tile.for %[[K:.*]] = %c0 to %c32{{.*}} step
// CHECK: arith.muli %[[K]], %c32
// CHECK-LABEL: tile.kernel "few"
// CHECK: tile.alloc "a" : !tile.buffer<[128, 64], f16, shared>
// CHECK-LABEL: tile.kernel "none"
// CHECK: tile.alloc "a" : !tile.buffer<[256, 32], f16, shared>
// CHECK-LABEL: tile.kernel "short"
// CHECK: tile.alloc "a" : !tile.buffer<[128, 32], f16, shared>
// A unit of gfx950 has room for two blocks of the first; registers hold a third one, which shorter rounds make room for.
// LARGE: remark: a round brings 32 of K instead of 64
tile.program @products {
  %A = tile.tensor "A"[] : !tile.buffer<[256, 1024], f16, global>
  %B = tile.tensor "B"[] : !tile.buffer<[1024, 256], f16, global>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c1024 = arith.constant 1024 : index
  tile.kernel "many" grid(%c1024) threads(256) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[128, 64], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[64, 128], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[128, 128], f32, fragment>
    tile.for %k = %c0 to %c16 step %c1 kind(pipelined) stages(3) {
      %at = arith.muli %k, %c64 : index
      %from = tile.subview %A[%c0, %at] : !tile.buffer<[256, 1024], f16, global> to !tile.buffer<[128, 64], f16, global>
      tile.copy %from to %a : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      %of = tile.subview %B[%at, %c0] : !tile.buffer<[1024, 256], f16, global> to !tile.buffer<[64, 128], f16, global>
      tile.copy %of to %b : !tile.buffer<[64, 128], f16, global>, !tile.buffer<[64, 128], f16, shared>
      tile.gemm %a, %b, %c : !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[64, 128], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
    }
  }
  tile.kernel "few" grid(%c8) threads(256) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[128, 64], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[64, 128], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[128, 128], f32, fragment>
    tile.for %k = %c0 to %c16 step %c1 kind(pipelined) stages(3) {
      %at = arith.muli %k, %c64 : index
      %from = tile.subview %A[%c0, %at] : !tile.buffer<[256, 1024], f16, global> to !tile.buffer<[128, 64], f16, global>
      tile.copy %from to %a : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      %of = tile.subview %B[%at, %c0] : !tile.buffer<[1024, 256], f16, global> to !tile.buffer<[64, 128], f16, global>
      tile.copy %of to %b : !tile.buffer<[64, 128], f16, global>, !tile.buffer<[64, 128], f16, shared>
      tile.gemm %a, %b, %c : !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[64, 128], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
    }
  }
  tile.kernel "none" grid(%c8) threads(256) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[256, 64], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[64, 128], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[256, 128], f32, fragment>
    tile.for %k = %c0 to %c16 step %c1 kind(pipelined) stages(3) {
      %at = arith.muli %k, %c64 : index
      %from = tile.subview %A[%c0, %at] : !tile.buffer<[256, 1024], f16, global> to !tile.buffer<[256, 64], f16, global>
      tile.copy %from to %a : !tile.buffer<[256, 64], f16, global>, !tile.buffer<[256, 64], f16, shared>
      %of = tile.subview %B[%at, %c0] : !tile.buffer<[1024, 256], f16, global> to !tile.buffer<[64, 128], f16, global>
      tile.copy %of to %b : !tile.buffer<[64, 128], f16, global>, !tile.buffer<[64, 128], f16, shared>
      tile.gemm %a, %b, %c : !tile.buffer<[256, 64], f16, shared>, !tile.buffer<[64, 128], f16, shared>, !tile.buffer<[256, 128], f32, fragment>
    }
  }
  tile.kernel "short" grid(%c1024) threads(256) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[128, 32], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[32, 256], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[128, 256], f32, fragment>
    tile.for %k = %c0 to %c32 step %c1 kind(pipelined) stages(3) {
      %at = arith.muli %k, %c32 : index
      %from = tile.subview %A[%c0, %at] : !tile.buffer<[256, 1024], f16, global> to !tile.buffer<[128, 32], f16, global>
      tile.copy %from to %a : !tile.buffer<[128, 32], f16, global>, !tile.buffer<[128, 32], f16, shared>
      %of = tile.subview %B[%at, %c0] : !tile.buffer<[1024, 256], f16, global> to !tile.buffer<[32, 256], f16, global>
      tile.copy %of to %b : !tile.buffer<[32, 256], f16, global>, !tile.buffer<[32, 256], f16, shared>
      tile.gemm %a, %b, %c : !tile.buffer<[128, 32], f16, shared>, !tile.buffer<[32, 256], f16, shared>, !tile.buffer<[128, 256], f32, fragment>
    }
  }
}
