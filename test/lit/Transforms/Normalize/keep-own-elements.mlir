// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-keep-own-elements))' | FileCheck %s
//
// A tile of a serial loop that each round fills, changes at each iteration's own element and writes back is a fragment;
// one of which an iteration reads another one's element stays in shared memory.

// CHECK-LABEL: tile.kernel "own"
// CHECK:         tile.alloc "s" : !tile.buffer<[256], f32, fragment>
// CHECK-LABEL: tile.kernel "others"
// CHECK:         tile.alloc "s" : !tile.buffer<[256], f32, shared>
tile.program @own {
  %A = tile.tensor "A"[] : !tile.buffer<[2048], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "own" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c256 = arith.constant 256 : index
    %s = tile.alloc "s" : !tile.buffer<[256], f32, shared>
    tile.for %k = %c0 to %c8 step %c1 {
      %at = arith.muli %k, %c256 : index
      %v = tile.subview %A[%at] : !tile.buffer<[2048], f32, global> to !tile.buffer<[256], f32, global>
      tile.copy %v to %s : !tile.buffer<[256], f32, global>, !tile.buffer<[256], f32, shared>
      tile.parallel (%i) in (%c256) {
        %x = tile.load %s[%i] : !tile.buffer<[256], f32, shared> -> f32
        %y = arith.addf %x, %x : f32
        tile.store %y, %s[%i] : f32, !tile.buffer<[256], f32, shared>
      }
      tile.copy %s to %v : !tile.buffer<[256], f32, shared>, !tile.buffer<[256], f32, global>
    }
  }
}

tile.program @others {
  %A = tile.tensor "A"[] : !tile.buffer<[2048], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "others" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c255 = arith.constant 255 : index
    %c256 = arith.constant 256 : index
    %s = tile.alloc "s" : !tile.buffer<[256], f32, shared>
    tile.for %k = %c0 to %c8 step %c1 {
      %start = arith.muli %k, %c256 : index
      %v = tile.subview %A[%start] : !tile.buffer<[2048], f32, global> to !tile.buffer<[256], f32, global>
      tile.copy %v to %s : !tile.buffer<[256], f32, global>, !tile.buffer<[256], f32, shared>
      tile.parallel (%i) in (%c256) {
        %m = arith.subi %c255, %i : index
        %x = tile.load %s[%m] : !tile.buffer<[256], f32, shared> -> f32
        %at = arith.addi %start, %i : index
        tile.store %x, %A[%at] : f32, !tile.buffer<[2048], f32, global>
      }
    }
  }
}
