// RUN: tilec-opt %s | tilec-opt | FileCheck %s
// RUN: tilec-opt %s --mlir-print-op-generic | tilec-opt | FileCheck %s
//
// Scalars in and out of buffers: f16 loads as f32, unsigned integers as signless ones.

tile.program @elements {
  %A = tile.tensor "A"[] : !tile.buffer<[128, 64], f16, global>
  %U = tile.tensor "U"[] : !tile.buffer<[8], ui32, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    // CHECK: %[[X:.*]] = tile.load %{{.*}}[%bx, %bx] : !tile.buffer<[128, 64], f16, global> -> f32
    %x = tile.load %A[%bx, %bx] : !tile.buffer<[128, 64], f16, global> -> f32
    // CHECK: tile.load %{{.*}}[%bx, %bx] pad -1.000000e+00 : !tile.buffer<[128, 64], f16, global> -> f32
    %p = tile.load %A[%bx, %bx] pad -1.0 : !tile.buffer<[128, 64], f16, global> -> f32
    // CHECK: %[[U:.*]] = tile.load %{{.*}}[%bx] : !tile.buffer<[8], ui32, global> -> i32
    %u = tile.load %U[%bx] : !tile.buffer<[8], ui32, global> -> i32
    // CHECK: %[[R:.*]] = tile.round_to %[[X]] to bf16 : f32
    %r = tile.round_to %x to bf16 : f32
    // CHECK: tile.store %[[R]], %{{.*}}[%bx, %bx] : f32, !tile.buffer<[128, 64], f16, global>
    tile.store %r, %A[%bx, %bx] : f32, !tile.buffer<[128, 64], f16, global>
    // CHECK: tile.atomic add %[[U]], %{{.*}}[%bx] : i32, !tile.buffer<[8], ui32, global> -> i32
    %o = tile.atomic add %u, %U[%bx] : i32, !tile.buffer<[8], ui32, global> -> i32
    // CHECK: tile.atomic max %[[U]], %{{.*}}[%bx] {is_unsigned} : i32, !tile.buffer<[8], ui32, global> -> i32
    %q = tile.atomic max %u, %U[%bx] {is_unsigned} : i32, !tile.buffer<[8], ui32, global> -> i32
    // CHECK: tile.atomic exchange %[[X]], %{{.*}}[%bx, %bx] : f32, !tile.buffer<[128, 64], f16, global> -> f32
    %e = tile.atomic exchange %x, %A[%bx, %bx] : f32, !tile.buffer<[128, 64], f16, global> -> f32
  }
}
