# C = A + B with edges that are no multiple of the tile, in the eager style.
#
#   tilec-run examples/elementwise_add.py --entry 'add(M=1000, N=777)' --device=sim --check
import tilelang
import tilelang.language as T


@tilelang.jit
def add(A, B, block_M: int = 64, block_N: int = 64):
    M, N = T.const("M, N")
    A: T.Tensor((M, N), T.float16)
    B: T.Tensor((M, N), T.float16)
    C = T.empty((M, N), T.float16)
    with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
        for i, j in T.Parallel(block_M, block_N):
            C[by * block_M + i, bx * block_N + j] = (
                A[by * block_M + i, bx * block_N + j] + B[by * block_M + i, bx * block_N + j]
            )
    return C
