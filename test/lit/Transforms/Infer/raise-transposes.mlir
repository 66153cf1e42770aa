// RUN: tilec-opt %s --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-isolate-operands{target=sm_90a},tile-infer-layouts{target=sm_90a},tile-lay-out-shared{target=sm_90a},tile-raise-transposes{target=sm_90a}))' | FileCheck %s
// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-isolate-operands{target=gfx950},tile-infer-layouts{target=gfx950},tile-lay-out-shared{target=gfx950},tile-raise-transposes{target=gfx950}))' | FileCheck %s --check-prefix=NONE
//
// A loop that moves bytes across is marked where the target's lanes exchange blocks of 4 x 4: not what has other
// elements, what does not start at a multiple of 4, and what does more than to move a byte.
// NONE-NOT: tile.transpose_bytes
// CHECK-LABEL: tile.kernel "bytes"
// CHECK:       tile.transpose_bytes
// CHECK-LABEL: tile.kernel "others"
// CHECK-NOT:   tile.transpose_bytes
tile.program @p {
  %one = arith.constant 1 : index
  tile.kernel "bytes" grid(%one) threads(128) {
  ^bb0(%bx: index):
    %S = tile.alloc "S" : !tile.buffer<[64, 128], i8, shared>
    %U = tile.alloc "U" : !tile.buffer<[128, 64], i8, shared>
    %m = arith.constant 64 : index
    %n = arith.constant 128 : index
    tile.parallel (%i, %j) in (%n, %m) {
      %x = tile.load %S[%j, %i] : !tile.buffer<[64, 128], i8, shared> -> i8
      tile.store %x, %U[%i, %j] : i8, !tile.buffer<[128, 64], i8, shared>
    }
  }
  tile.kernel "others" grid(%one) threads(128) {
  ^bb0(%bx: index):
    %H = tile.alloc "H" : !tile.buffer<[64, 64], i32, shared>
    %K = tile.alloc "K" : !tile.buffer<[64, 64], i32, shared>
    %S = tile.alloc "S" : !tile.buffer<[64, 128], i8, shared>
    %U = tile.alloc "U" : !tile.buffer<[128, 64], i8, shared>
    %m = arith.constant 64 : index
    %two = arith.constant 2 : index
    %three = arith.constant 3 : i8
    tile.parallel (%i, %j) in (%m, %m) {
      %x = tile.load %H[%j, %i] : !tile.buffer<[64, 64], i32, shared> -> i32
      tile.store %x, %K[%i, %j] : i32, !tile.buffer<[64, 64], i32, shared>
    }
    tile.parallel (%i, %j) in (%m, %m) {
      %at = arith.addi %i, %two : index
      %x = tile.load %S[%j, %at] : !tile.buffer<[64, 128], i8, shared> -> i8
      tile.store %x, %U[%i, %j] : i8, !tile.buffer<[128, 64], i8, shared>
    }
    tile.parallel (%i, %j) in (%m, %m) {
      %x = tile.load %S[%j, %i] : !tile.buffer<[64, 128], i8, shared> -> i8
      %y = arith.addi %x, %three : i8
      tile.store %y, %U[%i, %j] : i8, !tile.buffer<[128, 64], i8, shared>
    }
  }
}
