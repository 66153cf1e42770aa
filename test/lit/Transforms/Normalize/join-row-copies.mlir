// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-join-row-copies))' | FileCheck %s
//
// Rows, and pages of rows, that a serial loop copies to a tile are brought by one parallel. What lies over other
// iterations' rows stays a loop, as do boxes that are no whole rows, two copies of which either is the later one for
// some rows, tiles of three dimensions, and rows that go to places that a tensor says.

// CHECK-LABEL: tile.program @rows
// CHECK-NOT:     tile.for
// CHECK:         tile.parallel (%[[I:[a-z0-9]+]], %[[J:[a-z0-9]+]]) in
// CHECK:           tile.load %{{[0-9]+}}[%[[I]]]
// CHECK:           tile.store %{{[0-9]+}}, %t[%[[I]], %[[J]]]
tile.program @rows {
  %A = tile.tensor "A"[] : !tile.buffer<[256, 32], f16, global>
  %Ids = tile.tensor "Ids"[] : !tile.buffer<[64], i32, global>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 64 : index
  tile.kernel "rows" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %t = tile.alloc "t" : !tile.buffer<[64, 32], f16, shared>
    tile.for %i = %c0 to %n step %c1 {
      %id = tile.load %Ids[%i] : !tile.buffer<[64], i32, global> -> i32
      %at = arith.index_cast %id : i32 to index
      %from = tile.subview %A[%at, %c0] : !tile.buffer<[256, 32], f16, global> to !tile.buffer<[1, 32], f16, global>
      %rows = tile.subview %t[%i, %c0] : !tile.buffer<[64, 32], f16, shared> to !tile.buffer<[1, 32], f16, shared>
      tile.copy %from to %rows : !tile.buffer<[1, 32], f16, global>, !tile.buffer<[1, 32], f16, shared>
    }
  }
}

// CHECK-LABEL: tile.program @pages
// CHECK-NOT:     tile.for
// CHECK:         tile.parallel (%[[I:[a-z0-9]+]], %[[J:[a-z0-9]+]]) in
// CHECK-DAG:       %[[PAGE:[0-9]+]] = arith.divui %[[I]]
// CHECK-DAG:       %[[ROW:[0-9]+]] = arith.remui %[[I]]
// CHECK:           tile.load %{{[0-9]+}}[%[[PAGE]]]
// CHECK:           arith.addi %{{[0-9]+}}, %[[ROW]]
// CHECK:           tile.store %{{[0-9]+}}, %t[%[[I]], %[[J]]]
tile.program @pages {
  %A = tile.tensor "A"[] : !tile.buffer<[256, 32], f16, global>
  %Ids = tile.tensor "Ids"[] : !tile.buffer<[64], i32, global>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 4 : index
  tile.kernel "pages" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %t = tile.alloc "t" : !tile.buffer<[64, 32], f16, shared>
    tile.for %i = %c0 to %n step %c1 {
      %id = tile.load %Ids[%i] : !tile.buffer<[64], i32, global> -> i32
      %at = arith.index_cast %id : i32 to index
      %to = arith.muli %i, %c16 : index
      %from = tile.subview %A[%at, %c0] : !tile.buffer<[256, 32], f16, global> to !tile.buffer<[16, 32], f16, global>
      %rows = tile.subview %t[%to, %c0] : !tile.buffer<[64, 32], f16, shared> to !tile.buffer<[16, 32], f16, shared>
      tile.copy %from to %rows : !tile.buffer<[16, 32], f16, global>, !tile.buffer<[16, 32], f16, shared>
    }
  }
}

// CHECK-LABEL: tile.program @over
// CHECK:         tile.for
// CHECK:           tile.copy
tile.program @over {
  %A = tile.tensor "A"[] : !tile.buffer<[256, 32], f16, global>
  %Ids = tile.tensor "Ids"[] : !tile.buffer<[64], i32, global>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 4 : index
  tile.kernel "over" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %t = tile.alloc "t" : !tile.buffer<[64, 32], f16, shared>
    tile.for %i = %c0 to %n step %c1 {
      %id = tile.load %Ids[%i] : !tile.buffer<[64], i32, global> -> i32
      %at = arith.index_cast %id : i32 to index
      %from = tile.subview %A[%at, %c0] : !tile.buffer<[256, 32], f16, global> to !tile.buffer<[16, 32], f16, global>
      %rows = tile.subview %t[%i, %c0] : !tile.buffer<[64, 32], f16, shared> to !tile.buffer<[16, 32], f16, shared>
      tile.copy %from to %rows : !tile.buffer<[16, 32], f16, global>, !tile.buffer<[16, 32], f16, shared>
    }
  }
}

// CHECK-LABEL: tile.program @both
// CHECK:         tile.for
// CHECK:           tile.copy
// CHECK:           tile.copy
tile.program @both {
  %A = tile.tensor "A"[] : !tile.buffer<[256, 32], f16, global>
  %Ids = tile.tensor "Ids"[] : !tile.buffer<[64], i32, global>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 4 : index
  tile.kernel "both" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %t = tile.alloc "t" : !tile.buffer<[64, 32], f16, shared>
    tile.for %i = %c0 to %n step %c1 {
      %id = tile.load %Ids[%i] : !tile.buffer<[64], i32, global> -> i32
      %at = arith.index_cast %id : i32 to index
      %from = tile.subview %A[%at, %c0] : !tile.buffer<[256, 32], f16, global> to !tile.buffer<[1, 32], f16, global>
      %rows = tile.subview %t[%i, %c0] : !tile.buffer<[64, 32], f16, shared> to !tile.buffer<[1, 32], f16, shared>
      tile.copy %from to %rows : !tile.buffer<[1, 32], f16, global>, !tile.buffer<[1, 32], f16, shared>
      %to = arith.muli %i, %c16 : index
      %other = tile.subview %A[%at, %c0] : !tile.buffer<[256, 32], f16, global> to !tile.buffer<[16, 32], f16, global>
      %page = tile.subview %t[%to, %c0] : !tile.buffer<[64, 32], f16, shared> to !tile.buffer<[16, 32], f16, shared>
      tile.copy %other to %page : !tile.buffer<[16, 32], f16, global>, !tile.buffer<[16, 32], f16, shared>
    }
  }
}

