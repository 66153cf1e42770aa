# C = A * B^T in bf16 with f32 accumulation: the kernel of docs/numbers/performance-amd.md.
import tilelang.language as T


def gemm(M, N, K, block_K=64, threads=512, panel=8):
    @T.prim_func
    def main(A: T.Tensor((M, K), "bfloat16"), B: T.Tensor((N, K), "bfloat16"), C: T.Tensor((M, N), "bfloat16")):
        with T.Kernel(N // 256, M // 256, threads=threads) as (bx, by):
            A_shared = T.alloc_shared((256, block_K), "bfloat16")
            B_shared = T.alloc_shared((256, block_K), "bfloat16")
            C_local = T.alloc_fragment((256, 256), "float32")
            T.use_swizzle(panel)
            T.clear(C_local)
            for k in T.Pipelined(K // block_K, num_stages=2):
                T.copy(A[by * 256, k * block_K], A_shared)
                T.copy(B[bx * 256, k * block_K], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_B=True)
            T.copy(C_local, C[by * 256, bx * 256])

    return main
