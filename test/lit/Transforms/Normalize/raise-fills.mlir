// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-raise-fills))' | FileCheck %s
//
// A fill of a whole fragment or shared tile stays an op, and a parallel that does nothing else becomes
// such ops, so that later passes find all fills in one form.

// What the view is all of is named itself.
// CHECK-LABEL: tile.program @kept
// CHECK-NOT:   tile.parallel
// CHECK-DAG:   tile.fill %{{.*}}, %F : f32, !tile.buffer<[32, 64], f32, fragment>
// CHECK-DAG:   tile.fill %{{.*}}, %S : f32, !tile.buffer<[32, 64], f16, shared>
// CHECK-NOT:   tile.parallel
tile.program @kept {
  %c1 = arith.constant 1 : index
  tile.kernel "kept" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %F = tile.alloc "F" : !tile.buffer<[32, 64], f32, fragment>
    %S = tile.alloc "S" : !tile.buffer<[32, 64], f16, shared>
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %whole = tile.subview %S[%c0, %c0] : !tile.buffer<[32, 64], f16, shared> to !tile.buffer<[32, 64], f16, shared>
    tile.fill %zero, %F : f32, !tile.buffer<[32, 64], f32, fragment>
    tile.fill %zero, %whole : f32, !tile.buffer<[32, 64], f16, shared>
  }
}

// A loop that fills two tiles is two fills, in its order, with values from in front of it.
// CHECK-LABEL: tile.program @raised
// CHECK:       %[[SUM:.*]] = arith.addf
// CHECK-NOT:   tile.parallel
// CHECK:       tile.fill %[[SUM]], %F
// CHECK:       tile.fill %{{.*}}, %G
// CHECK-NOT:   tile.parallel
tile.program @raised {
  %x = tile.scalar "x" f32 : f32
  %c1 = arith.constant 1 : index
  tile.kernel "raised" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %F = tile.alloc "F" : !tile.buffer<[32, 64], f32, fragment>
    %G = tile.alloc "G" : !tile.buffer<[32, 64], f32, fragment>
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    tile.parallel (%i, %j) in (%c32, %c64) {
      %low = arith.constant 0xFF800000 : f32
      %sum = arith.addf %x, %x : f32
      tile.store %sum, %F[%i, %j] : f32, !tile.buffer<[32, 64], f32, fragment>
      tile.store %low, %G[%i, %j] : f32, !tile.buffer<[32, 64], f32, fragment>
    }
  }
}

// A fragment that a loop fills beside what it does, and reads nothing of, is filled in front of it. A
// shared tile is not: that would be another round of writes.
// CHECK-LABEL: tile.program @beside
// CHECK:       tile.fill %{{.*}}, %F
// CHECK-NOT:   tile.fill
// CHECK:       tile.parallel
// CHECK-NOT:     tile.store %{{.*}}, %F
// CHECK:         tile.store %{{.*}}, %S
// CHECK-NEXT:    tile.store %{{.*}}, %H
// CHECK-NEXT:    tile.load %H
tile.program @beside {
  %A = tile.tensor "A"[] : !tile.buffer<[32, 64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "beside" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %F = tile.alloc "F" : !tile.buffer<[32, 64], f32, fragment>
    %H = tile.alloc "H" : !tile.buffer<[32, 64], f32, fragment>
    %S = tile.alloc "S" : !tile.buffer<[32, 64], f32, shared>
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    tile.parallel (%i, %j) in (%c32, %c64) {
      tile.store %zero, %F[%i, %j] : f32, !tile.buffer<[32, 64], f32, fragment>
      tile.store %zero, %S[%i, %j] : f32, !tile.buffer<[32, 64], f32, shared>
      tile.store %zero, %H[%i, %j] : f32, !tile.buffer<[32, 64], f32, fragment>
      %h = tile.load %H[%i, %j] : !tile.buffer<[32, 64], f32, fragment> -> f32
      tile.store %h, %A[%i, %j] : f32, !tile.buffer<[32, 64], f32, global>
    }
  }
}

// No fills of a whole tile: a value that the round changes, another order of the elements, a part of
// the tile, a read besides.
// CHECK-LABEL: tile.program @others
// CHECK-NOT:   tile.fill
// CHECK-COUNT-4: tile.parallel
// CHECK-NOT:   tile.fill
tile.program @others {
  %A = tile.tensor "A"[] : !tile.buffer<[32, 32], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "others" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %F = tile.alloc "F" : !tile.buffer<[32, 32], f32, fragment>
    %S = tile.alloc "S" : !tile.buffer<[32, 32], f32, shared>
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    tile.parallel (%i, %j) in (%c32, %c32) {
      %n = arith.index_cast %j : index to i32
      %x = arith.sitofp %n : i32 to f32
      tile.store %x, %F[%i, %j] : f32, !tile.buffer<[32, 32], f32, fragment>
    }
    tile.parallel (%i, %j) in (%c32, %c32) {
      tile.store %zero, %S[%j, %i] : f32, !tile.buffer<[32, 32], f32, shared>
    }
    tile.parallel (%i, %j) in (%c16, %c32) {
      tile.store %zero, %F[%i, %j] : f32, !tile.buffer<[32, 32], f32, fragment>
    }
    tile.parallel (%i, %j) in (%c32, %c32) {
      %a = tile.load %A[%i, %j] : !tile.buffer<[32, 32], f32, global> -> f32
      tile.store %a, %F[%i, %j] : f32, !tile.buffer<[32, 32], f32, fragment>
      tile.store %zero, %S[%i, %j] : f32, !tile.buffer<[32, 32], f32, shared>
    }
  }
}
