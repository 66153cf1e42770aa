# RUN: tilec %s --target=gfx950 --entry "gemm(4096, 4096, 4096)" --emit=report | FileCheck %s
# RUN: tilec %s --target=gfx950 --entry "gemm(4096, 4096, 4096)" --schedule=interleave --emit=report | FileCheck %s --check-prefix=LINE
#
# The author names the schedule of the loop; the command line has the last word.

# CHECK: 128 mfma, 48 shared read, {{.*}} 16 barrier, 16 priority
# LINE:  128 mfma, 48 shared read, {{.*}} 4 barrier, 1 branch



import tilelang.language as T
from tilec import schedule


def gemm(M, N, K, block_M=256, block_N=256, block_K=64, threads=512, dtype="bfloat16"):
    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            A_shared = T.alloc_shared((block_M, block_K), dtype)
            B_shared = T.alloc_shared((block_N, block_K), dtype)
            C_local = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(C_local)
            for k in schedule.ping_pong(T.Pipelined(T.ceildiv(K, block_K), num_stages=2)):
                T.copy(A[by * block_M, k * block_K], A_shared)
                T.copy(B[bx * block_N, k * block_K], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_B=True)
            T.copy(C_local, C[by * block_M, bx * block_N])

    return main
