// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-forward-transposes))' | FileCheck %s
//
// A tile that only brings the transpose of another one to a product is left out: the product reads the other one
// across. Not where the other one changes in between, or elements have 8 bits.

// CHECK-LABEL: tile.program @across
// CHECK-NOT:     tile.parallel
// CHECK:         tile.gemm %s, %b, %c {transpose_a, transpose_b}
// CHECK-LABEL: tile.program @changed
// CHECK:         tile.parallel
// CHECK:         tile.gemm %t, %b, %c {transpose_b}
// CHECK-LABEL: tile.program @bytes
// CHECK:         tile.parallel
// CHECK:         tile.gemm %t, %b, %c {transpose_b}
tile.program @across {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  tile.kernel "across" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[32, 64], f16, shared>
    %t = tile.alloc "t" : !tile.buffer<[64, 32], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[16, 32], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[64, 16], f32, fragment>
    tile.parallel (%i, %j) in (%c64, %c32) {
      %x = tile.load %s[%j, %i] : !tile.buffer<[32, 64], f16, shared> -> f32
      tile.store %x, %t[%i, %j] : f32, !tile.buffer<[64, 32], f16, shared>
    }
    tile.gemm %t, %b, %c {transpose_b} : !tile.buffer<[64, 32], f16, shared>, !tile.buffer<[16, 32], f16, shared>, !tile.buffer<[64, 16], f32, fragment>
  }
}

tile.program @changed {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  tile.kernel "changed" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[32, 64], f16, shared>
    %t = tile.alloc "t" : !tile.buffer<[64, 32], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[16, 32], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[64, 16], f32, fragment>
    tile.parallel (%i, %j) in (%c64, %c32) {
      %x = tile.load %s[%j, %i] : !tile.buffer<[32, 64], f16, shared> -> f32
      tile.store %x, %t[%i, %j] : f32, !tile.buffer<[64, 32], f16, shared>
    }
    tile.fill %zero, %s : f32, !tile.buffer<[32, 64], f16, shared>
    tile.gemm %t, %b, %c {transpose_b} : !tile.buffer<[64, 32], f16, shared>, !tile.buffer<[16, 32], f16, shared>, !tile.buffer<[64, 16], f32, fragment>
  }
}

tile.program @bytes {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  tile.kernel "bytes" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %s = tile.alloc "s" : !tile.buffer<[32, 64], i8, shared>
    %t = tile.alloc "t" : !tile.buffer<[64, 32], i8, shared>
    %b = tile.alloc "b" : !tile.buffer<[16, 32], i8, shared>
    %c = tile.alloc "c" : !tile.buffer<[64, 16], i32, fragment>
    tile.parallel (%i, %j) in (%c64, %c32) {
      %x = tile.load %s[%j, %i] : !tile.buffer<[32, 64], i8, shared> -> i8
      tile.store %x, %t[%i, %j] : i8, !tile.buffer<[64, 32], i8, shared>
    }
    tile.gemm %t, %b, %c {transpose_b} : !tile.buffer<[64, 32], i8, shared>, !tile.buffer<[16, 32], i8, shared>, !tile.buffer<[64, 16], i32, fragment>
  }
}
