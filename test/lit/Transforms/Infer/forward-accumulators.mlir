// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-forward-accumulators{target=gfx950}))' | FileCheck %s
// RUN: tilec-opt %s --verify-contracts=sm_80 --pass-pipeline='builtin.module(tile.program(tile-forward-accumulators{target=sm_80}))' | FileCheck %s
//
// P is a shared tile only because its author put it there: each wave multiplies the rows of P that it has made. Not so where
// waves share rows, where something else reads P, and where it is made of what no product has given.

// CHECK-LABEL: tile.kernel "rows"
// CHECK:         [[P:%.*]] = tile.alloc "P" : !tile.buffer<[64, 64], f16, fragment>
// CHECK:         tile.store %{{.*}}, [[P]]
// CHECK:         tile.gemm [[P]], %V, %O
// CHECK-LABEL: tile.kernel "shares_rows"
// CHECK:         tile.alloc "P" : !tile.buffer<[64, 64], f16, shared>
// CHECK-LABEL: tile.kernel "read_elsewhere"
// CHECK:         tile.alloc "P" : !tile.buffer<[64, 64], f16, shared>
// CHECK-LABEL: tile.kernel "brought"
// CHECK:         tile.alloc "P" : !tile.buffer<[64, 64], f16, shared>
tile.program @p {
  %A = tile.tensor "A"[] : !tile.buffer<[64, 64], f16, global>
  %c1 = arith.constant 1 : index
  tile.kernel "rows" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %c64 = arith.constant 64 : index
    %Q = tile.alloc "Q" : !tile.buffer<[64, 64], f16, shared>
    %V = tile.alloc "V" : !tile.buffer<[64, 64], f16, shared>
    %P = tile.alloc "P" : !tile.buffer<[64, 64], f16, shared>
    %S = tile.alloc "S" : !tile.buffer<[64, 64], f32, fragment>
    %O = tile.alloc "O" : !tile.buffer<[64, 64], f32, fragment>
    tile.gemm %Q, %V, %S {policy = #tile<warp_policy full_row>} : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
    tile.move (%i, %j) in (%c64, %c64) {
      %x = tile.load %S[%i, %j] : !tile.buffer<[64, 64], f32, fragment> -> f32
      tile.store %x, %P[%i, %j] : f32, !tile.buffer<[64, 64], f16, shared>
    }
    tile.gemm %P, %V, %O {policy = #tile<warp_policy full_row>} : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
  }
  tile.kernel "shares_rows" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %c64 = arith.constant 64 : index
    %Q = tile.alloc "Q" : !tile.buffer<[64, 64], f16, shared>
    %V = tile.alloc "V" : !tile.buffer<[64, 64], f16, shared>
    %P = tile.alloc "P" : !tile.buffer<[64, 64], f16, shared>
    %S = tile.alloc "S" : !tile.buffer<[64, 64], f32, fragment>
    %O = tile.alloc "O" : !tile.buffer<[64, 64], f32, fragment>
    tile.gemm %Q, %V, %S : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
    tile.move (%i, %j) in (%c64, %c64) {
      %x = tile.load %S[%i, %j] : !tile.buffer<[64, 64], f32, fragment> -> f32
      tile.store %x, %P[%i, %j] : f32, !tile.buffer<[64, 64], f16, shared>
    }
    tile.gemm %P, %V, %O : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
  }
  tile.kernel "read_elsewhere" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %c64 = arith.constant 64 : index
    %Q = tile.alloc "Q" : !tile.buffer<[64, 64], f16, shared>
    %V = tile.alloc "V" : !tile.buffer<[64, 64], f16, shared>
    %P = tile.alloc "P" : !tile.buffer<[64, 64], f16, shared>
    %S = tile.alloc "S" : !tile.buffer<[64, 64], f32, fragment>
    %O = tile.alloc "O" : !tile.buffer<[64, 64], f32, fragment>
    tile.gemm %Q, %V, %S {policy = #tile<warp_policy full_row>} : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
    tile.move (%i, %j) in (%c64, %c64) {
      %x = tile.load %S[%i, %j] : !tile.buffer<[64, 64], f32, fragment> -> f32
      tile.store %x, %P[%i, %j] : f32, !tile.buffer<[64, 64], f16, shared>
    }
    tile.gemm %P, %P, %O {policy = #tile<warp_policy full_row>} : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
  }
  tile.kernel "brought" grid(%c1) threads(128) {
  ^bb0(%bx: index):
    %c64 = arith.constant 64 : index
    %V = tile.alloc "V" : !tile.buffer<[64, 64], f16, shared>
    %P = tile.alloc "P" : !tile.buffer<[64, 64], f16, shared>
    %O = tile.alloc "O" : !tile.buffer<[64, 64], f32, fragment>
    tile.move (%i, %j) in (%c64, %c64) {
      %x = tile.load %V[%j, %i] : !tile.buffer<[64, 64], f16, shared> -> f32
      tile.store %x, %P[%i, %j] : f32, !tile.buffer<[64, 64], f16, shared>
    }
    tile.gemm %P, %V, %O {policy = #tile<warp_policy full_row>} : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 64], f32, fragment>
  }
}
