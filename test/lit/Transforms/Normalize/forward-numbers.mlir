// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-forward-numbers))' | FileCheck %s
//
// What finds rows by a tile that its round fills with numbers of a tensor reads these itself, and the tile's fill is gone;
// it stays where others read it. A table that each element has a place in, and numbers that the kernel writes, are left.

// CHECK-LABEL: tile.program @copied
// CHECK:         tile.for %[[K:[a-z0-9]+]] =
// CHECK-NOT:     tile.copy
// CHECK:         %[[FIRST:[0-9]+]] = arith.muli %[[K]]
// CHECK:         tile.parallel (%[[I:[a-z0-9]+]], %[[J:[a-z0-9]+]]) in
// CHECK:           %[[ROW:[0-9]+]] = tile.load %{{.*}} : !tile.buffer<[64], i32, global>
// CHECK:           %[[INDEX:[0-9]+]] = arith.index_cast %[[ROW]]
// CHECK:           tile.load %{{[0-9]+}}[%[[INDEX]], %[[J]]]
tile.program @copied {
  %Rows = tile.tensor "Rows"[] : !tile.buffer<[64], i32, global>
  %B = tile.tensor "B"[] : !tile.buffer<[32, 16], f16, global>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  tile.kernel "copied" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %t = tile.alloc "t" : !tile.buffer<[8], i32, shared>
    %b = tile.alloc "b" : !tile.buffer<[8, 16], f16, shared>
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) stages(2) {
      %first = arith.muli %k, %c8 : index
      %view = tile.subview %Rows[%first] : !tile.buffer<[64], i32, global> to !tile.buffer<[8], i32, global>
      tile.copy %view to %t : !tile.buffer<[8], i32, global>, !tile.buffer<[8], i32, shared>
      tile.parallel (%i, %j) in (%c8, %c16) {
        %row = tile.load %t[%i] : !tile.buffer<[8], i32, shared> -> i32
        %index = arith.index_cast %row : i32 to index
        %x = tile.load %B[%index, %j] : !tile.buffer<[32, 16], f16, global> -> f32
        tile.store %x, %b[%i, %j] : f32, !tile.buffer<[8, 16], f16, shared>
      }
    }
  }
}

// CHECK-LABEL: tile.program @computed
// CHECK-NOT:     tile.store %{{.*}}, %t
// CHECK:         tile.parallel (%[[I:[a-z0-9]+]], %[[J:[a-z0-9]+]]) in
// CHECK:           %[[AT:[0-9]+]] = arith.addi %{{[0-9]+}}, %[[I]]
// CHECK:           %[[ROW:[0-9]+]] = tile.load %{{[0-9]+}}[%[[AT]]]
// CHECK:           %[[TWICE:[0-9]+]] = arith.addi %[[ROW]], %[[ROW]]
// CHECK:           %[[INDEX:[0-9]+]] = arith.index_cast %[[TWICE]]
// CHECK:           tile.load %{{[0-9]+}}[%[[INDEX]], %[[J]]]
tile.program @computed {
  %Rows = tile.tensor "Rows"[] : !tile.buffer<[64], i32, global>
  %B = tile.tensor "B"[] : !tile.buffer<[32, 16], f16, global>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  tile.kernel "computed" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %t = tile.alloc "t" : !tile.buffer<[8], i32, shared>
    %b = tile.alloc "b" : !tile.buffer<[8, 16], f16, shared>
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) stages(2) {
      %first = arith.muli %k, %c8 : index
      tile.parallel (%n) in (%c8) {
        %at = arith.addi %first, %n : index
        %number = tile.load %Rows[%at] : !tile.buffer<[64], i32, global> -> i32
        %twice = arith.addi %number, %number : i32
        tile.store %twice, %t[%n] : i32, !tile.buffer<[8], i32, shared>
      }
      tile.parallel (%i, %j) in (%c8, %c16) {
        %row = tile.load %t[%i] : !tile.buffer<[8], i32, shared> -> i32
        %index = arith.index_cast %row : i32 to index
        %x = tile.load %B[%index, %j] : !tile.buffer<[32, 16], f16, global> -> f32
        tile.store %x, %b[%i, %j] : f32, !tile.buffer<[8, 16], f16, shared>
      }
    }
  }
}

