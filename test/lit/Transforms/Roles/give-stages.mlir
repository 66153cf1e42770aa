// RUN: tilec-opt %s --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-give-stages{target=sm_90a}))' 2>&1 | FileCheck %s
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-give-stages{target=gfx950}))' 2>&1 | FileCheck %s --check-prefix=AMD
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-give-stages{target=sm_90a strategy=ping_pong}))' 2>&1 | FileCheck %s --check-prefix=SAME
//
// A long product that asks for no ring has two stages where the grid leaves units idle; a loop of several products has
// them where the grid has up to two blocks for each unit.

// SAME-NOT: remark
// SAME-NOT: stages(2)
// CHECK: remark: a ring in spite of num_stages=1: the grid has no more blocks than the chip has units, and 64 rounds
// CHECK: remark: a ring in spite of num_stages=1: the grid has two blocks for each of the chip's units at most, and 64 rounds
// CHECK-NOT: remark

// Other chips have more units.
// AMD-LABEL: tile.kernel "full"
// AMD: stages(2)
// AMD-LABEL: tile.kernel "chain"
// AMD: stages(2)
// AMD-LABEL: tile.kernel "crowd"
// AMD: stages(2)

// CHECK-LABEL: tile.kernel "long"
// CHECK: tile.for {{.*}} kind(pipelined) stages(2)
// Fewer rounds, a block for each unit and more, a schedule with a name, another statement in the loop.
// CHECK-LABEL: tile.kernel "short"
// CHECK-NOT: stages(2)
// CHECK-LABEL: tile.kernel "full"
// CHECK-NOT: stages(2)
// CHECK-LABEL: tile.kernel "exact"
// CHECK-NOT: stages(2)
// CHECK-LABEL: tile.kernel "more"
// CHECK-NOT: stages(2)
// CHECK-LABEL: tile.kernel "chain"
// CHECK: tile.for {{.*}} kind(pipelined) stages(2)
// More than two blocks a unit.
// CHECK-LABEL: tile.kernel "crowd"
// CHECK-NOT: stages(2)
tile.program @products {
  %A = tile.tensor "A"[] : !tile.buffer<[128, 4096], f16, global>
  %B = tile.tensor "B"[] : !tile.buffer<[128, 4096], f16, global>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %c200 = arith.constant 200 : index
  %c300 = arith.constant 300 : index
  %zero = arith.constant 0.0 : f32
  tile.kernel "long" grid(%c8) threads(128) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[128, 64], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[128, 64], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[128, 128], f32, fragment>
    tile.fill %zero, %c : f32, !tile.buffer<[128, 128], f32, fragment>
    tile.for %k = %c0 to %c64 step %c1 kind(pipelined) {
      %at = arith.muli %k, %c64 : index
      %p = tile.subview %A[%c0, %at] : !tile.buffer<[128, 4096], f16, global> to !tile.buffer<[128, 64], f16, global>
      %q = tile.subview %B[%c0, %at] : !tile.buffer<[128, 4096], f16, global> to !tile.buffer<[128, 64], f16, global>
      tile.copy %p to %a : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      tile.copy %q to %b : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      tile.gemm %a, %b, %c {transpose_b} : !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
    }
  }
  tile.kernel "short" grid(%c8) threads(128) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[128, 64], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[128, 64], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[128, 128], f32, fragment>
    tile.fill %zero, %c : f32, !tile.buffer<[128, 128], f32, fragment>
    tile.for %k = %c0 to %c63 step %c1 kind(pipelined) {
      %at = arith.muli %k, %c64 : index
      %p = tile.subview %A[%c0, %at] : !tile.buffer<[128, 4096], f16, global> to !tile.buffer<[128, 64], f16, global>
      %q = tile.subview %B[%c0, %at] : !tile.buffer<[128, 4096], f16, global> to !tile.buffer<[128, 64], f16, global>
      tile.copy %p to %a : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      tile.copy %q to %b : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      tile.gemm %a, %b, %c {transpose_b} : !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
    }
  }
  tile.kernel "full" grid(%c200) threads(128) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[128, 64], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[128, 64], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[128, 128], f32, fragment>
    tile.fill %zero, %c : f32, !tile.buffer<[128, 128], f32, fragment>
    tile.for %k = %c0 to %c64 step %c1 kind(pipelined) {
      %at = arith.muli %k, %c64 : index
      %p = tile.subview %A[%c0, %at] : !tile.buffer<[128, 4096], f16, global> to !tile.buffer<[128, 64], f16, global>
      %q = tile.subview %B[%c0, %at] : !tile.buffer<[128, 4096], f16, global> to !tile.buffer<[128, 64], f16, global>
      tile.copy %p to %a : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      tile.copy %q to %b : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      tile.gemm %a, %b, %c {transpose_b} : !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
    }
  }
  tile.kernel "exact" grid(%c8) threads(128) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[128, 64], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[128, 64], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[128, 128], f32, fragment>
    tile.fill %zero, %c : f32, !tile.buffer<[128, 128], f32, fragment>
    tile.for %k = %c0 to %c64 step %c1 kind(pipelined) attributes {strategy = "exact"} {
      %at = arith.muli %k, %c64 : index
      %p = tile.subview %A[%c0, %at] : !tile.buffer<[128, 4096], f16, global> to !tile.buffer<[128, 64], f16, global>
      %q = tile.subview %B[%c0, %at] : !tile.buffer<[128, 4096], f16, global> to !tile.buffer<[128, 64], f16, global>
      tile.copy %p to %a : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      tile.copy %q to %b : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      tile.gemm %a, %b, %c {transpose_b} : !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
    }
  }
  tile.kernel "more" grid(%c8) threads(128) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[128, 64], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[128, 64], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[128, 128], f32, fragment>
    tile.fill %zero, %c : f32, !tile.buffer<[128, 128], f32, fragment>
    tile.for %k = %c0 to %c64 step %c1 kind(pipelined) {
      %at = arith.muli %k, %c64 : index
      %p = tile.subview %A[%c0, %at] : !tile.buffer<[128, 4096], f16, global> to !tile.buffer<[128, 64], f16, global>
      %q = tile.subview %B[%c0, %at] : !tile.buffer<[128, 4096], f16, global> to !tile.buffer<[128, 64], f16, global>
      tile.copy %p to %a : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      tile.copy %q to %b : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      tile.gemm %a, %b, %c {transpose_b} : !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
      tile.fill %zero, %c : f32, !tile.buffer<[128, 128], f32, fragment>
    }
  }
  tile.kernel "chain" grid(%c200) threads(128) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[128, 64], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[128, 64], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[128, 128], f32, fragment>
    %d = tile.alloc "d" : !tile.buffer<[128, 128], f32, fragment>
    tile.fill %zero, %c : f32, !tile.buffer<[128, 128], f32, fragment>
    tile.fill %zero, %d : f32, !tile.buffer<[128, 128], f32, fragment>
    tile.for %k = %c0 to %c64 step %c1 kind(pipelined) {
      %at = arith.muli %k, %c64 : index
      %p = tile.subview %A[%c0, %at] : !tile.buffer<[128, 4096], f16, global> to !tile.buffer<[128, 64], f16, global>
      %q = tile.subview %B[%c0, %at] : !tile.buffer<[128, 4096], f16, global> to !tile.buffer<[128, 64], f16, global>
      tile.copy %p to %a : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      tile.gemm %a, %a, %d {transpose_b} : !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
      tile.copy %q to %b : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      tile.gemm %a, %b, %c {transpose_b} : !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
    }
  }
  tile.kernel "crowd" grid(%c300) threads(128) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[128, 64], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[128, 64], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[128, 128], f32, fragment>
    %d = tile.alloc "d" : !tile.buffer<[128, 128], f32, fragment>
    tile.fill %zero, %c : f32, !tile.buffer<[128, 128], f32, fragment>
    tile.fill %zero, %d : f32, !tile.buffer<[128, 128], f32, fragment>
    tile.for %k = %c0 to %c64 step %c1 kind(pipelined) {
      %at = arith.muli %k, %c64 : index
      %p = tile.subview %A[%c0, %at] : !tile.buffer<[128, 4096], f16, global> to !tile.buffer<[128, 64], f16, global>
      %q = tile.subview %B[%c0, %at] : !tile.buffer<[128, 4096], f16, global> to !tile.buffer<[128, 64], f16, global>
      tile.copy %p to %a : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      tile.gemm %a, %a, %d {transpose_b} : !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
      tile.copy %q to %b : !tile.buffer<[128, 64], f16, global>, !tile.buffer<[128, 64], f16, shared>
      tile.gemm %a, %b, %c {transpose_b} : !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 64], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
    }
  }
}
