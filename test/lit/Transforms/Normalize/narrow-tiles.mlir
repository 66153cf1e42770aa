// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-narrow-tiles))' | FileCheck %s
//
// Tiles of a product lose the columns that no tensor gets: W and Y have 72 of the 256 (128 stay, for matrix instructions
// of eight waves). Not where a parallel uses the tile of the sum, or Y goes on behind the block.

// CHECK-LABEL: tile.kernel "narrow"
// CHECK:         tile.alloc "b" : !tile.buffer<[64, 128], f16, shared>
// CHECK:         tile.alloc "c" : !tile.buffer<[64, 128], f32, fragment>
// CHECK:         tile.alloc "o" : !tile.buffer<[64, 128], f16, shared>
// CHECK:         tile.subview %{{.*}} to !tile.buffer<[64, 128], f16, global>
// CHECK:         tile.gemm %a, %b, %c : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 128], f16, shared>, !tile.buffer<[64, 128], f32, fragment>
// CHECK:         tile.subview %{{.*}} to !tile.buffer<[64, 128], f16, global>
// CHECK-LABEL: tile.kernel "used"
// CHECK:         tile.alloc "b" : !tile.buffer<[64, 256], f16, shared>
// CHECK-LABEL: tile.kernel "wide"
// CHECK:         tile.alloc "b" : !tile.buffer<[64, 256], f16, shared>
tile.program @narrow {
  %X = tile.tensor "X"[] : !tile.buffer<[128, 64], f16, global>
  %W = tile.tensor "W"[] : !tile.buffer<[64, 72], f16, global>
  %Y = tile.tensor "Y"[] : !tile.buffer<[128, 72], f16, global>
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %blocks = arith.constant 1 : index
  tile.kernel "narrow" grid(%blocks, %c2) threads(256) {
  ^bb0(%bx: index, %by: index):
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0.0 : f32
    %row = arith.muli %by, %c64 : index
    %column = arith.muli %bx, %c256 : index
    %a = tile.alloc "a" : !tile.buffer<[64, 64], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[64, 256], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[64, 256], f32, fragment>
    %o = tile.alloc "o" : !tile.buffer<[64, 256], f16, shared>
    tile.fill %zero, %c : f32, !tile.buffer<[64, 256], f32, fragment>
    %x = tile.subview %X[%row, %c0] : !tile.buffer<[128, 64], f16, global> to !tile.buffer<[64, 64], f16, global>
    tile.copy %x to %a : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
    %w = tile.subview %W[%c0, %column] : !tile.buffer<[64, 72], f16, global> to !tile.buffer<[64, 256], f16, global>
    tile.copy %w to %b : !tile.buffer<[64, 256], f16, global>, !tile.buffer<[64, 256], f16, shared>
    tile.gemm %a, %b, %c : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 256], f16, shared>, !tile.buffer<[64, 256], f32, fragment>
    tile.copy %c to %o : !tile.buffer<[64, 256], f32, fragment>, !tile.buffer<[64, 256], f16, shared>
    %y = tile.subview %Y[%row, %column] : !tile.buffer<[128, 72], f16, global> to !tile.buffer<[64, 256], f16, global>
    tile.copy %o to %y : !tile.buffer<[64, 256], f16, shared>, !tile.buffer<[64, 256], f16, global>
  }
}

tile.program @used {
  %X = tile.tensor "X"[] : !tile.buffer<[128, 64], f16, global>
  %W = tile.tensor "W"[] : !tile.buffer<[64, 72], f16, global>
  %Y = tile.tensor "Y"[] : !tile.buffer<[128, 72], f16, global>
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %blocks = arith.constant 1 : index
  tile.kernel "used" grid(%blocks, %c2) threads(256) {
  ^bb0(%bx: index, %by: index):
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0.0 : f32
    %row = arith.muli %by, %c64 : index
    %column = arith.muli %bx, %c256 : index
    %a = tile.alloc "a" : !tile.buffer<[64, 64], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[64, 256], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[64, 256], f32, fragment>
    %o = tile.alloc "o" : !tile.buffer<[64, 256], f16, shared>
    tile.fill %zero, %c : f32, !tile.buffer<[64, 256], f32, fragment>
    %x = tile.subview %X[%row, %c0] : !tile.buffer<[128, 64], f16, global> to !tile.buffer<[64, 64], f16, global>
    tile.copy %x to %a : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
    %w = tile.subview %W[%c0, %column] : !tile.buffer<[64, 72], f16, global> to !tile.buffer<[64, 256], f16, global>
    tile.copy %w to %b : !tile.buffer<[64, 256], f16, global>, !tile.buffer<[64, 256], f16, shared>
    tile.gemm %a, %b, %c : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 256], f16, shared>, !tile.buffer<[64, 256], f32, fragment>
    tile.parallel (%i, %j) in (%c64, %c256) {
      %v = tile.load %c[%i, %j] : !tile.buffer<[64, 256], f32, fragment> -> f32
      %r = arith.negf %v : f32
      tile.store %r, %c[%i, %j] : f32, !tile.buffer<[64, 256], f32, fragment>
    }
    tile.copy %c to %o : !tile.buffer<[64, 256], f32, fragment>, !tile.buffer<[64, 256], f16, shared>
    %y = tile.subview %Y[%row, %column] : !tile.buffer<[128, 72], f16, global> to !tile.buffer<[64, 256], f16, global>
    tile.copy %o to %y : !tile.buffer<[64, 256], f16, shared>, !tile.buffer<[64, 256], f16, global>
  }
}

tile.program @wide {
  %X = tile.tensor "X"[] : !tile.buffer<[128, 64], f16, global>
  %W = tile.tensor "W"[] : !tile.buffer<[64, 328], f16, global>
  %Y = tile.tensor "Y"[] : !tile.buffer<[128, 328], f16, global>
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %blocks = arith.constant 2 : index
  tile.kernel "wide" grid(%blocks, %c2) threads(256) {
  ^bb0(%bx: index, %by: index):
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0.0 : f32
    %row = arith.muli %by, %c64 : index
    %column = arith.muli %bx, %c256 : index
    %a = tile.alloc "a" : !tile.buffer<[64, 64], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[64, 256], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[64, 256], f32, fragment>
    %o = tile.alloc "o" : !tile.buffer<[64, 256], f16, shared>
    tile.fill %zero, %c : f32, !tile.buffer<[64, 256], f32, fragment>
    %x = tile.subview %X[%row, %c0] : !tile.buffer<[128, 64], f16, global> to !tile.buffer<[64, 64], f16, global>
    tile.copy %x to %a : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
    %w = tile.subview %W[%c0, %column] : !tile.buffer<[64, 328], f16, global> to !tile.buffer<[64, 256], f16, global>
    tile.copy %w to %b : !tile.buffer<[64, 256], f16, global>, !tile.buffer<[64, 256], f16, shared>
    tile.gemm %a, %b, %c : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 256], f16, shared>, !tile.buffer<[64, 256], f32, fragment>
    tile.copy %c to %o : !tile.buffer<[64, 256], f32, fragment>, !tile.buffer<[64, 256], f16, shared>
    %y = tile.subview %Y[%row, %column] : !tile.buffer<[128, 328], f16, global> to !tile.buffer<[64, 256], f16, global>
    tile.copy %o to %y : !tile.buffer<[64, 256], f16, shared>, !tile.buffer<[64, 256], f16, global>
  }
}
