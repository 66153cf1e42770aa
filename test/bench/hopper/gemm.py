# The product of docs/numbers/performance-nvidia.md.
import tilelang
import tilelang.language as T


# With 128 threads a warp group has the tile alone: two of them take tiles in turn.
TILES = [(128, 256, 256), (256, 128, 256), (192, 128, 384), (128, 192, 256), (128, 128, 256),
         (128, 192, 128), (128, 176, 128), (128, 160, 128), (128, 128, 128), (128, 112, 128)]


@tilelang.autotune(configs=[dict(block_M=m, block_N=n, threads=t) for m, n, t in TILES])
def gemm(M, N, K, block_M=128, block_N=256, block_K=64, stages=4, threads=0, dtype="bfloat16", out="bfloat16", ta=False, tb=True, panel=8, accum="float32"):
    # Consumers: a warp group for 64 rows, of 256 rows two.
    threads = threads or (256 if block_M == 256 else 2 * block_M)
    a_shape = (K, M) if ta else (M, K)
    b_shape = (N, K) if tb else (K, N)
    a_tile = (block_K, block_M) if ta else (block_M, block_K)
    b_tile = (block_N, block_K) if tb else (block_K, block_N)

    @T.prim_func
    def main(A: T.Tensor(a_shape, dtype), B: T.Tensor(b_shape, dtype), C: T.Tensor((M, N), out)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            A_shared = T.alloc_shared(a_tile, dtype)
            B_shared = T.alloc_shared(b_tile, dtype)
            C_local = T.alloc_fragment((block_M, block_N), accum)
            T.use_swizzle(panel_size=panel)
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=stages):
                if ta:
                    T.copy(A[k * block_K, by * block_M], A_shared)
                else:
                    T.copy(A[by * block_M, k * block_K], A_shared)
                if tb:
                    T.copy(B[bx * block_N, k * block_K], B_shared)
                else:
                    T.copy(B[k * block_K, bx * block_N], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_A=ta, transpose_B=tb)
            T.copy(C_local, C[by * block_M, bx * block_N])

    return main
