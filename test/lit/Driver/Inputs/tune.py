# A product with configurations of its own; one of them does not fit into the LDS.
import itertools

import tilelang
import tilelang.language as T


def get_configs():
    return [dict(block_M=m, stages=s) for m, s in itertools.product([32, 64], [1, 2])] + [dict(block_M=4096, stages=4)]


@tilelang.autotune(configs=get_configs())
@tilelang.jit(out_idx=[-1])
def gemm(M=128, N=128, K=128, block_M=64, block_N=64, block_K=32, stages=2):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            A_shared = T.alloc_shared((block_M, block_K), "float16")
            B_shared = T.alloc_shared((block_K, block_N), "float16")
            C_local = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=stages):
                T.copy(A[by * block_M, k * block_K], A_shared)
                T.copy(B[k * block_K, bx * block_N], B_shared)
                T.gemm(A_shared, B_shared, C_local)
            T.copy(C_local, C[by * block_M, bx * block_N])

    return main


@tilelang.autotune(configs=[1, 2])
@tilelang.jit
def wrong(M=128):
    return gemm(M)
