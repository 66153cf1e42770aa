// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-decide-comparisons,tile-erase-dead))' | FileCheck %s
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-decide-comparisons{lockstep=true}))' | FileCheck %s --check-prefix=OTHER
//
// Guards that all iterations answer alike are constants: columns of the four tiles of 32 are all below 128, none is
// 128 or more, and whether one is below 100 depends on the iteration.

// With `lockstep`, only programs with kernels that name threads are looked at.
// OTHER-COUNT-3: scf.if
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

// A minimum that is always one of its operands is that one: all blocks are as long.
// CHECK-LABEL: tile.kernel "ends"
// CHECK-NOT:     arith.minsi
// CHECK:         arith.maxsi
// CHECK-NOT:     arith.maxsi
tile.program @ends {
  %A = tile.tensor "A"[] : !tile.buffer<[512], f32, global>
  %c4 = arith.constant 4 : index
  tile.kernel "ends" grid(%c4) threads(64) {
  ^bb0(%bx: index):
    %zero = arith.constant 0.0 : f32
    %c128 = arith.constant 128 : index
    %c512 = arith.constant 512 : index
    %c200 = arith.constant 200 : index
    %start = arith.muli %bx, %c128 : index
    %behind = arith.addi %start, %c128 : index
    %end = arith.minsi %behind, %c512 : index
    %length = arith.subi %end, %start : index
    %open = arith.maxsi %start, %c200 : index
    %known = arith.maxsi %behind, %start : index
    tile.parallel (%j) in (%length) {
      %at = arith.addi %open, %j : index
      tile.store %zero, %A[%at] : f32, !tile.buffer<[512], f32, global>
      %other = arith.addi %known, %j : index
      tile.store %zero, %A[%other] : f32, !tile.buffer<[512], f32, global>
    }
  }
}
