// RUN: tilec-opt %s --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-expand-im2col{target=sm_90a}))' | FileCheck %s
// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-expand-im2col{target=gfx950}))' | FileCheck %s --check-prefix=NONE
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-expand-im2col{target=sm_90}))' | FileCheck %s --check-prefix=NONE
//
// Where copies of boxes know im2col, operands of pipelined products stay boxes of the image's matrix. All else reads the
// image element by element.

// NONE-NOT: tile.im2col
// NONE: tile.parallel
// NONE-NOT: tile.im2col

// CHECK-LABEL: tile.kernel "operand"
// CHECK: %[[MATRIX:.*]] = tile.im2col %{{.*}} kernel(3) stride(1) dilation(1) pad(1)
// CHECK: tile.subview %[[MATRIX]]
// CHECK: tile.copy
// CHECK-NOT: tile.parallel
// 48 channels of 64 a row: rows belong to several elements of the kernel.
// CHECK-LABEL: tile.kernel "crossing"
// CHECK-NOT: tile.im2col
// CHECK: tile.parallel
// CHECK: arith.cmpi ult
// Nine elements apart and further than the copies can say: 16 * 16 = 256. A stride of 9.
// CHECK-LABEL: tile.kernel "far"
// CHECK-NOT: tile.im2col
// CHECK-COUNT-2: tile.parallel
// Not an operand.
// CHECK-LABEL: tile.kernel "alone"
// CHECK-NOT: tile.im2col
// CHECK: tile.parallel
// CHECK-NOT: arith.cmpi
tile.program @convolutions {
  %I = tile.tensor "I"[] : !tile.buffer<[2, 64, 64, 64], f16, global>
  %J = tile.tensor "J"[] : !tile.buffer<[2, 64, 64, 48], f16, global>
  %B = tile.tensor "B"[] : !tile.buffer<[1024, 64], f16, global>
  %O = tile.tensor "O"[] : !tile.buffer<[64, 64], f16, global>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c9 = arith.constant 9 : index
  %c64 = arith.constant 64 : index
  tile.kernel "operand" grid(%c64) threads(128) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[64, 64], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[64, 64], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[64, 64], f32, fragment>
    tile.for %k = %c0 to %c9 step %c1 kind(pipelined) stages(3) {
      %m = tile.im2col %I kernel(3) stride(1) dilation(1) pad(1) : !tile.buffer<[2, 64, 64, 64], f16, global> to !tile.buffer<[8192, 576], f16, global>
      %row = arith.muli %bx, %c64 : index
      %at = arith.muli %k, %c64 : index
      %from = tile.subview %m[%row, %at] : !tile.buffer<[8192, 576], f16, global> to !tile.buffer<[64, 64], f16, global>
      tile.copy %from to %a : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
      tile.gemm %a, %b, %c : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
    }
  }
  tile.kernel "crossing" grid(%c64) threads(128) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[64, 64], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[64, 64], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[64, 64], f32, fragment>
    tile.for %k = %c0 to %c7 step %c1 kind(pipelined) stages(3) {
      %m = tile.im2col %J kernel(3) stride(1) dilation(1) pad(1) : !tile.buffer<[2, 64, 64, 48], f16, global> to !tile.buffer<[8192, 432], f16, global>
      %row = arith.muli %bx, %c64 : index
      %at = arith.muli %k, %c64 : index
      %from = tile.subview %m[%row, %at] : !tile.buffer<[8192, 432], f16, global> to !tile.buffer<[64, 64], f16, global>
      tile.copy %from to %a : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
      tile.gemm %a, %b, %c : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
    }
  }
  tile.kernel "far" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[64, 64], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[64, 64], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[64, 64], f32, fragment>
    tile.for %k = %c0 to %c9 step %c1 kind(pipelined) stages(3) {
      %at = arith.muli %k, %c64 : index
      %m = tile.im2col %I kernel(17) stride(1) dilation(16) pad(100) : !tile.buffer<[2, 64, 64, 64], f16, global> to !tile.buffer<[128, 18496], f16, global>
      %from = tile.subview %m[%c0, %at] : !tile.buffer<[128, 18496], f16, global> to !tile.buffer<[64, 64], f16, global>
      tile.copy %from to %a : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
      %n = tile.im2col %I kernel(1) stride(9) dilation(1) pad(0) : !tile.buffer<[2, 64, 64, 64], f16, global> to !tile.buffer<[128, 64], f16, global>
      %of = tile.subview %n[%c0, %c0] : !tile.buffer<[128, 64], f16, global> to !tile.buffer<[64, 64], f16, global>
      tile.copy %of to %b : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
      tile.gemm %a, %b, %c : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
      tile.gemm %b, %a, %c : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
    }
  }
  tile.kernel "alone" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[64, 64], f16, shared>
    %m = tile.im2col %I kernel(3) stride(1) dilation(1) pad(1) : !tile.buffer<[2, 64, 64, 64], f16, global> to !tile.buffer<[8192, 576], f16, global>
    %from = tile.subview %m[%c64, %c64] : !tile.buffer<[8192, 576], f16, global> to !tile.buffer<[64, 64], f16, global>
    tile.copy %from to %a : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
    tile.copy %a to %O : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f16, global>
  }
}
