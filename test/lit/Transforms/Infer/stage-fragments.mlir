// RUN: tilec-opt %s --verify-contracts=sm_80 --pass-pipeline='builtin.module(tile.program(tile-isolate-operands{target=sm_80},tile-infer-layouts{target=sm_80},tile-stage-fragments{target=sm_80}))' | FileCheck %s
// RUN: tilec-opt %s --pass-pipeline='builtin.module(tile.program(tile-isolate-operands{target=sm_80},tile-infer-layouts{target=sm_80},tile-stage-fragments{target=sm_80}))' 2>&1 >/dev/null | FileCheck %s --check-prefix=SAID
//
// A loop has the layout of G, which it writes, and reads F in a shared copy: elements of F are in other lanes. Where F's
// 128 KiB do not fit beside T, the loop has F's layout and writes a copy of G, which is half as large.

// CHECK-LABEL: tile.kernel "reads"
// CHECK:         [[COPY:%.*]] = tile.alloc "F_staged" : !tile.buffer<[64, 32], f32, shared>
// CHECK:         tile.move
// CHECK:           tile.load %F
// CHECK:           tile.store %{{.*}}, [[COPY]]
// CHECK:         tile.parallel
// CHECK:           tile.load [[COPY]]
// CHECK:           tile.store %{{.*}}, %G
// CHECK-LABEL: tile.kernel "spares"
// CHECK-NOT:     F_staged
// CHECK:         [[COPY:%.*]] = tile.alloc "G_staged" : !tile.buffer<[128, 256], f16, shared>
// CHECK:         tile.parallel
// CHECK:           tile.load %F
// CHECK:           tile.store %{{.*}}, [[COPY]]
// CHECK:         tile.move
// CHECK:           tile.load [[COPY]]
// CHECK:           tile.store %{{.*}}, %G
//
// SAID: remark: fragment `F` goes through shared memory: its elements are not in the lanes that use them here
// SAID: remark: fragment `G` goes through shared memory: its elements are not in the lanes that use them here
tile.program @p {
  %c1 = arith.constant 1 : index
  tile.kernel "reads" grid(%c1) threads(32) {
  ^bb0(%bx: index):
    %m = arith.constant 64 : index
    %n = arith.constant 32 : index
    %zero = arith.constant 0.0 : f32
    %S = tile.alloc "S" : !tile.buffer<[64, 64], f16, shared>
    %U = tile.alloc "U" : !tile.buffer<[64, 32], f16, shared>
    %T = tile.alloc "T" : !tile.buffer<[64, 32], f16, shared>
    %F = tile.alloc "F" : !tile.buffer<[64, 32], f32, fragment>
    %G = tile.alloc "G" : !tile.buffer<[32, 64], f16, fragment>
    %C = tile.alloc "C" : !tile.buffer<[32, 32], f32, fragment>
    tile.gemm %S, %U, %F : !tile.buffer<[64, 64], f16, shared>, !tile.buffer<[64, 32], f16, shared>, !tile.buffer<[64, 32], f32, fragment>
    tile.fill %zero, %T : f32, !tile.buffer<[64, 32], f16, shared>
    tile.parallel (%i, %j) in (%m, %n) {
      %x = tile.load %F[%i, %j] : !tile.buffer<[64, 32], f32, fragment> -> f32
      %y = arith.addf %x, %x : f32
      tile.store %y, %G[%j, %i] : f32, !tile.buffer<[32, 64], f16, fragment>
    }
    tile.gemm %G, %T, %C : !tile.buffer<[32, 64], f16, fragment>, !tile.buffer<[64, 32], f16, shared>, !tile.buffer<[32, 32], f32, fragment>
  }
  tile.kernel "spares" grid(%c1) threads(256) {
  ^bb0(%bx: index):
    %m = arith.constant 256 : index
    %n = arith.constant 128 : index
    %zero = arith.constant 0.0 : f32
    %S = tile.alloc "S" : !tile.buffer<[256, 64], f16, shared>
    %U = tile.alloc "U" : !tile.buffer<[64, 128], f16, shared>
    %T = tile.alloc "T" : !tile.buffer<[256, 128], f16, shared>
    %F = tile.alloc "F" : !tile.buffer<[256, 128], f32, fragment>
    %G = tile.alloc "G" : !tile.buffer<[128, 256], f16, fragment>
    %C = tile.alloc "C" : !tile.buffer<[128, 128], f32, fragment>
    tile.gemm %S, %U, %F : !tile.buffer<[256, 64], f16, shared>, !tile.buffer<[64, 128], f16, shared>, !tile.buffer<[256, 128], f32, fragment>
    tile.fill %zero, %T : f32, !tile.buffer<[256, 128], f16, shared>
    tile.parallel (%i, %j) in (%m, %n) {
      %x = tile.load %F[%i, %j] : !tile.buffer<[256, 128], f32, fragment> -> f32
      %y = arith.addf %x, %x : f32
      tile.store %y, %G[%j, %i] : f32, !tile.buffer<[128, 256], f16, fragment>
    }
    tile.gemm %G, %T, %C : !tile.buffer<[128, 256], f16, fragment>, !tile.buffer<[256, 128], f16, shared>, !tile.buffer<[128, 128], f32, fragment>
  }
}
