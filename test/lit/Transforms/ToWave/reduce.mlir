// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950},tile-expand-pipelines{target=gfx950},tile-place-shared{target=gfx950},tile-place-barriers),tile-to-wave{target=gfx950},canonicalize{region-simplify=disabled},cse)' | FileCheck %s --check-prefix=ONE
// RUN: tilec-opt %s --verify-contracts=sm_80 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_80},tile-expand-pipelines{target=sm_80},tile-place-shared{target=sm_80},tile-place-barriers),tile-to-wave{target=sm_80},canonicalize{region-simplify=disabled},cse)' | FileCheck %s --check-prefix=TWO
//
// The maximum of rows: of the lane's own registers first, then of the lanes that share a row. Where two
// waves share one (two on sm_80, one on gfx950), through shared memory with a barrier; a lane's results lie together, and of
// two lanes that have terms of both results each combines one.

// ONE-LABEL: wave.kernel @reduce(
// ONE:       wave.mma
// ONE:       arith.maxnumf {{.*}} : vector<2xf32>
// ONE-NEXT:  wave.extract
// ONE-NEXT:  wave.extract
// ONE-NEXT:  arith.maxnumf {{.*}} : f32
// ONE:       wave.shuffle_xor {{%[0-9]+}}, 16 : f32
// ONE:       wave.shuffle_xor {{%[0-9]+}}, 32 : f32
// ONE-NOT:   wave.shuffle_xor
// ONE-NOT:   wave.shared_write
// ONE:       wave.global_write {{%[0-9]+}}, %R[{{%[0-9]+}}] mask({{%[0-9]+}})

// TWO-LABEL: wave.kernel @reduce({{.*}} shared(4608)
// TWO:       arith.select
// TWO-NEXT:  arith.select
// TWO-NEXT:  wave.shuffle_xor {{%[0-9]+}}, 1 : f32
// TWO-NEXT:  arith.maxnumf
// TWO-NEXT:  wave.shuffle_xor {{%[0-9]+}}, 2 : f32
// TWO-NEXT:  arith.maxnumf
// TWO-NOT:   wave.shuffle_xor
// TWO-COUNT-1: wave.shared_write {{%[0-9]+}}, {{%[0-9]+}} imm({{[0-9]+}}) : f32
// TWO-NEXT:  wave.barrier
// TWO-COUNT-2: wave.shared_read
// TWO:       wave.global_write
tile.program @reduce {
  %R = tile.tensor "R"[] : !tile.buffer<[16], f32, global>
  %one = arith.constant 1 : index
  tile.kernel "reduce" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[16, 64], f16, shared>
    %B = tile.alloc "B" : !tile.buffer<[16, 64], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[16, 16], f32, fragment>
    %m = tile.alloc "m" : !tile.buffer<[16], f32, fragment>
    tile.gemm %A, %B, %C {transpose_b} : !tile.buffer<[16, 64], f16, shared>, !tile.buffer<[16, 64], f16, shared>, !tile.buffer<[16, 16], f32, fragment>
    tile.reduce max %C to %m dim 1 : !tile.buffer<[16, 16], f32, fragment>, !tile.buffer<[16], f32, fragment>
    tile.copy %m to %R : !tile.buffer<[16], f32, fragment>, !tile.buffer<[16], f32, global>
  }
}
