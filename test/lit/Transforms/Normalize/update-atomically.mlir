// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-update-atomically))' | FileCheck %s
//
// A sum in an element that memory names is an atomic one, and what only the old value was for is gone; a sum in an
// element of the iteration's own is not.

// CHECK-LABEL: tile.program @counts
// CHECK:         [[X:%[0-9]+]] = tile.tensor "X"
// CHECK:         tile.parallel
// CHECK:           [[AT:%[0-9]+]] = arith.index_cast
// CHECK-NOT:       tile.load [[X]]
// CHECK:           tile.atomic add %{{.*}}, [[X]][[[AT]]]
// CHECK:         tile.parallel
// CHECK:           tile.load [[X]]
// CHECK:           tile.store {{.*}}, [[X]][
tile.program @counts {
  %I = tile.tensor "I"[] : !tile.buffer<[64], i32, global>
  %X = tile.tensor "X"[] : !tile.buffer<[64], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "counts" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    tile.parallel (%i) in (%c64) {
      %n = tile.load %I[%i] : !tile.buffer<[64], i32, global> -> i32
      %at = arith.index_cast %n : i32 to index
      %old = tile.load %X[%at] : !tile.buffer<[64], f32, global> -> f32
      %new = arith.addf %old, %one : f32
      tile.store %new, %X[%at] : f32, !tile.buffer<[64], f32, global>
    }
    tile.parallel (%i) in (%c64) {
      %old = tile.load %X[%i] : !tile.buffer<[64], f32, global> -> f32
      %new = arith.addf %old, %one : f32
      tile.store %new, %X[%i] : f32, !tile.buffer<[64], f32, global>
    }
  }
}
