// RUN: tilec-opt %s | tilec-opt | FileCheck %s
// RUN: tilec-opt %s --mlir-print-op-generic | tilec-opt | FileCheck %s
//
// Operations on whole tiles.

tile.program @tile_ops {
  %A = tile.tensor "A"[] : !tile.buffer<[64, 32], f16, global>
  %one = arith.constant 1 : index
  tile.kernel "k" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %t = arith.constant true
    %zero = arith.constant 0.0 : f32
    %a = tile.alloc "a" : !tile.buffer<[64, 32], f16, shared>
    %b = tile.alloc "b" : !tile.buffer<[48, 32], f16, shared>
    %c = tile.alloc "c" : !tile.buffer<[64, 48], f32, fragment>
    %s = tile.alloc "s" : !tile.buffer<[64], f32, fragment>
    // CHECK: tile.copy %{{.*}} to %a : !tile.buffer<[64, 32], f16, global>, !tile.buffer<[64, 32], f16, shared>
    tile.copy %A to %a : !tile.buffer<[64, 32], f16, global>, !tile.buffer<[64, 32], f16, shared>
    // CHECK: tile.copy %{{.*}} to %a {hint = "async"} : !tile.buffer<[64, 32], f16, global>, !tile.buffer<[64, 32], f16, shared>
    tile.copy %A to %a {hint = "async"} : !tile.buffer<[64, 32], f16, global>, !tile.buffer<[64, 32], f16, shared>
    // CHECK: tile.fill %{{.*}}, %c : f32, !tile.buffer<[64, 48], f32, fragment>
    tile.fill %zero, %c : f32, !tile.buffer<[64, 48], f32, fragment>
    // CHECK: tile.gemm %a, %b, %c {transpose_b} : !tile.buffer<[64, 32], f16, shared>, !tile.buffer<[48, 32], f16, shared>, !tile.buffer<[64, 48], f32, fragment>
    tile.gemm %a, %b, %c {transpose_b} : !tile.buffer<[64, 32], f16, shared>, !tile.buffer<[48, 32], f16, shared>, !tile.buffer<[64, 48], f32, fragment>
    // CHECK: tile.gemm %a, %b, %c clear(%{{.*}}) {k_pack = 2 : i64, policy = #tile<warp_policy full_row>, transpose_b} : !tile.buffer<[64, 32], f16, shared>, !tile.buffer<[48, 32], f16, shared>, !tile.buffer<[64, 48], f32, fragment>
    tile.gemm %a, %b, %c clear(%t) {transpose_b, policy = #tile<warp_policy full_row>, k_pack = 2} : !tile.buffer<[64, 32], f16, shared>, !tile.buffer<[48, 32], f16, shared>, !tile.buffer<[64, 48], f32, fragment>
    // CHECK: tile.reduce sum %c to %s dim 1 : !tile.buffer<[64, 48], f32, fragment>, !tile.buffer<[64], f32, fragment>
    tile.reduce sum %c to %s dim 1 : !tile.buffer<[64, 48], f32, fragment>, !tile.buffer<[64], f32, fragment>
    // CHECK: tile.reduce absmax %c to %s dim 1 {clear = false, nan_propagate} : !tile.buffer<[64, 48], f32, fragment>, !tile.buffer<[64], f32, fragment>
    tile.reduce absmax %c to %s dim 1 {clear = false, nan_propagate} : !tile.buffer<[64, 48], f32, fragment>, !tile.buffer<[64], f32, fragment>
    // CHECK: tile.scan sum %c to %c dim 0 : !tile.buffer<[64, 48], f32, fragment>, !tile.buffer<[64, 48], f32, fragment>
    tile.scan sum %c to %c dim 0 : !tile.buffer<[64, 48], f32, fragment>, !tile.buffer<[64, 48], f32, fragment>
    // CHECK: tile.scan max %c to %c dim 1 {reverse} : !tile.buffer<[64, 48], f32, fragment>, !tile.buffer<[64, 48], f32, fragment>
    tile.scan max %c to %c dim 1 {reverse} : !tile.buffer<[64, 48], f32, fragment>, !tile.buffer<[64, 48], f32, fragment>
  }
}
