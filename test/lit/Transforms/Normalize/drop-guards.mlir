// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-drop-guards))' | FileCheck %s
//
// A guard that leaves out what lies outside of each tensor that is written is none: of a constant extent, of a dim, below
// the first element, and of two the one that does. Not where another tensor goes on, a tile is written, or what is read
// may lie outside of a tile.

// CHECK-LABEL: tile.kernel "ends"
// CHECK-NOT:     scf.if
// CHECK:         tile.store %{{.*}}, %2[%{{.*}}]
// CHECK:         tile.store %{{.*}}, %3[%{{.*}}]
// CHECK-NOT:     scf.if
// CHECK-LABEL: tile.kernel "half"
// CHECK:         %[[N:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : i32
// CHECK:         scf.if %[[N]]
// CHECK-NOT:     scf.if
// CHECK-LABEL: tile.kernel "kept"
// CHECK:         scf.if
// CHECK:         scf.if
// CHECK:         scf.if
// CHECK-LABEL: tile.kernel "longer"
// CHECK:         scf.if
tile.program @ends {
  %M = tile.dim "M"
  %A = tile.tensor "A"[] : !tile.buffer<[5000], f16, global>
  %B = tile.tensor "B"[] : !tile.buffer<[5000], f16, global>
  %C = tile.tensor "C"[%M] : !tile.buffer<[?], f16, global>
  %c3 = arith.constant 3 : index
  tile.kernel "ends" grid(%c3) threads(256) {
  ^bb0(%bx: index):
    %c1 = arith.constant 1 : index
    %c2048 = arith.constant 2048 : index
    %c5000 = arith.constant 5000 : index
    %first = arith.muli %bx, %c2048 : index
    tile.parallel (%i) in (%c2048) {
      %at = arith.addi %first, %i : index
      %inside = arith.cmpi slt, %at, %c5000 : index
      scf.if %inside {
        %v = tile.load %A[%at] : !tile.buffer<[5000], f16, global> -> f32
        tile.store %v, %B[%at] : f32, !tile.buffer<[5000], f16, global>
      }
    }
    tile.parallel (%i) in (%c2048) {
      %at = arith.addi %first, %i : index
      %before = arith.subi %at, %c1 : index
      %below = arith.cmpi sge, %at, %c1 : index
      %inside = arith.cmpi sgt, %M, %before : index
      %both = arith.andi %below, %inside : i1
      scf.if %both {
        %v = tile.load %A[%at] : !tile.buffer<[5000], f16, global> -> f32
        tile.store %v, %C[%before] : f32, !tile.buffer<[?], f16, global>
      }
    }
  }
}

tile.program @half {
  %n = tile.scalar "n" i32 : i32
  %A = tile.tensor "A"[] : !tile.buffer<[100, 64], f16, global>
  %B = tile.tensor "B"[] : !tile.buffer<[100, 64], f16, global>
  %c4 = arith.constant 4 : index
  tile.kernel "half" grid(%c4) threads(256) {
  ^bb0(%bx: index):
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c100 = arith.constant 100 : index
    %first = arith.muli %bx, %c32 : index
    tile.parallel (%i, %j) in (%c32, %c64) {
      %row = arith.addi %first, %i : index
      %column = arith.index_cast %j : index to i32
      %ofRow = arith.cmpi slt, %row, %c100 : index
      %ofColumn = arith.cmpi slt, %column, %n : i32
      %both = arith.andi %ofRow, %ofColumn : i1
      scf.if %both {
        %v = tile.load %A[%row, %j] : !tile.buffer<[100, 64], f16, global> -> f32
        tile.store %v, %B[%row, %j] : f32, !tile.buffer<[100, 64], f16, global>
      }
    }
  }
}

tile.program @kept {
  %A = tile.tensor "A"[] : !tile.buffer<[50], f16, global>
  %B = tile.tensor "B"[] : !tile.buffer<[50], f16, global>
  %C = tile.tensor "C"[] : !tile.buffer<[51], f16, global>
  %c1 = arith.constant 1 : index
  tile.kernel "kept" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c64 = arith.constant 64 : index
    %c50 = arith.constant 50 : index
    %s = tile.alloc "s" : !tile.buffer<[64], f16, shared>
    %t = tile.alloc "t" : !tile.buffer<[50], f16, shared>
    tile.parallel (%i) in (%c64) {
      %inside = arith.cmpi slt, %i, %c50 : index
      scf.if %inside {
        %v = tile.load %A[%i] : !tile.buffer<[50], f16, global> -> f32
        tile.store %v, %B[%i] : f32, !tile.buffer<[50], f16, global>
        tile.store %v, %C[%i] : f32, !tile.buffer<[51], f16, global>
      }
    }
    tile.parallel (%i) in (%c64) {
      %inside = arith.cmpi slt, %i, %c50 : index
      scf.if %inside {
        %v = tile.load %A[%i] : !tile.buffer<[50], f16, global> -> f32
        tile.store %v, %s[%i] : f32, !tile.buffer<[64], f16, shared>
      }
    }
    tile.parallel (%i) in (%c64) {
      %inside = arith.cmpi slt, %i, %c50 : index
      scf.if %inside {
        %v = tile.load %t[%i] : !tile.buffer<[50], f16, shared> -> f32
        tile.store %v, %B[%i] : f32, !tile.buffer<[50], f16, global>
      }
    }
  }
}

tile.program @longer {
  %M = tile.dim "M"
  %N = tile.dim "N"
  %A = tile.tensor "A"[%M] : !tile.buffer<[?], f16, global>
  %B = tile.tensor "B"[%N] : !tile.buffer<[?], f16, global>
  %c1 = arith.constant 1 : index
  tile.kernel "longer" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c64 = arith.constant 64 : index
    tile.parallel (%i) in (%c64) {
      %inside = arith.cmpi slt, %i, %M : index
      scf.if %inside {
        %v = tile.load %A[%i] : !tile.buffer<[?], f16, global> -> f32
        tile.store %v, %B[%i] : f32, !tile.buffer<[?], f16, global>
      }
    }
  }
}
