# RUN: tilec %s --target=gfx942 --entry "gemm('nn', N=480, block_N=96)" --schedule=interleave --remarks -o %t.bin 2>&1 | FileCheck %s
# RUN: tilec %s --target=gfx950 --entry "gemm('nn')" --schedule=interleave --remarks -o %t.bin 2>&1 | FileCheck %s --check-prefix=PLANNED
#
# A schedule that was asked for and serves no loop is no silent matter; the remark says what is in the way.

# CHECK:       remark: pipelined with one slot: the next round's tiles wait in registers, as a second slot leaves no copy in flight
# CHECK:       warning: schedule `interleave` is applied to no loop: --remarks says why
# PLANNED-NOT: no loop
# PLANNED:     remark: schedule `interleave`
# PLANNED-NOT: no loop
import tilelang.language as T


def gemm(form, M=512, N=512, K=512, block_N=128):
    @T.prim_func
    def main(A: T.Tensor((M, K), "bfloat16"), B: T.Tensor((K, N), "bfloat16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, 128), threads=256) as (bx, by):
            A_shared = T.alloc_shared((128, 64), "bfloat16")
            B_shared = T.alloc_shared((64, block_N), "bfloat16")
            C_local = T.alloc_fragment((128, block_N), "float32")
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, 64), num_stages=2):
                T.copy(A[by * 128, k * 64], A_shared)
                T.copy(B[k * 64, bx * block_N], B_shared)
                T.gemm(A_shared, B_shared, C_local)
            T.copy(C_local, C[by * 128, bx * block_N])

    return main
