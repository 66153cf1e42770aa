// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-isolate-operands{target=gfx950},tile-infer-layouts{target=gfx950},tile-unroll-held-rows))' | FileCheck %s
//
// A loop through the four rows of F is its rounds, as each lane has all rows of its columns. Mirrored columns are in other
// lanes: that loop stays.

// CHECK-LABEL: tile.kernel "held"
// CHECK:         tile.alloc "R"
// CHECK:         tile.parallel
// CHECK:         tile.parallel
// CHECK-NOT:       tile.for
// CHECK-COUNT-4:   tile.load %F
// CHECK-NOT:       tile.for
// CHECK-LABEL: tile.kernel "mirrored"
// CHECK:         tile.for
tile.program @p {
  %A = tile.tensor "A"[] : !tile.buffer<[4, 256], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "held" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %four = arith.constant 4 : index
    %n = arith.constant 256 : index
    %zero = arith.constant 0.0 : f32
    %F = tile.alloc "F" : !tile.buffer<[4, 256], f32, fragment>
    %R = tile.alloc "R" : !tile.buffer<[256], f32, fragment>
    tile.parallel (%k, %j) in (%four, %n) {
      %x = tile.load %A[%k, %j] : !tile.buffer<[4, 256], f32, global> -> f32
      tile.store %x, %F[%k, %j] : f32, !tile.buffer<[4, 256], f32, fragment>
    }
    tile.parallel (%j) in (%n) {
      %sum = tile.alloc "sum" : !tile.buffer<[], f32, local>
      tile.store %zero, %sum[] : f32, !tile.buffer<[], f32, local>
      tile.for %k = %c0 to %four step %c1 {
        %x = tile.load %F[%k, %j] : !tile.buffer<[4, 256], f32, fragment> -> f32
        %y = tile.load %sum[] : !tile.buffer<[], f32, local> -> f32
        %z = arith.addf %x, %y : f32
        tile.store %z, %sum[] : f32, !tile.buffer<[], f32, local>
      }
      %all = tile.load %sum[] : !tile.buffer<[], f32, local> -> f32
      tile.store %all, %R[%j] : f32, !tile.buffer<[256], f32, fragment>
    }
  }
  tile.kernel "mirrored" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %four = arith.constant 4 : index
    %n = arith.constant 256 : index
    %last = arith.constant 255 : index
    %zero = arith.constant 0.0 : f32
    %F = tile.alloc "F" : !tile.buffer<[4, 256], f32, fragment>
    %R = tile.alloc "R" : !tile.buffer<[256], f32, fragment>
    tile.parallel (%k, %j) in (%four, %n) {
      %x = tile.load %A[%k, %j] : !tile.buffer<[4, 256], f32, global> -> f32
      tile.store %x, %F[%k, %j] : f32, !tile.buffer<[4, 256], f32, fragment>
    }
    tile.parallel (%j) in (%n) {
      %sum = tile.alloc "sum" : !tile.buffer<[], f32, local>
      tile.store %zero, %sum[] : f32, !tile.buffer<[], f32, local>
      tile.for %k = %c0 to %four step %c1 {
        %m = arith.subi %last, %j : index
        %x = tile.load %F[%k, %m] : !tile.buffer<[4, 256], f32, fragment> -> f32
        %y = tile.load %sum[] : !tile.buffer<[], f32, local> -> f32
        %z = arith.addf %x, %y : f32
        tile.store %z, %sum[] : f32, !tile.buffer<[], f32, local>
      }
      %all = tile.load %sum[] : !tile.buffer<[], f32, local> -> f32
      tile.store %all, %R[%j] : f32, !tile.buffer<[256], f32, fragment>
    }
  }
}
