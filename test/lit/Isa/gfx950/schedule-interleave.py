# RUN: tilec %s --target=gfx950 --entry "gemm(4096, 4096, 4096)" --schedule=interleave --emit=report | FileCheck %s
# RUN: tilec %s --target=gfx950 --entry "gemm(4096, 4096, 4096)" --schedule=interleave --emit=asm | FileCheck %s --check-prefix=ASM
# RUN: tilec %s --target=gfx950 --entry "gemm(4096, 4096, 4096, threads=256)" --schedule=interleave --emit=report | FileCheck %s --check-prefix=FOUR
#
# The scorecard of the 256x256x64 main loop, two K tiles a round. A named schedule is strict: an
# order that the machine code does not keep would be an error here.

# 8 waves: at most 232 registers, no spill; 96 other instructions on 128 MFMAs (0.75, 0.80 wanted);
# one instruction between LDS DMAs, at most 9 over the back edge; 3 of a tile's 8 DMAs at least in flight at every wait.
# CHECK:      registers {{(2[0-2][0-9]|23[0-2])}} vector, 0 accumulator
# CHECK-NEXT: spills 0 vector, 0 scalar; scratch 0 bytes a lane, 0 instructions; accumulator moves 0
# CHECK:      (hot)
# CHECK-NEXT: 128 mfma, 48 shared read, 16 shared dma, {{[23]}} vector, 18 scalar, 6 wait, 4 barrier, 1 branch{{$}}
# CHECK-NEXT: other per MFMA 0.7{{[0-9]+}},
# CHECK-NEXT: between LDS DMAs: max 1, mean 1.00 scalar or vector; over the back edge {{[0-9]}}; MFMAs
# CHECK-NEXT: waits: 2 x lgkmcnt(0), 2 x vmcnt(4) lgkmcnt(0), 2 x vmcnt(3){{$}}
# CHECK-NEXT: LDS bank conflicts: 0 cycles

# ASM:       [[LOOP:\.LBB0_[0-9]+]]:
# ASM-NOT:   readfirstlane
# ASM-NOT:   vmcnt(0)
# ASM:       s_cbranch_scc{{[01]}} [[LOOP]]

# 4 waves: accumulators in the other half of the registers; 0.55 where 0.60 is wanted.
# FOUR:      registers {{[0-9]+}} vector, 256 accumulator
# FOUR-NEXT: spills 0 vector, 0 scalar; scratch 0 bytes a lane, 0 instructions
# FOUR:      (hot)
# FOUR-NEXT: 256 mfma, 64 shared read, 32 shared dma, {{[12]}} vector, 34 scalar, 6 wait, 4 barrier, 1 branch{{$}}
# FOUR-NEXT: other per MFMA 0.5{{[0-9]+}},
# FOUR-NEXT: between LDS DMAs: max 1, mean 1.00 scalar or vector; over the back edge {{[0-9]}}; MFMAs
# FOUR-NEXT: waits: 2 x lgkmcnt(0), 2 x vmcnt(8) lgkmcnt(0), 2 x vmcnt(6){{$}}
# FOUR-NEXT: LDS bank conflicts: 0 cycles
import tilelang.language as T


def gemm(M, N, K, block_M=256, block_N=256, block_K=64, threads=512, dtype="bfloat16"):
    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            A_shared = T.alloc_shared((block_M, block_K), dtype)
            B_shared = T.alloc_shared((block_N, block_K), dtype)
            C_local = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
                T.copy(A[by * block_M, k * block_K], A_shared)
                T.copy(B[bx * block_N, k * block_K], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_B=True)
            T.copy(C_local, C[by * block_M, bx * block_N])

    return main
