// A constant that carries into nothing leaves a quotient, and stands behind a remainder: places that differ by it share
// what they are made of.
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-share-quotients))' | FileCheck %s
// CHECK-LABEL: tile.kernel "places"
// CHECK: %[[ROW:.*]] = arith.muli %{{.*}}, %c4
// CHECK: arith.divui %[[ROW]], %c64
// CHECK: %[[IN:.*]] = arith.remui %[[ROW]], %c64
// CHECK: arith.addi %[[IN]], %c1
// 4 x + 1026 is 4 x + 1024 and 2.
// CHECK: %[[FAR:.*]] = arith.addi %[[ROW]], %c1024
// CHECK: arith.divui %[[FAR]], %c64
// 4 x + 1, in rows of 6: 2 divides both, so that 1 stays behind.
// CHECK: arith.remui %[[ROW]], %c6
// 4 x + 3, in rows of 7: nothing does.
// CHECK: %[[ODD:.*]] = arith.addi %[[ROW]], %c3
// CHECK: arith.divui %[[ODD]], %c7
tile.program @places {
  %A = tile.tensor "A"[] : !tile.buffer<[64, 64], f32, global>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c64 = arith.constant 64 : index
  %c1026 = arith.constant 1026 : index
  %zero = arith.constant 0.0 : f32
  tile.kernel "places" grid(%c1) threads(64) attributes {lockstep, warp_lanes = 32} {
  ^bb0(%bx: index):
    %tx = tile.thread_id
    %row = arith.muli %tx, %c4 : index
    %next = arith.addi %row, %c1 : index
    %q = arith.divui %next, %c64 : index
    %r = arith.remui %next, %c64 : index
    tile.store %zero, %A[%q, %r] : f32, !tile.buffer<[64, 64], f32, global>
    %far = arith.addi %row, %c1026 : index
    %fq = arith.divui %far, %c64 : index
    tile.store %zero, %A[%fq, %c0] : f32, !tile.buffer<[64, 64], f32, global>
    %six = arith.remui %next, %c6 : index
    tile.store %zero, %A[%six, %c0] : f32, !tile.buffer<[64, 64], f32, global>
    %odd = arith.addi %row, %c3 : index
    %seven = arith.divui %odd, %c7 : index
    tile.store %zero, %A[%seven, %c0] : f32, !tile.buffer<[64, 64], f32, global>
  }
}
