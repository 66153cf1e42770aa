// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-simplify-offsets))' | FileCheck %s
//
// The row and the column of a block's place in rows of 4096, from its flat offset; and a remainder
// that stays one, since the rest is not known to be below the divisor.

// CHECK-LABEL: tile.kernel "flat" grid
// CHECK:       ^bb0(%[[BX:.*]]: index, %[[BY:.*]]: index)
// CHECK:         %[[ROW:.*]] = arith.muli %[[BY]], %c128_
// CHECK:         %[[COLUMN:.*]] = arith.muli %[[BX]], %c128_
// CHECK:         tile.subview %{{.*}}[%[[ROW]], %[[COLUMN]]]
tile.program @flat {
  %A = tile.tensor "A"[] : !tile.buffer<[4096, 4096], f32, global>
  %c32 = arith.constant 32 : index
  tile.kernel "flat" grid(%c32, %c32) threads(64) {
  ^bb0(%bx: index, %by: index):
    %zero = arith.constant 0.0 : f32
    %c128 = arith.constant 128 : index
    %c4096 = arith.constant 4096 : index
    %c524288 = arith.constant 524288 : index
    %y = arith.muli %by, %c524288 : index
    %x = arith.muli %bx, %c128 : index
    %whole = arith.addi %y, %x : index
    %row = arith.divui %whole, %c4096 : index
    %column = arith.remui %whole, %c4096 : index
    %v = tile.subview %A[%row, %column] : !tile.buffer<[4096, 4096], f32, global> to !tile.buffer<[128, 128], f32, global>
    tile.fill %zero, %v : f32, !tile.buffer<[128, 128], f32, global>
  }
}

// CHECK-LABEL: tile.kernel "wide" grid
// CHECK:         arith.remui
tile.program @wide {
  %A = tile.tensor "A"[] : !tile.buffer<[4096], f32, global>
  %c64 = arith.constant 64 : index
  tile.kernel "wide" grid(%c64) threads(64) {
  ^bb0(%bx: index):
    %zero = arith.constant 0.0 : f32
    %c128 = arith.constant 128 : index
    %c4096 = arith.constant 4096 : index
    %x = arith.muli %bx, %c128 : index
    %column = arith.remui %x, %c4096 : index
    %v = tile.subview %A[%column] : !tile.buffer<[4096], f32, global> to !tile.buffer<[128], f32, global>
    tile.fill %zero, %v : f32, !tile.buffer<[128], f32, global>
  }
}

// The place of an element of a box of 32 channels, of which a pixel has three: one quotient for all of the box, and a
// remainder that moves by one. Where rows have a part in both, nothing changes.
// CHECK-LABEL: tile.kernel "channels" grid
// CHECK:         %[[C96:.*]] = arith.constant 96 : index
// CHECK:         tile.for %[[K:[^ ]*]] =
// CHECK-NEXT:      tile.parallel (%[[I:.*]], %[[J:.*]]) in
// CHECK:             %[[THREE:.*]] = arith.constant 3 : index
// CHECK-NEXT:        %[[PIXEL:.*]] = arith.divui %[[K]], %[[THREE]]
// CHECK:             %[[REST:.*]] = arith.remui %[[K]],
// CHECK:             %[[OFFSET:.*]] = arith.muli %[[REST]],
// CHECK-NEXT:        %[[CHANNEL:.*]] = arith.addi %[[J]], %[[OFFSET]]
// CHECK:             %[[ROW:.*]] = arith.divui %{{.*}}, %[[C96]]
// CHECK:             tile.load %{{.*}}[%[[PIXEL]], %[[ROW]], %[[CHANNEL]]]
tile.program @channels {
  %A = tile.tensor "A"[] : !tile.buffer<[8, 8, 96], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "channels" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c9 = arith.constant 9 : index
    %c32 = arith.constant 32 : index
    %c96 = arith.constant 96 : index
    %tile = tile.alloc "tile" : !tile.buffer<[4, 32], f32, shared>
    tile.for %k = %c0 to %c9 step %c1 {
      tile.parallel (%i, %j) in (%c4, %c32) {
        %k32 = arith.muli %k, %c32 : index
        %at = arith.addi %k32, %j : index
        %pixel = arith.divui %at, %c96 : index
        %channel = arith.remui %at, %c96 : index
        %i32 = arith.muli %i, %c32 : index
        %both = arith.addi %i32, %j : index
        %row = arith.divui %both, %c96 : index
        %v = tile.load %A[%pixel, %row, %channel] : !tile.buffer<[8, 8, 96], f32, global> -> f32
        tile.store %v, %tile[%i, %j] : f32, !tile.buffer<[4, 32], f32, shared>
      }
    }
  }
}

// Nibbles of a tensor whose rows a loop goes along: what is a multiple of the divisor, all elements have in common, so
// that which bytes are neighbours is seen in the element's part alone. A sum that may be negative stays.
// CHECK-LABEL: tile.kernel "nibbles" grid
// CHECK:         tile.for %[[K:[^ ]*]] =
// CHECK-NEXT:      tile.parallel (%[[I:.*]], %[[J:.*]]) in
// CHECK:             %[[HALF:.*]] = arith.divui %[[J]], %{{.*}}
// CHECK:             %[[COMMON:.*]] = arith.muli %[[K]], %{{.*}}
// CHECK:             %[[BYTE:.*]] = arith.addi %[[COMMON]], %[[HALF]]
// CHECK:             %[[WHICH:.*]] = arith.remui %[[J]], %{{.*}}
// CHECK:             tile.load %{{.*}}[%[[I]], %[[BYTE]], %[[WHICH]]]
// CHECK:             %[[BEHIND:.*]] = arith.subi
// CHECK:             %[[AT:.*]] = arith.divsi %[[BEHIND]],
// CHECK:             tile.load %{{.*}}[%[[I]], %[[AT]], %[[WHICH]]]
tile.program @nibbles {
  %A = tile.tensor "A"[] : !tile.buffer<[4, 144, 2], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "nibbles" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c9 = arith.constant 9 : index
    %c32 = arith.constant 32 : index
    %tile = tile.alloc "tile" : !tile.buffer<[4, 32], f32, shared>
    tile.for %k = %c0 to %c9 step %c1 {
      tile.parallel (%i, %j) in (%c4, %c32) {
        %k32 = arith.muli %k, %c32 : index
        %at = arith.addi %k32, %j : index
        %byte = arith.divui %at, %c2 : index
        %which = arith.remui %at, %c2 : index
        %v = tile.load %A[%i, %byte, %which] : !tile.buffer<[4, 144, 2], f32, global> -> f32
        %behind = arith.subi %j, %k32 : index
        %less = arith.divsi %behind, %c2 : index
        %w = tile.load %A[%i, %less, %which] : !tile.buffer<[4, 144, 2], f32, global> -> f32
        %sum = arith.addf %v, %w : f32
        tile.store %sum, %tile[%i, %j] : f32, !tile.buffer<[4, 32], f32, shared>
      }
    }
  }
}
