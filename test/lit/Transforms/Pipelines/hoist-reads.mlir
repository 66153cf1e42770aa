// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-hoist-reads{target=gfx950}))' | FileCheck %s
//
// A variable of which the place of a pipelined loop's copy is computed is read in front of the loop; in one that writes
// it, each round reads it. A table of 16 numbers that elements of a product's tile are looked up in is in shared memory;
// one that the numbers may pass the end of stays a tensor.

// CHECK-LABEL: tile.kernel "same"
// CHECK:         tile.load %page[
// CHECK:         tile.for
// CHECK-NOT:       tile.load %page
// CHECK-LABEL: tile.kernel "written"
// CHECK:         tile.for
// CHECK:           tile.load %page[
// CHECK-LABEL: tile.kernel "table"
// CHECK:         %[[TABLE:.*]] = tile.alloc "T_kept"
// CHECK:         tile.copy %{{[0-9]+}} to %[[TABLE]]
// CHECK:         tile.for
// CHECK:           tile.load %[[TABLE]][
// CHECK:           %[[OTHER:.*]] = tile.load %{{[0-9]+}}[
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
tile.program @table {
  %T = tile.tensor "T"[] : !tile.buffer<[16], f16, global>
  %U = tile.tensor "U"[] : !tile.buffer<[8], f16, global>
  %A = tile.tensor "A"[] : !tile.buffer<[32, 256], ui8, global>
  %c1 = arith.constant 1 : index
  tile.kernel "table" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %a = tile.alloc "a" layout(#tile.shared<shape = [32, 32] pitch = 32 vec = 8 rows_per_phase = 1 phases = 1>) : !tile.buffer<[32, 32], ui8, shared>
    %b = tile.alloc "b" layout(#tile.shared<shape = [32, 32] pitch = 32 vec = 8 rows_per_phase = 1 phases = 1>) : !tile.buffer<[32, 32], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[32, 32], f32, fragment>
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) stages(2) {
      %at = arith.muli %k, %c32 : index
      %v = tile.subview %A[%c0, %at] : !tile.buffer<[32, 256], ui8, global> to !tile.buffer<[32, 32], ui8, global>
      tile.copy %v to %a : !tile.buffer<[32, 32], ui8, global>, !tile.buffer<[32, 32], ui8, shared>
      tile.parallel (%i, %j) in (%c32, %c32) {
        %byte = tile.load %a[%i, %j] : !tile.buffer<[32, 32], ui8, shared> -> i8
        %word = arith.extui %byte : i8 to i32
        %c15 = arith.constant 15 : i32
        %nibble = arith.andi %word, %c15 : i32
        %n = arith.index_cast %nibble : i32 to index
        %one = tile.load %T[%n] : !tile.buffer<[16], f16, global> -> f32
        %other = tile.load %U[%n] : !tile.buffer<[8], f16, global> -> f32
        %sum = arith.addf %one, %other : f32
        tile.store %sum, %b[%i, %j] : f32, !tile.buffer<[32, 32], f16, shared>
      }
      tile.gemm %b, %b, %c {transpose_b} : !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f16, shared>, !tile.buffer<[32, 32], f32, fragment>
    }
  }
}
