// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950},tile-separate-tiles))' | FileCheck %s
//
// A tile that two pipelined loops fill anew is one for each; one that is read behind them is one.

// CHECK-LABEL: tile.kernel "two"
// CHECK-COUNT-2: tile.alloc "s"
// CHECK:         tile.for
// CHECK:           tile.copy %{{.*}} to %[[FIRST:[a-z0-9_]+]] :
// CHECK:         tile.for
// CHECK-NOT:       to %[[FIRST]] :
// CHECK:           tile.copy
// CHECK-LABEL: tile.kernel "one"
// CHECK-COUNT-1: tile.alloc "s"
// CHECK-NOT:     tile.alloc "s"
tile.program @two {
  %A = tile.tensor "A"[] : !tile.buffer<[64, 256], f32, global>
  %B = tile.tensor "B"[] : !tile.buffer<[64, 256], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "two" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c256 = arith.constant 256 : index
    %s = tile.alloc "s" : !tile.buffer<[8, 256], f32, shared>
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) stages(2) {
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
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) stages(2) {
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
tile.program @one {
  %A = tile.tensor "A"[] : !tile.buffer<[64, 256], f32, global>
  %B = tile.tensor "B"[] : !tile.buffer<[64, 256], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "one" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c256 = arith.constant 256 : index
    %s = tile.alloc "s" : !tile.buffer<[8, 256], f32, shared>
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) stages(2) {
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
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) stages(2) {
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
    tile.parallel (%j) in (%c256) {
      %x = tile.load %s[%c0, %j] : !tile.buffer<[8, 256], f32, shared> -> f32
      tile.store %x, %B[%c0, %j] : f32, !tile.buffer<[64, 256], f32, global>
    }
  }
}
