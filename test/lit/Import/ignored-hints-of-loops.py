# RUN: tilec %s --target=gfx950 --remarks -o %t 2>&1 | FileCheck %s --implicit-check-not="is ignored"
# RUN: tilec %s --target=sm_90a --remarks -o %t 2>&1 | FileCheck %s --implicit-check-not="is ignored"
# RUN: tilec %s --target=gfx942 --remarks -o %t 2>&1 | FileCheck %s --check-prefix=TAKEN
#
# Hints of loops and products that change nothing are said to. Two instructions of gfx942 are a K of 32.

# TAKEN-NOT: `k_pack` of
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((128, 256), "float16"), B: T.Tensor((256, 128), "float16"), C: T.Tensor((128, 128), "float32")):
    with T.Kernel(2, 2, threads=128) as (bx, by):
        a = T.alloc_shared((64, 32), "float16")
        b = T.alloc_shared((32, 64), "float16")
        c = T.alloc_fragment((64, 64), "float32")
        T.clear(c)
        # CHECK-DAG: [[#@LINE+1]]:{{[0-9]+}}: remark: `sync` is ignored: barriers stand where reads and writes of a round need them
        for k in T.Pipelined(8, num_stages=2, sync=[[0, 1]]):
            T.copy(A[by * 64, k * 32], a)
            T.copy(B[k * 32, bx * 64], b)
            # CHECK-DAG: [[#@LINE+2]]:{{[0-9]+}}: remark: `wg_wait` is ignored: a product is complete where its result is used
            # CHECK-DAG: [[#@LINE+1]]:{{[0-9]+}}: remark: `k_pack` of 2 is ignored:
            T.gemm(a, b, c, k_pack=2, wg_wait=1)
        # CHECK-DAG: [[#@LINE+1]]:{{[0-9]+}}: remark: `group` is ignored: neither `order` nor `stage` says anything of its groups
        for k in T.Pipelined(8, num_stages=2, group=[[0, 1], [2]]):
            T.copy(A[by * 64, k * 32], a)
            T.copy(B[k * 32, bx * 64], b)
            T.gemm(a, b, c)
        # CHECK-DAG: [[#@LINE+1]]:{{[0-9]+}}: remark: `order` is ignored: copies run ahead as `num_stages` says, and all else stays in order
        for k in T.Pipelined(8, num_stages=2, order=[1, 2, 0]):
            T.copy(A[by * 64, k * 32], a)
            T.copy(B[k * 32, bx * 64], b)
            T.gemm(a, b, c)
        # CHECK-DAG: [[#@LINE+1]]:{{[0-9]+}}: remark: `stage` is ignored: copies run ahead as `num_stages` says
        for k in T.Pipelined(8, num_stages=2, stage=[0, 0, 2]):
            T.copy(A[by * 64, k * 32], a)
            T.copy(B[k * 32, bx * 64], b)
            T.gemm(a, b, c)
        # Nothing is said of what is done.
        for k in T.Pipelined(8, order=[0, 1], stage=[0, 1], group=[[0, 1], [2]]):
            T.copy(A[by * 64, k * 32], a)
            T.copy(B[k * 32, bx * 64], b)
            T.gemm(a, b, c, k_pack=1, wg_wait=0, mbar=None)
        T.copy(c, C[by * 64, bx * 64])
