// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-read-rounds))' | FileCheck %s
//
// Four rounds that bring 256 elements each to a block of 64 threads, 16 bytes a round and thread, are read before the
// first one is used, from tiles of their own. Nine rounds are a loop.

// CHECK-LABEL: tile.kernel "four"
// CHECK-NOT:     tile.for
// CHECK-COUNT-4: tile.move
// CHECK-NOT:     tile.move
// CHECK-COUNT-4: tile.parallel
// CHECK-LABEL: tile.kernel "nine"
// CHECK:         tile.for
// CHECK-COUNT-1: tile.move
// CHECK-NOT:     tile.move
tile.program @four {
  %A = tile.tensor "A"[] : !tile.buffer<[2304], f32, global>
  %B = tile.tensor "B"[] : !tile.buffer<[256], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "four" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c256 = arith.constant 256 : index
    %a = tile.alloc "a" : !tile.buffer<[256], f32, fragment>
    %c = tile.alloc "c" : !tile.buffer<[256], f32, fragment>
    tile.for %k = %c0 to %c4 step %c1 {
      %start = arith.muli %k, %c256 : index
      tile.move (%i) in (%c256) {
        %at = arith.addi %start, %i : index
        %x = tile.load %A[%at] : !tile.buffer<[2304], f32, global> -> f32
        tile.store %x, %a[%i] : f32, !tile.buffer<[256], f32, fragment>
      }
      tile.parallel (%i) in (%c256) {
        %x = tile.load %a[%i] : !tile.buffer<[256], f32, fragment> -> f32
        %old = tile.load %c[%i] : !tile.buffer<[256], f32, fragment> -> f32
        %sum = arith.addf %old, %x : f32
        tile.store %sum, %c[%i] : f32, !tile.buffer<[256], f32, fragment>
      }
    }
  }
}

tile.program @nine {
  %A = tile.tensor "A"[] : !tile.buffer<[2304], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "nine" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c9 = arith.constant 9 : index
    %c256 = arith.constant 256 : index
    %a = tile.alloc "a" : !tile.buffer<[256], f32, fragment>
    %c = tile.alloc "c" : !tile.buffer<[256], f32, fragment>
    tile.for %k = %c0 to %c9 step %c1 {
      %start = arith.muli %k, %c256 : index
      tile.move (%i) in (%c256) {
        %at = arith.addi %start, %i : index
        %x = tile.load %A[%at] : !tile.buffer<[2304], f32, global> -> f32
        tile.store %x, %a[%i] : f32, !tile.buffer<[256], f32, fragment>
      }
      tile.parallel (%i) in (%c256) {
        %x = tile.load %a[%i] : !tile.buffer<[256], f32, fragment> -> f32
        %old = tile.load %c[%i] : !tile.buffer<[256], f32, fragment> -> f32
        %sum = arith.addf %old, %x : f32
        tile.store %sum, %c[%i] : f32, !tile.buffer<[256], f32, fragment>
      }
    }
  }
}
