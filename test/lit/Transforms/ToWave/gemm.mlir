// RUN: tilec-opt %s --verify-contracts=gfx950 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=gfx950},tile-expand-pipelines{target=gfx950},tile-place-shared{target=gfx950},tile-place-barriers),tile-to-wave{target=gfx950},canonicalize{region-simplify=disabled},cse)' | FileCheck %s --check-prefix=AMD
// RUN: tilec-opt %s --verify-contracts=sm_80 --pass-pipeline='builtin.module(tile.program(tile-normalize,tile-lay-out{target=sm_80},tile-expand-pipelines{target=sm_80},tile-place-shared{target=sm_80},tile-place-barriers),tile-to-wave{target=sm_80},canonicalize{region-simplify=disabled},cse)' | FileCheck %s --check-prefix=SM80
//
// A product of one atom's rows and columns: reads in the operands' places, the atom once a K step,
// accumulators in registers. mfma multiplies the operands swapped, so that a lane holds
// neighbours of a row; mma.sync takes its operands by ldmatrix.

// AMD-LABEL: wave.kernel @gemm({{.*}} threads(64) shared(4096)
// AMD:       [[C:%[0-9]+]] = wave.alloc_regs "C" : !wave.regs<1 x vector<4xf32>>
// AMD:       [[A:%[0-9]+]] = wave.shared_read [[AT:%[0-9]+]] : vector<8xf16>
// AMD-NEXT:  [[B:%[0-9]+]] = wave.shared_read [[AT]] imm(2048) : vector<8xf16>
// AMD-NEXT:  [[OLD:%[0-9]+]] = wave.get [[C]][0]
// AMD-NEXT:  [[NEW:%[0-9]+]] = wave.mma "v_mfma_f32_16x16x32_f16" [[B]], [[A]], [[OLD]]
// AMD-NEXT:  wave.set [[NEW]], [[C]][0]
// AMD:       wave.mma "v_mfma_f32_16x16x32_f16"
// AMD-NOT:   wave.mma

// SM80-LABEL:   wave.kernel @gemm(
// SM80-COUNT-2: wave.ldmatrix
// SM80:         wave.mma "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
// SM80-COUNT-3: wave.mma "mma.sync
// SM80-NOT:     wave.mma
tile.program @gemm {
  %one = arith.constant 1 : index
  tile.kernel "gemm" grid(%one) threads(64) {
  ^bb0(%bx: index):
    %A = tile.alloc "A" : !tile.buffer<[16, 64], f16, shared>
    %B = tile.alloc "B" : !tile.buffer<[16, 64], f16, shared>
    %C = tile.alloc "C" : !tile.buffer<[16, 16], f32, fragment>
    tile.gemm %A, %B, %C {transpose_b} : !tile.buffer<[16, 64], f16, shared>, !tile.buffer<[16, 64], f16, shared>, !tile.buffer<[16, 16], f32, fragment>
  }
}
