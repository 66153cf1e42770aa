// RUN: tilec-opt %s --verify-contracts=sm_80 --pass-pipeline='builtin.module(tile.program(tile-isolate-operands{target=sm_80},tile-infer-layouts{target=sm_80},tile-follow-pieces))' | FileCheck %s
//
// Columns 16 to 31 of a fragment that lies as A of a product are an atom's: who has them stores them. Columns 8 to 23 are
// no piece, and nobody says who runs the loop.

// CHECK:     tile.parallel ({{.*}}) in ({{.*}}) attributes {layout = #tile.fragment<shape = [32, 16]
// CHECK:     tile.parallel ({{.*}}) in ({{[^)]*}}) {
tile.program @p {
  %O = tile.tensor "O"[] : !tile.buffer<[32, 16], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "k" grid(%c1) threads(32) {
  ^bb0(%bx: index):
    %eight = arith.constant 8 : index
    %width = arith.constant 16 : index
    %rows = arith.constant 32 : index
    %F = tile.alloc "F" : !tile.buffer<[32, 64], f16, fragment>
    %B = tile.alloc "B" : !tile.buffer<[64, 32], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[32, 32], f32, fragment>
    tile.gemm %F, %B, %C : !tile.buffer<[32, 64], f16, fragment>, !tile.buffer<[64, 32], f16, shared>, !tile.buffer<[32, 32], f32, fragment>
    tile.parallel (%i, %j) in (%rows, %width) {
      %at = arith.addi %j, %width : index
      %x = tile.load %F[%i, %at] : !tile.buffer<[32, 64], f16, fragment> -> f32
      tile.store %x, %O[%i, %j] : f32, !tile.buffer<[32, 16], f32, global>
    }
    tile.parallel (%i, %j) in (%rows, %width) {
      %at = arith.addi %j, %eight : index
      %x = tile.load %F[%i, %at] : !tile.buffer<[32, 64], f16, fragment> -> f32
      tile.store %x, %O[%i, %j] : f32, !tile.buffer<[32, 16], f32, global>
    }
  }
}
