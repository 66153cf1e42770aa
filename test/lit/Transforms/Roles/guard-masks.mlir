// RUN: tilec-opt %S/Inputs/attention.mlir --verify-contracts=sm_90a --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_90a},tile-hoist-tiles,tile-find-producers{target=sm_90a},tile-clear-products{target=sm_90a},tile-choose-rounds{target=sm_90a},tile-forward-stores{target=sm_90a},tile-find-dead-rounds,tile-guard-masks{target=sm_90a}))' | FileCheck %s --check-prefix=GROUPS
// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950},tile-hoist-tiles,tile-find-producers{target=gfx950},tile-guard-masks{target=gfx950}))' | FileCheck %s
//
// A mask of C in front of a product runs only in tiles that its condition cuts; where products are warp groups', in the
// warp groups of whose rows it cuts some.

// CHECK-LABEL: tile.kernel "masked"
// CHECK:         tile.for
// CHECK-NOT:       tile.of_group
// CHECK:           scf.if
// GROUPS-LABEL:  tile.kernel "causal"
// GROUPS:          [[CLEAR:%[0-9]+]] = tile.of_group
// GROUPS:          scf.if
// GROUPS:          tile.gemm {{.*}} clear([[CLEAR]])
tile.program @masked {
  %A = tile.tensor "A"[] : !tile.buffer<[512, 64], f16, global>
  %D = tile.tensor "D"[] : !tile.buffer<[64, 64], f32, global>
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  tile.kernel "masked" grid(%c4) threads(128) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %a = tile.alloc "a" : !tile.buffer<[64, 64], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[64, 64], f32, fragment>
    %rows = arith.muli %bx, %c64 : index
    tile.for %k = %c0 to %c8 step %c1 {
      %at = arith.muli %k, %c64 : index
      %v = tile.subview %A[%at, %c0] : !tile.buffer<[512, 64], f16, global> to !tile.buffer<[64, 64], f16, global>
      tile.copy %v to %a : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
      tile.parallel (%i, %j) in (%c64, %c64) {
        %row = arith.addi %rows, %i : index
        %column = arith.addi %at, %j : index
        %inside = arith.cmpi sge, %row, %column : index
        %x = arith.select %inside, %zero, %low : f32
        tile.store %x, %c[%i, %j] : f32, !tile.buffer<[64, 64], f32, fragment>
      }
      tile.gemm %a, %a, %c {transpose_b} : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
      tile.copy %c to %D : !tile.buffer<[64, 64], f32, fragment>, !tile.buffer<[64, 64], f32, global>
    }
  }
}