// CHECK-LABEL: tile.program @seen
// CHECK:         tile.copy %{{[0-9]+}} to %t
// CHECK:         tile.load %{{[0-9]+}}[%{{[0-9]+}}] : !tile.buffer<[64], i32, global>
// CHECK:         tile.parallel
// CHECK:           tile.load %t
tile.program @seen {
  %Rows = tile.tensor "Rows"[] : !tile.buffer<[64], i32, global>
  %B = tile.tensor "B"[] : !tile.buffer<[32, 16], f16, global>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  tile.kernel "seen" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %t = tile.alloc "t" : !tile.buffer<[8], i32, shared>
    %b = tile.alloc "b" : !tile.buffer<[8, 16], f16, shared>
    %u = tile.alloc "u" : !tile.buffer<[8], i32, fragment>
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) stages(2) {
      %first = arith.muli %k, %c8 : index
      %view = tile.subview %Rows[%first] : !tile.buffer<[64], i32, global> to !tile.buffer<[8], i32, global>
      tile.copy %view to %t : !tile.buffer<[8], i32, global>, !tile.buffer<[8], i32, shared>
      tile.parallel (%i, %j) in (%c8, %c16) {
        %row = tile.load %t[%i] : !tile.buffer<[8], i32, shared> -> i32
        %index = arith.index_cast %row : i32 to index
        %x = tile.load %B[%index, %j] : !tile.buffer<[32, 16], f16, global> -> f32
        tile.store %x, %b[%i, %j] : f32, !tile.buffer<[8, 16], f16, shared>
      }
      tile.parallel (%i) in (%c8) {
        %row = tile.load %t[%i] : !tile.buffer<[8], i32, shared> -> i32
        tile.store %row, %u[%i] : i32, !tile.buffer<[8], i32, fragment>
      }
    }
  }
}

// CHECK-LABEL: tile.program @table
// CHECK:         tile.load %t
tile.program @table {
  %Rows = tile.tensor "Rows"[] : !tile.buffer<[64], i32, global>
  %B = tile.tensor "B"[] : !tile.buffer<[32, 16], f16, global>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  tile.kernel "table" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %t = tile.alloc "t" : !tile.buffer<[8], i32, shared>
    %b = tile.alloc "b" : !tile.buffer<[8, 16], f16, shared>
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) stages(2) {
      %first = arith.muli %k, %c8 : index
      %view = tile.subview %Rows[%first] : !tile.buffer<[64], i32, global> to !tile.buffer<[8], i32, global>
      tile.copy %view to %t : !tile.buffer<[8], i32, global>, !tile.buffer<[8], i32, shared>
      tile.parallel (%i, %j) in (%c8, %c8) {
        %row = tile.load %t[%j] : !tile.buffer<[8], i32, shared> -> i32
        %index = arith.index_cast %row : i32 to index
        %x = tile.load %B[%index, %i] : !tile.buffer<[32, 16], f16, global> -> f32
        tile.store %x, %b[%i, %j] : f32, !tile.buffer<[8, 16], f16, shared>
      }
    }
  }
}

// CHECK-LABEL: tile.program @written
// CHECK:         tile.load %t
tile.program @written {
  %Rows = tile.tensor "Rows"[] : !tile.buffer<[64], i32, global>
  %B = tile.tensor "B"[] : !tile.buffer<[32, 16], f16, global>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  tile.kernel "written" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %t = tile.alloc "t" : !tile.buffer<[8], i32, shared>
    %b = tile.alloc "b" : !tile.buffer<[8, 16], f16, shared>
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) stages(2) {
      %first = arith.muli %k, %c8 : index
      tile.parallel (%n) in (%c8) {
        %at = arith.addi %first, %n : index
        %zero = arith.constant 0 : i32
        tile.store %zero, %Rows[%at] : i32, !tile.buffer<[64], i32, global>
      }
      %view = tile.subview %Rows[%first] : !tile.buffer<[64], i32, global> to !tile.buffer<[8], i32, global>
      tile.copy %view to %t : !tile.buffer<[8], i32, global>, !tile.buffer<[8], i32, shared>
      tile.parallel (%i, %j) in (%c8, %c16) {
        %row = tile.load %t[%i] : !tile.buffer<[8], i32, shared> -> i32
        %index = arith.index_cast %row : i32 to index
        %x = tile.load %B[%index, %j] : !tile.buffer<[32, 16], f16, global> -> f32
        tile.store %x, %b[%i, %j] : f32, !tile.buffer<[8, 16], f16, shared>
      }
    }
  }
}

// CHECK-LABEL: tile.program @serial
// CHECK:         tile.load %t
tile.program @serial {
  %Rows = tile.tensor "Rows"[] : !tile.buffer<[64], i32, global>
  %B = tile.tensor "B"[] : !tile.buffer<[32, 16], f16, global>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  tile.kernel "serial" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %t = tile.alloc "t" : !tile.buffer<[8], i32, shared>
    %b = tile.alloc "b" : !tile.buffer<[8, 16], f16, shared>
    tile.for %k = %c0 to %c8 step %c1 kind(serial) stages(2) {
      %first = arith.muli %k, %c8 : index
      %view = tile.subview %Rows[%first] : !tile.buffer<[64], i32, global> to !tile.buffer<[8], i32, global>
      tile.copy %view to %t : !tile.buffer<[8], i32, global>, !tile.buffer<[8], i32, shared>
      tile.parallel (%i, %j) in (%c8, %c16) {
        %row = tile.load %t[%i] : !tile.buffer<[8], i32, shared> -> i32
        %index = arith.index_cast %row : i32 to index
        %x = tile.load %B[%index, %j] : !tile.buffer<[32, 16], f16, global> -> f32
        tile.store %x, %b[%i, %j] : f32, !tile.buffer<[8, 16], f16, shared>
      }
    }
  }
}
