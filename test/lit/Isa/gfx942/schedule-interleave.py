# RUN: tilec %s --target=gfx942 --entry "gemm(4096, 4096, 4096)" --schedule=interleave --emit=report | FileCheck %s
# RUN: tilec %s --target=gfx942 --entry "gemm(4096, 4096, 4096)" --schedule=interleave --emit=asm | FileCheck %s --check-prefix=ASM
#
# RUN: tilec %s --target=gfx942 --entry "gemm(4096, 4096, 4096, threads=256)" --emit=report | FileCheck %s --check-prefix=FOUR
#
# gfx942 copies 4 bytes a lane: 32 DMAs a round of two K tiles. No spill, no vmcnt(0).

# CHECK:      registers {{1[0-9][0-9]|2[0-2][0-9]}} vector, 0 accumulator
# CHECK-NEXT: spills 0 vector, 0 scalar; scratch 0 bytes a lane, 0 instructions; accumulator moves 0
# CHECK:      (hot)
# CHECK-NEXT: 128 mfma, {{[0-9]+}} shared read, 32 shared dma, {{[23]}} vector, 34 scalar, 6 wait, 4 barrier, 1 branch{{$}}
# CHECK:      between LDS DMAs: max 1, mean 1.00 scalar or vector; over the back edge {{[0-9]}}; MFMAs
# CHECK-NEXT: waits: 2 x lgkmcnt(0), 2 x vmcnt(8) lgkmcnt(0), 2 x vmcnt(6){{$}}

# 4 waves copy 64 times a round: their targets are sums of one register and a constant.
# FOUR:      registers {{[0-9]+}} vector, 256 accumulator
# FOUR-NEXT: spills 0 vector, 0 scalar; scratch 0 bytes a lane, 0 instructions
# FOUR:      (hot)
# FOUR-NEXT: 256 mfma, 64 shared read, 64 shared dma, {{[23]}} vector, {{6[0-9]}} scalar, 6 wait, 4 barrier, {{(1 nop, )?}}1 branch{{$}}
# FOUR:      between LDS DMAs: max 1, mean 1.00 scalar or vector; over the back edge {{[0-9]}}; MFMAs
# FOUR-NEXT: waits: 2 x lgkmcnt(0), 2 x vmcnt(16) lgkmcnt(0), 2 x vmcnt(11){{$}}
# FOUR-NEXT: LDS bank conflicts: 0 cycles

# ASM:       [[LOOP:\.LBB0_[0-9]+]]:
# ASM-NOT:   readfirstlane
# ASM-NOT:   vmcnt(0)
# ASM:       s_cbranch_scc{{[01]}} [[LOOP]]
import tilelang.language as T


def gemm(M, N, K, block_M=256, block_N=256, block_K=32, threads=512, dtype="bfloat16"):
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
