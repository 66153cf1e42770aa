// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-keep-operands{target=gfx950}))' | FileCheck %s
// RUN: tilec-opt %s --verify-contracts=sm_80 --pass-pipeline='builtin.module(tile.program(tile-keep-operands{target=sm_80}))' | FileCheck %s --check-prefix=NONE
//
// No round of the loop writes Q: its products read a fragment, filled in front of the loop. K is brought in every round.
// On sm_80 accumulators lie in the registers that operands would take.

// CHECK-LABEL: tile.kernel "scores"
// CHECK:         [[KEPT:%.*]] = tile.alloc "Q_kept" : !tile.buffer<[64, 64], f16, fragment>
// CHECK:         tile.move
// CHECK:           tile.load %Q
// CHECK:           tile.store %{{.*}}, [[KEPT]]
// CHECK:         tile.for
// CHECK:           tile.gemm [[KEPT]], %K, %C
// NONE-NOT:      kept
tile.program @p {
  %A = tile.tensor "A"[] : !tile.buffer<[64, 64], f16, global>
  %c1 = arith.constant 1 : index
  tile.kernel "scores" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %Q = tile.alloc "Q" : !tile.buffer<[64, 64], f16, shared>
    %K = tile.alloc "K" : !tile.buffer<[64, 64], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[64, 64], f32, fragment>
    tile.copy %A to %Q : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
    tile.for %k = %c0 to %c8 step %c1 {
      tile.copy %A to %K : !tile.buffer<[64, 64], f16, global>, !tile.buffer<[64, 64], f16, shared>
      tile.gemm %Q, %K, %C {transpose_b} : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
    }
  }
}
