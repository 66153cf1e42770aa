// RUN: tilec-opt %s --verify-contracts=sm_80 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_80},tile-run-serial-ahead{target=sm_80}))' | FileCheck %s
// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950},tile-run-serial-ahead{target=gfx950}))' | FileCheck %s --check-prefix=COUNTED
//
// A serial loop that brings rows and works on them has two stages where groups of copies are waited for, and stays where
// copies are counted; so does one beside a pipelined loop.

// CHECK-LABEL:   tile.kernel "rows"
// CHECK:           tile.for {{.*}} stages(2)
// CHECK-LABEL:   tile.kernel "beside"
// CHECK:           tile.for {{.*}} kind(pipelined)
// CHECK:           tile.for
// CHECK-NOT:       stages(2)
// COUNTED-NOT:     stages(2)
tile.program @rows {
  %A = tile.tensor "A"[] : !tile.buffer<[64, 256], f32, global>
  %B = tile.tensor "B"[] : !tile.buffer<[64, 256], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "rows" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %s = tile.alloc "s" : !tile.buffer<[8, 256], f32, shared>
    tile.for %k = %c0 to %c8 step %c1 {
      %at = arith.muli %k, %c8 : index
      %v = tile.subview %A[%at, %c0] : !tile.buffer<[64, 256], f32, global> to !tile.buffer<[8, 256], f32, global>
      tile.copy %v to %s : !tile.buffer<[8, 256], f32, global>, !tile.buffer<[8, 256], f32, shared>
      tile.parallel (%i, %j) in (%c8, %c256) {
        %x = tile.load %s[%i, %j] : !tile.buffer<[8, 256], f32, shared> -> f32
        %y = math.exp %x : f32
        %row = arith.addi %at, %i : index
        tile.store %y, %B[%row, %j] : f32, !tile.buffer<[64, 256], f32, global>
      }
    }
  }
}
tile.program @beside {
  %A = tile.tensor "A"[] : !tile.buffer<[64, 256], f32, global>
  %B = tile.tensor "B"[] : !tile.buffer<[64, 256], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "beside" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %s = tile.alloc "s" : !tile.buffer<[8, 256], f32, shared>
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) {
    }
    tile.for %k = %c0 to %c8 step %c1 {
      %at = arith.muli %k, %c8 : index
      %v = tile.subview %A[%at, %c0] : !tile.buffer<[64, 256], f32, global> to !tile.buffer<[8, 256], f32, global>
      tile.copy %v to %s : !tile.buffer<[8, 256], f32, global>, !tile.buffer<[8, 256], f32, shared>
      tile.parallel (%i, %j) in (%c8, %c256) {
        %x = tile.load %s[%i, %j] : !tile.buffer<[8, 256], f32, shared> -> f32
        %y = math.exp %x : f32
        %row = arith.addi %at, %i : index
        tile.store %y, %B[%row, %j] : f32, !tile.buffer<[64, 256], f32, global>
      }
    }
  }
}
