// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-chunk-parallels))' | FileCheck %s
//
// A parallel of an extent that only the run knows is a loop over pieces of the block's 64 lanes, of which the last one
// may be partly outside.

// CHECK-LABEL: tile.program @pieces
// CHECK:         %[[A:[0-9]+]] = tile.tensor "A"
// CHECK:         %[[LANES:.*]] = arith.constant 64 : index
// CHECK:         tile.for %[[START:.*]] = %{{.*}} to %[[N:.*]] step %[[LANES]]
// CHECK:           tile.parallel (%[[I:.*]], %[[J:.*]]) in (%c16, %[[LANES]])
// CHECK:             %[[AT:.*]] = arith.addi %[[START]], %[[J]]
// CHECK:             %[[IN:.*]] = arith.cmpi slt, %[[AT]], %[[N]]
// CHECK:             scf.if %[[IN]]
// CHECK:               tile.store %{{.*}}, %[[A]][%[[I]], %[[AT]]]
tile.program @pieces {
  %n = tile.dim "n"
  %A = tile.tensor "A"[%n] : !tile.buffer<[16, ?], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "pieces" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0.0 : f32
    tile.parallel (%i, %j) in (%c16, %n) {
      tile.store %zero, %A[%i, %j] : f32, !tile.buffer<[16, ?], f32, global>
    }
  }
}
