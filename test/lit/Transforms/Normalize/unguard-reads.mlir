// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-unguard-reads))' | FileCheck %s
//
// A branch between a row of a tensor and zeros is an index outside of the tensor. Not where the other side is no zero, or
// the guard differs between neighbours in a row.

// CHECK-LABEL: tile.kernel "rows"
// CHECK:         tile.parallel
// CHECK-NOT:       scf.if
// CHECK:           %[[OUT:.*]] = arith.constant -1 : index
// CHECK:           arith.select %{{.*}}, %{{.*}}, %[[OUT]] : index
// CHECK-NOT:       scf.if
// CHECK-LABEL: tile.kernel "ones"
// CHECK:         scf.if
// CHECK-LABEL: tile.kernel "columns"
// CHECK:         scf.if
tile.program @rows {
  %A = tile.tensor "A"[] : !tile.buffer<[100, 64], f16, global>
  %N = tile.tensor "N"[] : !tile.buffer<[1], i32, global>
  %B = tile.tensor "B"[] : !tile.buffer<[32, 64], f16, global>
  %c1 = arith.constant 1 : index
  tile.kernel "rows" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %other = arith.constant 0.0 : f32
    %s = tile.alloc "s" : !tile.buffer<[32, 64], f16, shared>
    %n = tile.load %N[%c0] : !tile.buffer<[1], i32, global> -> i32
    tile.parallel (%i, %j) in (%c32, %c64) {
      %at = arith.index_cast %i : index to i32
      %inside = arith.cmpi slt, %at, %n : i32
      scf.if %inside {
        %first = arith.index_cast %n : i32 to index
        %row = arith.addi %first, %i : index
        %v = tile.load %A[%row, %j] : !tile.buffer<[100, 64], f16, global> -> f32
        tile.store %v, %s[%i, %j] : f32, !tile.buffer<[32, 64], f16, shared>
      } else {
        tile.store %other, %s[%i, %j] : f32, !tile.buffer<[32, 64], f16, shared>
      }
    }
    tile.copy %s to %B : !tile.buffer<[32, 64], f16, shared>, !tile.buffer<[32, 64], f16, global>
  }
}

tile.program @ones {
  %A = tile.tensor "A"[] : !tile.buffer<[100, 64], f16, global>
  %N = tile.tensor "N"[] : !tile.buffer<[1], i32, global>
  %B = tile.tensor "B"[] : !tile.buffer<[32, 64], f16, global>
  %c1 = arith.constant 1 : index
  tile.kernel "ones" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %other = arith.constant 1.0 : f32
    %s = tile.alloc "s" : !tile.buffer<[32, 64], f16, shared>
    %n = tile.load %N[%c0] : !tile.buffer<[1], i32, global> -> i32
    tile.parallel (%i, %j) in (%c32, %c64) {
      %at = arith.index_cast %i : index to i32
      %inside = arith.cmpi slt, %at, %n : i32
      scf.if %inside {
        %first = arith.index_cast %n : i32 to index
        %row = arith.addi %first, %i : index
        %v = tile.load %A[%row, %j] : !tile.buffer<[100, 64], f16, global> -> f32
        tile.store %v, %s[%i, %j] : f32, !tile.buffer<[32, 64], f16, shared>
      } else {
        tile.store %other, %s[%i, %j] : f32, !tile.buffer<[32, 64], f16, shared>
      }
    }
    tile.copy %s to %B : !tile.buffer<[32, 64], f16, shared>, !tile.buffer<[32, 64], f16, global>
  }
}

tile.program @columns {
  %A = tile.tensor "A"[] : !tile.buffer<[100, 64], f16, global>
  %N = tile.tensor "N"[] : !tile.buffer<[1], i32, global>
  %B = tile.tensor "B"[] : !tile.buffer<[32, 64], f16, global>
  %c1 = arith.constant 1 : index
  tile.kernel "columns" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %other = arith.constant 0.0 : f32
    %s = tile.alloc "s" : !tile.buffer<[32, 64], f16, shared>
    %n = tile.load %N[%c0] : !tile.buffer<[1], i32, global> -> i32
    tile.parallel (%i, %j) in (%c32, %c64) {
      %at = arith.index_cast %j : index to i32
      %inside = arith.cmpi slt, %at, %n : i32
      scf.if %inside {
        %first = arith.index_cast %n : i32 to index
        %row = arith.addi %first, %i : index
        %v = tile.load %A[%row, %j] : !tile.buffer<[100, 64], f16, global> -> f32
        tile.store %v, %s[%i, %j] : f32, !tile.buffer<[32, 64], f16, shared>
      } else {
        tile.store %other, %s[%i, %j] : f32, !tile.buffer<[32, 64], f16, shared>
      }
    }
    tile.copy %s to %B : !tile.buffer<[32, 64], f16, shared>, !tile.buffer<[32, 64], f16, global>
  }
}
