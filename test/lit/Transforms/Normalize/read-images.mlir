// RUN: tilec-opt %s --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-read-images))' | FileCheck %s
//
// A copy of a box of an image's matrix that is left is a loop over the image's elements, which is a
// move; other copies stay.

// CHECK-LABEL: tile.kernel "left"
// CHECK-NOT:     tile.copy
// CHECK:         tile.move (%{{.*}}, %{{.*}}) in (%c64
// CHECK:           tile.load %{{.*}} : !tile.buffer<[2, 64, 64, 64], f16, global>
// CHECK:           tile.store %{{.*}}, %a[
// CHECK:         tile.copy %{{.*}} to %b
tile.program @convolution {
  %I = tile.tensor "I"[] : !tile.buffer<[2, 64, 64, 64], f16, global>
  %B = tile.tensor "B"[] : !tile.buffer<[64, 64], f16, global>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  tile.kernel "left" grid(%c64) threads(128) {
  ^bb0(%bx: index):
    %a = tile.alloc "a" : !tile.buffer<[64, 64], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[64, 64], f16, shared>
    %m = tile.im2col %I kernel(3) stride(1) dilation(1) pad(1) : !tile.buffer<[2, 64, 64, 64], f16, global> to !tile.buffer<[8192, 576], f16, global>
    %row = arith.muli %bx, %c64 : index
    %from = tile.subview %m[%row, %c64] : !tile.buffer<[8192, 576], f16, global> to !tile.buffer<[64, 64], f16, global>
    tile.copy %from to %a : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
    tile.copy %B to %b : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
  }
}
