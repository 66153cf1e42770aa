// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-shorten-parallels))' | FileCheck %s
//
// A parallel of which a guard leaves a piece of the fragment that it reads elsewhere has only the iterations of the piece;
// one that reads the fragment at its own iterations keeps them all, and so does one whose guard leaves no such piece. The
// guard is left to tile-decide-comparisons.

// CHECK-LABEL: tile.kernel "pieces" grid
// CHECK:         tile.parallel (%{{.*}}) in (%c16
// CHECK:           tile.load %f[
// CHECK:         tile.parallel (%[[I:.*]]) in (%c32
// CHECK:           scf.if
// CHECK:             tile.load %f[%[[I]]]
// CHECK:         tile.parallel (%{{.*}}) in (%c32
// CHECK:           scf.if
tile.program @pieces {
  %A = tile.tensor "A"[] : !tile.buffer<[32], f32, global>
  %B = tile.tensor "B"[] : !tile.buffer<[32], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "pieces" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %f = tile.alloc "f" : !tile.buffer<[32], f32, fragment>
    tile.copy %A to %f : !tile.buffer<[32], f32, global>, !tile.buffer<[32], f32, fragment>
    %c32 = arith.constant 32 : index
    tile.parallel (%i) in (%c32) {
      %c16 = arith.constant 16 : index
      %first = arith.cmpi slt, %i, %c16 : index
      scf.if %first {
        %at = arith.addi %i, %c16 : index
        %v = tile.load %f[%at] : !tile.buffer<[32], f32, fragment> -> f32
        tile.store %v, %B[%i] : f32, !tile.buffer<[32], f32, global>
      }
    }
    tile.parallel (%i) in (%c32) {
      %c16 = arith.constant 16 : index
      %first = arith.cmpi slt, %i, %c16 : index
      scf.if %first {
        %v = tile.load %f[%i] : !tile.buffer<[32], f32, fragment> -> f32
        tile.store %v, %B[%i] : f32, !tile.buffer<[32], f32, global>
      }
    }
    tile.parallel (%i) in (%c32) {
      %c10 = arith.constant 10 : index
      %first = arith.cmpi slt, %i, %c10 : index
      scf.if %first {
        %at = arith.addi %i, %c10 : index
        %v = tile.load %f[%at] : !tile.buffer<[32], f32, fragment> -> f32
        tile.store %v, %B[%i] : f32, !tile.buffer<[32], f32, global>
      }
    }
  }
}
