// RUN: tilec-opt %s | tilec-opt | FileCheck %s
// RUN: tilec-opt %s --mlir-print-op-generic | tilec-opt | FileCheck %s
//
// Parts of buffers and other shapes of the same memory.

tile.program @views {
  %A = tile.tensor "A"[] : !tile.buffer<[128, 64], f16, global>
  %m = tile.dim "m"
  %D = tile.tensor "D"[%m] : !tile.buffer<[?, 8], f16, global>
  %I = tile.tensor "I"[] : !tile.buffer<[2, 9, 8, 64], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // CHECK: tile.subview %{{.*}}[%bx, %{{.*}}] : !tile.buffer<[128, 64], f16, global> to !tile.buffer<[32, 16], f16, global>
    %box = tile.subview %A[%bx, %one] : !tile.buffer<[128, 64], f16, global> to !tile.buffer<[32, 16], f16, global>
    // CHECK: tile.subview %{{.*}}[%bx, %{{.*}}] dropped [0] : !tile.buffer<[128, 64], f16, global> to !tile.buffer<[16], f16, global>
    %row = tile.subview %A[%bx, %one] dropped [0] : !tile.buffer<[128, 64], f16, global> to !tile.buffer<[16], f16, global>
    // CHECK: tile.subview %{{.*}}[%bx, %bx] dropped [0, 1] : !tile.buffer<[128, 64], f16, global> to !tile.buffer<[], f16, global>
    %point = tile.subview %A[%bx, %bx] dropped [0, 1] : !tile.buffer<[128, 64], f16, global> to !tile.buffer<[], f16, global>
    // CHECK: tile.subview %{{.*}}[%bx, %{{.*}}] dropped [1] : !tile.buffer<[?, 8], f16, global> to !tile.buffer<[?], f16, global>
    %column = tile.subview %D[%bx, %one] dropped [1] : !tile.buffer<[?, 8], f16, global> to !tile.buffer<[?], f16, global>
    // CHECK: tile.reshape %{{.*}} : !tile.buffer<[128, 64], f16, global> to !tile.buffer<[64, 64], f32, global>
    %view = tile.reshape %A : !tile.buffer<[128, 64], f16, global> to !tile.buffer<[64, 64], f32, global>
    // CHECK: tile.im2col %{{.*}} kernel(3) stride(2) dilation(1) pad(1) : !tile.buffer<[2, 9, 8, 64], f16, global> to !tile.buffer<[40, 576], f16, global>
    %patches = tile.im2col %I kernel(3) stride(2) dilation(1) pad(1) : !tile.buffer<[2, 9, 8, 64], f16, global> to !tile.buffer<[40, 576], f16, global>
    // CHECK: tile.reshape %{{.*}} : !tile.buffer<[?, 8], f16, global> to !tile.buffer<[?], f16, global>
    %flat = tile.reshape %D : !tile.buffer<[?, 8], f16, global> to !tile.buffer<[?], f16, global>
  }
}
