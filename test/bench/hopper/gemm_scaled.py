# Products of 8-bit floats with a factor for each operand, K-major, of docs/numbers/performance-nvidia.md.
import tilelang
import tilelang.language as T


TILES = [(128, 256, 256), (256, 128, 256), (128, 128, 256), (128, 192, 128), (128, 176, 128), (128, 160, 128),
         (128, 128, 128), (128, 112, 128)]


@tilelang.autotune(configs=[dict(block_M=m, block_N=n, threads=t) for m, n, t in TILES])
def scaled(M, N, K, block_M=128, block_N=256, block_K=128, stages=4, threads=0, dtype="float8_e4m3fn", out="bfloat16", panel=8):
    threads = threads or (256 if block_M == 256 else 2 * block_M)

    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), SA: T.Tensor((1,), "float32"),
             SB: T.Tensor((1,), "float32"), C: T.Tensor((M, N), out)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            A_shared = T.alloc_shared((block_M, block_K), dtype)
            B_shared = T.alloc_shared((block_N, block_K), dtype)
            C_local = T.alloc_fragment((block_M, block_N), "float32")
            T.use_swizzle(panel_size=panel)
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=stages):
                T.copy(A[by * block_M, k * block_K], A_shared)
                T.copy(B[bx * block_N, k * block_K], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_B=True)
            for i, j in T.Parallel(block_M, block_N):
                C_local[i, j] *= SA[0] * SB[0]
            T.copy(C_local, C[by * block_M, bx * block_N])

    return main
