// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-hoist-reads{target=gfx950}))' | FileCheck %s
//
// A variable of which the place of a pipelined loop's copy is computed is read in front of the loop; in one that writes
// it, each round reads it.

// CHECK-LABEL: tile.kernel "same"
// CHECK:         tile.load %page[
// CHECK:         tile.for
// CHECK-NOT:       tile.load %page
// CHECK-LABEL: tile.kernel "written"
// CHECK:         tile.for
// CHECK:           tile.load %page[
tile.program @same {
  %A = tile.tensor "A"[] : !tile.buffer<[512, 64], f16, global>
  %c1 = arith.constant 1 : index
  tile.kernel "same" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %page = tile.alloc "page" : !tile.buffer<[1], i32, local>
    %three = arith.constant 3 : i32
    tile.store %three, %page[%c0] : i32, !tile.buffer<[1], i32, local>
    %s = tile.alloc "s" : !tile.buffer<[64, 64], f16, shared>
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) stages(2) {
      %p = tile.load %page[%c0] : !tile.buffer<[1], i32, local> -> i32
      %n = arith.index_cast %p : i32 to index
      %at = arith.addi %n, %k : index
      %v = tile.subview %A[%at, %c0] : !tile.buffer<[512, 64], f16, global> to !tile.buffer<[64, 64], f16, global>
      tile.copy %v to %s : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
    }
  }
}
tile.program @written {
  %A = tile.tensor "A"[] : !tile.buffer<[512, 64], f16, global>
  %c1 = arith.constant 1 : index
  tile.kernel "written" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %page = tile.alloc "page" : !tile.buffer<[1], i32, local>
    %three = arith.constant 3 : i32
    tile.store %three, %page[%c0] : i32, !tile.buffer<[1], i32, local>
    %s = tile.alloc "s" : !tile.buffer<[64, 64], f16, shared>
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) stages(2) {
      %p = tile.load %page[%c0] : !tile.buffer<[1], i32, local> -> i32
      %n = arith.index_cast %p : i32 to index
      %at = arith.addi %n, %k : index
      %v = tile.subview %A[%at, %c0] : !tile.buffer<[512, 64], f16, global> to !tile.buffer<[64, 64], f16, global>
      tile.copy %v to %s : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
      tile.store %three, %page[%c0] : i32, !tile.buffer<[1], i32, local>
    }
  }
}
