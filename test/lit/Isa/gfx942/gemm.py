# RUN: tilec %s --target=gfx942 --entry "gemm(512, 512, 512)" --emit=asm | FileCheck %s
#
# CDNA3 moves 4 bytes per lane and DMA: 32 of them fill a stage. MFMA 16x16x16.

# CHECK-LABEL: {{^}}gemm:
# CHECK:       [[LOOP:\.LBB0_[0-9]+]]:
# CHECK-NOT:   scratch_
# CHECK-COUNT-32: buffer_load_dword v{{[0-9]+}}, {{.*}} offen lds
# CHECK-NOT:   v_accvgpr
# CHECK:       v_mfma_f32_16x16x16_bf16
# CHECK:       s_cbranch_scc{{[01]}} [[LOOP]]
# CHECK:       .vgpr_spill_count: 0
import tilelang.language as T


def gemm(M, N, K, block_M=128, block_N=128, block_K=64, dtype="bfloat16"):
    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=256) as (bx, by):
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