// CHECK-LABEL: tile.program @columns
// CHECK:         tile.for
// CHECK:           tile.copy
tile.program @columns {
  %A = tile.tensor "A"[] : !tile.buffer<[256, 32], f16, global>
  %Ids = tile.tensor "Ids"[] : !tile.buffer<[64], i32, global>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 64 : index
  tile.kernel "columns" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %t = tile.alloc "t" : !tile.buffer<[64, 32], f16, shared>
    tile.for %i = %c0 to %n step %c1 {
      %id = tile.load %Ids[%i] : !tile.buffer<[64], i32, global> -> i32
      %at = arith.index_cast %id : i32 to index
      %from = tile.subview %A[%at, %c0] : !tile.buffer<[256, 32], f16, global> to !tile.buffer<[1, 16], f16, global>
      %rows = tile.subview %t[%i, %c0] : !tile.buffer<[64, 32], f16, shared> to !tile.buffer<[1, 16], f16, shared>
      tile.copy %from to %rows : !tile.buffer<[1, 16], f16, global>, !tile.buffer<[1, 16], f16, shared>
    }
  }
}

// CHECK-LABEL: tile.program @tiles
// CHECK:         tile.for
// CHECK:           tile.copy
tile.program @tiles {
  %A = tile.tensor "A"[] : !tile.buffer<[256, 32], f16, global>
  %Ids = tile.tensor "Ids"[] : !tile.buffer<[64], i32, global>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 2 : index
  tile.kernel "tiles" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %t = tile.alloc "t" : !tile.buffer<[2, 64, 32], f16, shared>
    tile.for %i = %c0 to %n step %c1 {
      %id = tile.load %Ids[%i] : !tile.buffer<[64], i32, global> -> i32
      %at = arith.index_cast %id : i32 to index
      %from = tile.subview %A[%at, %c0] : !tile.buffer<[256, 32], f16, global> to !tile.buffer<[64, 32], f16, global>
      %rows = tile.subview %t[%i, %c0, %c0] : !tile.buffer<[2, 64, 32], f16, shared> to !tile.buffer<[1, 64, 32], f16, shared>
      tile.copy %from to %rows : !tile.buffer<[64, 32], f16, global>, !tile.buffer<[1, 64, 32], f16, shared>
    }
  }
}

// CHECK-LABEL: tile.program @stored
// CHECK-NOT:     tile.for
// CHECK:         tile.parallel (%[[I:[a-z0-9]+]], %[[J:[a-z0-9]+]]) in
// CHECK:           tile.load %t[%[[I]], %[[J]]]
// CHECK:           tile.store
tile.program @stored {
  %A = tile.tensor "A"[] : !tile.buffer<[256, 32], f16, global>
  %Ids = tile.tensor "Ids"[] : !tile.buffer<[64], i32, global>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 64 : index
  tile.kernel "stored" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %t = tile.alloc "t" : !tile.buffer<[64, 32], f16, shared>
    tile.for %i = %c0 to %n step %c1 {
      %id = tile.load %Ids[%i] : !tile.buffer<[64], i32, global> -> i32
      %at = arith.index_cast %id : i32 to index
      %rows = tile.subview %t[%i, %c0] : !tile.buffer<[64, 32], f16, shared> to !tile.buffer<[1, 32], f16, shared>
      %to = tile.subview %A[%i, %c0] : !tile.buffer<[256, 32], f16, global> to !tile.buffer<[1, 32], f16, global>
      tile.copy %rows to %to : !tile.buffer<[1, 32], f16, shared>, !tile.buffer<[1, 32], f16, global>
    }
  }
}

// CHECK-LABEL: tile.program @scattered
// CHECK:         tile.for
// CHECK:           tile.copy
tile.program @scattered {
  %A = tile.tensor "A"[] : !tile.buffer<[256, 32], f16, global>
  %Ids = tile.tensor "Ids"[] : !tile.buffer<[64], i32, global>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 64 : index
  tile.kernel "scattered" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %t = tile.alloc "t" : !tile.buffer<[64, 32], f16, shared>
    tile.for %i = %c0 to %n step %c1 {
      %id = tile.load %Ids[%i] : !tile.buffer<[64], i32, global> -> i32
      %at = arith.index_cast %id : i32 to index
      %rows = tile.subview %t[%i, %c0] : !tile.buffer<[64, 32], f16, shared> to !tile.buffer<[1, 32], f16, shared>
      %to = tile.subview %A[%at, %c0] : !tile.buffer<[256, 32], f16, global> to !tile.buffer<[1, 32], f16, global>
      tile.copy %rows to %to : !tile.buffer<[1, 32], f16, shared>, !tile.buffer<[1, 32], f16, global>
    }
  }
}
