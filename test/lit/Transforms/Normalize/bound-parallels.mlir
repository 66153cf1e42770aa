// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-bound-parallels))' --split-input-file | FileCheck %s
//
// Nested parallels whose extents are known at run time: a bound makes a box with a guard, an extent
// that all outer iterations share is cut in pieces, anything else runs in order.

// CHECK-LABEL: tile.program @triangle
// CHECK:       tile.parallel (%[[I:.*]]) in (%c16
// CHECK:         %[[N:.*]] = arith.addi %[[I]]
// CHECK:         tile.parallel (%[[J:.*]]) in (%c16
// CHECK:         %[[IN:.*]] = arith.cmpi slt, %[[J]], %[[N]]
// CHECK:         scf.if %[[IN]]
// CHECK:           tile.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
tile.program @triangle {
  %A = tile.tensor "A"[] : !tile.buffer<[16, 16], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "triangle" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0.0 : f32
    tile.parallel (%i) in (%c16) {
      %n = arith.addi %i, %c1 : index
      tile.parallel (%j) in (%n) {
        tile.store %zero, %A[%i, %j] : f32, !tile.buffer<[16, 16], f32, global>
      }
    }
  }
}

// -----

// CHECK-LABEL: tile.program @pieces
// CHECK:       tile.parallel (%[[I:.*]]) in (%c16
// CHECK:       tile.for %[[START:.*]] = %{{.*}} to %{{.*}} step
// CHECK:         tile.parallel (%[[J:.*]]) in (%c64
// CHECK:           %[[AT:.*]] = arith.addi %[[START]], %[[J]]
// CHECK:           scf.if
// CHECK:             tile.store %{{.*}}, %{{.*}}[%[[I]], %[[AT]]]
tile.program @pieces {
  %n = tile.dim "n"
  %A = tile.tensor "A"[%n] : !tile.buffer<[16, ?], f32, global>
  %B = tile.tensor "B"[] : !tile.buffer<[16], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "pieces" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c16 = arith.constant 16 : index
    tile.parallel (%i) in (%c16) {
      %x = tile.load %B[%i] : !tile.buffer<[16], f32, global> -> f32
      tile.parallel (%j) in (%n) {
        tile.store %x, %A[%i, %j] : f32, !tile.buffer<[16, ?], f32, global>
      }
    }
  }
}

// -----

// CHECK-LABEL: tile.program @in_order
// CHECK:       tile.parallel (%[[I:.*]]) in
// CHECK-NOT:     tile.parallel
// CHECK:         tile.for %[[J:.*]] = 
// CHECK:           tile.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
tile.program @in_order {
  %L = tile.tensor "L"[] : !tile.buffer<[16], i32, global>
  %A = tile.tensor "A"[] : !tile.buffer<[16, 64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "in_order" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0.0 : f32
    tile.parallel (%i) in (%c16) {
      %l = tile.load %L[%i] : !tile.buffer<[16], i32, global> -> i32
      %n = arith.index_cast %l : i32 to index
      tile.parallel (%j) in (%n) {
        tile.store %zero, %A[%i, %j] : f32, !tile.buffer<[16, 64], f32, global>
      }
    }
  }
}
