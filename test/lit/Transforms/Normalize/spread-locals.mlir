// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-spread-locals))' | FileCheck %s
//
// Of shared buffers that were local ones, those that loops go through element by element are fragments, and so are those
// that a product multiplies into. One that is read at another iteration's place stays, and a shared buffer of the author.

// CHECK-LABEL: tile.kernel "spread"
// CHECK:         tile.alloc "rows" : !tile.buffer<[16], f32, fragment>
// CHECK:         tile.alloc "turned" : !tile.buffer<[16], f32, shared>
// CHECK:         tile.alloc "authors" : !tile.buffer<[16], f32, shared>
// CHECK:         tile.alloc "c" : !tile.buffer<[16, 16], f32, fragment>
tile.program @spread {
  %A = tile.tensor "A"[] : !tile.buffer<[16], f32, global>
  %c1 = arith.constant 1 : index
  tile.kernel "spread" grid(%c1) threads(64) {
  ^bb0(%bx: index):
    %c15 = arith.constant 15 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0.0 : f32
    %rows = tile.alloc "rows" {was_local} : !tile.buffer<[16], f32, shared>
    %turned = tile.alloc "turned" {was_local} : !tile.buffer<[16], f32, shared>
    %authors = tile.alloc "authors" : !tile.buffer<[16], f32, shared>
    %c = tile.alloc "c" {was_local} : !tile.buffer<[16, 16], f32, shared>
    %s = tile.alloc "s" : !tile.buffer<[16, 16], f16, shared>
    tile.copy %A to %rows : !tile.buffer<[16], f32, global>, !tile.buffer<[16], f32, shared>
    tile.copy %A to %authors : !tile.buffer<[16], f32, global>, !tile.buffer<[16], f32, shared>
    tile.fill %zero, %c : f32, !tile.buffer<[16, 16], f32, shared>
    tile.gemm %s, %s, %c : !tile.buffer<[16, 16], f16, shared>, !tile.buffer<[16, 16], f16, shared>, !tile.buffer<[16, 16], f32, shared>
    tile.parallel (%i) in (%c16) {
      %x = tile.load %rows[%i] : !tile.buffer<[16], f32, shared> -> f32
      tile.store %x, %turned[%i] : f32, !tile.buffer<[16], f32, shared>
    }
    tile.parallel (%i) in (%c16) {
      %m = arith.subi %c15, %i : index
      %x = tile.load %turned[%m] : !tile.buffer<[16], f32, shared> -> f32
      tile.store %x, %A[%i] : f32, !tile.buffer<[16], f32, global>
    }
  }
}
