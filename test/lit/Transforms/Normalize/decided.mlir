// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-normalize))' | FileCheck %s
//
// Guards that all iterations answer alike are constants: columns of the four tiles of 32 are all below 128, none is
// 128 or more, and whether one is below 100 depends on the iteration.

// CHECK-LABEL: tile.kernel "tiles" grid
// CHECK-NOT:     scf.if
// CHECK:         tile.store
// CHECK-NOT:     tile.store
// CHECK:         %[[SOME:.*]] = arith.cmpi slt
// CHECK:         scf.if %[[SOME]]
// CHECK-NEXT:      tile.store
// CHECK-NOT:     tile.store
tile.program @tiles {
  %A = tile.tensor "A"[] : !tile.buffer<[128], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "tiles" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %zero = arith.constant 0.0 : f32
    %first = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %step = arith.constant 1 : index
    tile.for %k = %first to %c4 step %step {
      %c32 = arith.constant 32 : index
      tile.parallel (%j) in (%c32) {
        %c128 = arith.constant 128 : index
        %c100 = arith.constant 100 : index
        %start = arith.muli %k, %c32 : index
        %at = arith.addi %start, %j : index
        %inside = arith.cmpi slt, %at, %c128 : index
        scf.if %inside {
          tile.store %zero, %A[%at] : f32, !tile.buffer<[128], f32, global>
        }
        %outside = arith.cmpi sge, %at, %c128 : index
        scf.if %outside {
          tile.store %zero, %A[%at] : f32, !tile.buffer<[128], f32, global>
        }
        %some = arith.cmpi slt, %at, %c100 : index
        scf.if %some {
          tile.store %zero, %A[%at] : f32, !tile.buffer<[128], f32, global>
        }
      }
    }
  }
}
