// RUN: tilec-opt %s --verify-contracts=sm_80 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_80},tile-expand-pipelines{target=sm_80},tile-stage-stores{target=sm_80}))' | FileCheck %s
//
// A lane of mma.sync has two neighbours of C, 4 bytes of f16: they go through a shared tile, which
// another loop stores row by row.

// CHECK:      tile.gemm
// CHECK:      %[[TILE:.*]] = tile.alloc "stored" layout(#tile.shared<
// CHECK:      tile.move
// CHECK:        tile.load %C[
// CHECK:        tile.store {{.*}}, %[[TILE]][
// CHECK:      tile.move
// CHECK:        tile.load %[[TILE]][
// CHECK:        tile.store {{.*}} !tile.buffer<[64, 64], f16, global>
tile.program @staged {
  %A = tile.tensor "A"[] : !tile.buffer<[64, 64], f16, global>
  %R = tile.tensor "R"[] : !tile.buffer<[64, 64], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "staged" grid(%one) threads(128) {
  ^bb0(%bx: index):
    %As = tile.alloc "A_shared" : !tile.buffer<[64, 64], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[64, 64], f32, fragment>
    %c64 = arith.constant 64 : index
    tile.copy %A to %As : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
    tile.gemm %As, %As, %C {transpose_b} : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
    tile.parallel (%i, %j) in (%c64, %c64) {
      %x = tile.load %C[%i, %j] : !tile.buffer<[64, 64], f32, fragment> -> f32
      tile.store %x, %R[%i, %j] : f32, !tile.buffer<[64, 64], f16, global>
    }
  }
}
