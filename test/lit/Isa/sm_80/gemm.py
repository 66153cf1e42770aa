# RUN: tilec %s --target=sm_80 --entry "gemm(512, 512, 512)" --emit=asm | FileCheck %s
#
# cp.async with 16 bytes, ldmatrix for both operands, mma.sync; ptxas takes it.
# RUN: %if ptxas %{ tilec %s --target=sm_80 --entry "gemm(512, 512, 512)" --emit=asm -o %t.ptx && %ptxas -arch=sm_80 %t.ptx -o %t.cubin %}
#
# CHECK:       .visible .entry gemm(
# CHECK:       cp.async.cg.shared.global
# CHECK:       cp.async.commit_group
# CHECK:       cp.async.wait_group
# CHECK:       bar.sync
# CHECK:       ldmatrix.sync.aligned.m8n8.x4.shared.b16
# CHECK:       mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
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
