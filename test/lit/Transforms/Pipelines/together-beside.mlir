// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950},tile-expand-pipelines{target=gfx950}))' | FileCheck %s
//
// What is needed behind the loop only, and does not fit beside the tiles, takes their bytes: the copies of a round
// go without registers all the same.

// CHECK-LABEL: tile.program @stored
// CHECK:      tile.alloc "A_shared" {{.*}}!tile.buffer<[1, 64, 256], f16, shared>
// CHECK:      tile.for
// CHECK:        tile.async_copy
// CHECK:        tile.async_copy
// CHECK:        tile.gemm
tile.program @stored {
  %A = tile.tensor "A"[] : !tile.buffer<[64, 2048], f16, global>
  %B = tile.tensor "B"[] : !tile.buffer<[64, 2048], f16, global>
  %X = tile.tensor "X"[] : !tile.buffer<[512, 128], f16, global>
  %Y = tile.tensor "Y"[] : !tile.buffer<[512, 128], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "stored" grid(%one) threads(256) {
  ^bb0(%bx: index):
    %As = tile.alloc "A_shared" : !tile.buffer<[64, 256], f16, shared>
    %Bs = tile.alloc "B_shared" : !tile.buffer<[64, 256], f16, shared>
    %Xs = tile.alloc "X_shared" : !tile.buffer<[512, 128], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[64, 64], f32, fragment>
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c256 = arith.constant 256 : index
    tile.for %k = %c0 to %c8 step %one kind(pipelined) stages(1) {
      %at = arith.muli %k, %c256 : index
      %a = tile.subview %A[%c0, %at] : !tile.buffer<[64, 2048], f16, global> to !tile.buffer<[64, 256], f16, global>
      %b = tile.subview %B[%c0, %at] : !tile.buffer<[64, 2048], f16, global> to !tile.buffer<[64, 256], f16, global>
      tile.copy %a to %As : !tile.buffer<[64, 256], f16, global>, !tile.buffer<[64, 256], f16, shared>
      tile.copy %b to %Bs : !tile.buffer<[64, 256], f16, global>, !tile.buffer<[64, 256], f16, shared>
      tile.gemm %As, %Bs, %C {transpose_b} : !tile.buffer<[64, 256], f16, shared>, !tile.buffer<[64, 256], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
    }
    tile.copy %X to %Xs : !tile.buffer<[512, 128], f16, global>, !tile.buffer<[512, 128], f16, shared>
    tile.copy %Xs to %Y : !tile.buffer<[512, 128], f16, shared>, !tile.buffer<[512, 128], f16, global>
  }
}
