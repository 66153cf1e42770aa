// RUN: tilec-opt %s --verify-contracts=sm_80 --pass-pipeline='builtin.module(tile.program(tile-isolate-operands{target=sm_80},tile-infer-layouts{target=sm_80},tile-unroll-windows))' | FileCheck %s
//
// A fragment that lies as A of a product is gone over in pieces of 16 columns, an atom's: the loop is its four rounds, each
// with the registers of its piece. Pieces of 4 columns are spread over other lanes in every round, and their loop stays.

// CHECK-LABEL: tile.kernel "atoms"
// CHECK-NOT:     tile.for
// CHECK-COUNT-4: tile.load %F
// CHECK:         tile.gemm
// CHECK-LABEL: tile.kernel "parts"
// CHECK:         tile.for
tile.program @p {
  %c1 = arith.constant 1 : index
  tile.kernel "atoms" grid(%c1) threads(32) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %four = arith.constant 4 : index
    %width = arith.constant 16 : index
    %rows = arith.constant 32 : index
    %F = tile.alloc "F" : !tile.buffer<[32, 64], f16, fragment>
    %B = tile.alloc "B" : !tile.buffer<[64, 32], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[32, 32], f32, fragment>
    %G = tile.alloc "G" : !tile.buffer<[32, 16], f32, fragment>
    tile.for %n = %c0 to %four step %c1 {
      tile.parallel (%i, %j) in (%rows, %width) {
        %first = arith.muli %n, %width : index
        %at = arith.addi %first, %j : index
        %x = tile.load %F[%i, %at] : !tile.buffer<[32, 64], f16, fragment> -> f32
        %y = tile.load %G[%i, %j] : !tile.buffer<[32, 16], f32, fragment> -> f32
        %z = arith.addf %x, %y : f32
        tile.store %z, %G[%i, %j] : f32, !tile.buffer<[32, 16], f32, fragment>
      }
    }
    tile.gemm %F, %B, %C : !tile.buffer<[32, 64], f16, fragment>, !tile.buffer<[64, 32], f16, shared>, !tile.buffer<[32, 32], f32, fragment>
  }
  tile.kernel "parts" grid(%c1) threads(32) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %count = arith.constant 16 : index
    %width = arith.constant 4 : index
    %rows = arith.constant 32 : index
    %F = tile.alloc "F" : !tile.buffer<[32, 64], f16, fragment>
    %B = tile.alloc "B" : !tile.buffer<[64, 32], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[32, 32], f32, fragment>
    %G = tile.alloc "G" : !tile.buffer<[32, 4], f32, fragment>
    tile.for %n = %c0 to %count step %c1 {
      tile.parallel (%i, %j) in (%rows, %width) {
        %first = arith.muli %n, %width : index
        %at = arith.addi %first, %j : index
        %x = tile.load %F[%i, %at] : !tile.buffer<[32, 64], f16, fragment> -> f32
        %y = tile.load %G[%i, %j] : !tile.buffer<[32, 4], f32, fragment> -> f32
        %z = arith.addf %x, %y : f32
        tile.store %z, %G[%i, %j] : f32, !tile.buffer<[32, 4], f32, fragment>
      }
    }
    tile.gemm %F, %B, %C : !tile.buffer<[32, 64], f16, fragment>, !tile.buffer<[64, 32], f16, shared>, !tile.buffer<[32, 32], f32, fragment>
  }
}
