# C = A * B^T in bfloat16, summed in float32: six steps from one loop to the speed of a library.
import tilelang.language as T
from tilec import tiles


def naive(M, N, K, block=16, dtype="bfloat16"):
    """Each element of C by itself; every element of A and B comes from global memory N (M) times."""

    @T.prim_func
    def gemm(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), threads=block * block) as (bx, by):
            for i, j in T.Parallel(block, block):
                row, column = by * block + i, bx * block + j
                total = T.float32(0)
                for k in T.serial(K):
                    total += T.cast(A[row, k], "float32") * T.cast(B[column, k], "float32")
                C[row, column] = total

    return gemm


def shared(M, N, K, block=64, block_K=32, dtype="bfloat16"):
    """Tiles in shared memory, read `block` times from there; the products are still scalar."""

    @T.prim_func
    def gemm(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), threads=256) as (bx, by):
            a = T.alloc_shared((block, block_K), dtype)
            b = T.alloc_shared((block, block_K), dtype)
            c = T.alloc_fragment((block, block), "float32")
            T.clear(c)
            for k in T.serial(T.ceildiv(K, block_K)):
                T.copy(A[by * block, k * block_K], a)
                T.copy(B[bx * block, k * block_K], b)
                for i, j in T.Parallel(block, block):
                    for kk in T.serial(block_K):
                        c[i, j] += T.cast(a[i, kk], "float32") * T.cast(b[j, kk], "float32")
            T.copy(c, C[by * block, bx * block])

    return gemm


def tiled(M, N, K, block_M=128, block_N=128, block_K=64, threads=256, stages=0, panel=0, dtype="bfloat16"):
    """T.gemm on shared tiles. The steps 3 to 6 are this function with other numbers."""

    @T.prim_func
    def gemm(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            a = T.alloc_shared((block_M, block_K), dtype)
            b = T.alloc_shared((block_N, block_K), dtype)
            c = T.alloc_fragment((block_M, block_N), "float32")
            if panel:
                T.use_swizzle(panel)
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=stages):
                T.copy(A[by * block_M, k * block_K], a)
                T.copy(B[bx * block_N, k * block_K], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * block_M, bx * block_N])

    return gemm


def chosen(M, N, K, dtype="bfloat16"):
    """Step 6 with the numbers that tilec has for this shape, type and chip."""
    tile = tiles.product(M, N, K, dtype)
    return tiled(M, N, K, tile["block_M"], tile["block_N"], tile["block_K"], tile["threads"], tile["num_stages"],
                 tile["panel_size"], dtype)
