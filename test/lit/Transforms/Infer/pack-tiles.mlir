// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-pack-tiles))' | FileCheck %s
//
// A tile of 4-bit integers that a loop with stages brings lies in shared memory as in the tensor, two of them a byte, and
// its reader takes its half. Without stages it keeps an element a byte.

// CHECK-LABEL: tile.kernel "ahead"
// CHECK:         [[S:%.*]] = tile.alloc "S" : !tile.buffer<[32, 32], ui8, shared>
// CHECK:         [[BYTES:%.*]] = tile.reshape %{{.*}} : !tile.buffer<[32, 512], i4, global> to !tile.buffer<[32, 256], ui8, global>
// CHECK:         [[BOX:%.*]] = tile.subview [[BYTES]]
// CHECK:         tile.copy [[BOX]] to [[S]]
// CHECK:           arith.shrui
// CHECK:           arith.shrsi
// CHECK-LABEL: tile.kernel "alone"
// CHECK:         tile.alloc "S" : !tile.buffer<[32, 64], i4, shared>
// CHECK-NOT:     arith.shrui
tile.program @p {
  %A = tile.tensor "A"[] : !tile.buffer<[32, 512], i4, global>
  %B = tile.tensor "B"[] : !tile.buffer<[32, 512], i32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "ahead" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %m = arith.constant 32 : index
    %n = arith.constant 64 : index
    %S = tile.alloc "S" : !tile.buffer<[32, 64], i4, shared>
    tile.for %k = %c0 to %c8 step %c1 kind(pipelined) stages(2) {
      %at = arith.muli %k, %n : index
      %box = tile.subview %A[%c0, %at] : !tile.buffer<[32, 512], i4, global> to !tile.buffer<[32, 64], i4, global>
      tile.copy %box to %S : !tile.buffer<[32, 64], i4, global>, !tile.buffer<[32, 64], i4, shared>
      tile.parallel (%i, %j) in (%m, %n) {
        %x = tile.load %S[%i, %j] : !tile.buffer<[32, 64], i4, shared> -> i8
        %y = arith.extsi %x : i8 to i32
        %col = arith.addi %at, %j : index
        tile.store %y, %B[%i, %col] : i32, !tile.buffer<[32, 512], i32, global>
      }
    }
  }
  tile.kernel "alone" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %m = arith.constant 32 : index
    %n = arith.constant 64 : index
    %S = tile.alloc "S" : !tile.buffer<[32, 64], i4, shared>
    %box = tile.subview %A[%c0, %c0] : !tile.buffer<[32, 512], i4, global> to !tile.buffer<[32, 64], i4, global>
    tile.copy %box to %S : !tile.buffer<[32, 64], i4, global>, !tile.buffer<[32, 64], i4, shared>
    tile.parallel (%i, %j) in (%m, %n) {
      %x = tile.load %S[%i, %j] : !tile.buffer<[32, 64], i4, shared> -> i8
      %y = arith.extsi %x : i8 to i32
      tile.store %y, %B[%i, %j] : i32, !tile.buffer<[32, 512], i32, global>
    }
  }
}
