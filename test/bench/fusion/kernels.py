# SPDX-License-Identifier: Apache-2.0
"""The products of kernels.cpp as scripts: the same tiles, threads and stages, in the words that a script uses."""
import tilelang.language as T

SIZE, TM, TN, TK, INNER = 4096, 128, 128, 64, 128


def product(through_shared):
    @T.prim_func
    def main(A: T.Tensor((SIZE, SIZE), "float16"), B: T.Tensor((SIZE, SIZE), "float16"), C: T.Tensor((SIZE, SIZE), "float32")):
        with T.Kernel(SIZE // TN, SIZE // TM, threads=128) as (bx, by):
            if through_shared:
                a = T.alloc_shared((TM, TK), "float16")
                b = T.alloc_shared((TN, TK), "float16")
            else:
                a = T.alloc_fragment((TM, TK), "float16")
                b = T.alloc_fragment((TN, TK), "float16")
            c = T.alloc_fragment((TM, TN), "float32")
            T.clear(c)
            for k in T.Pipelined(SIZE // TK, num_stages=2):
                T.copy(A[by * TM, k * TK], a)
                T.copy(B[bx * TN, k * TK], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * TM, bx * TN])
    return main


@T.prim_func
def fused(A: T.Tensor((SIZE, INNER), "float16"), B: T.Tensor((SIZE, INNER), "float16"), C: T.Tensor((INNER, SIZE), "float16"),
          D: T.Tensor((SIZE, INNER), "float32")):
    with T.Kernel(SIZE // TM, threads=128) as bx:
        a = T.alloc_shared((TM, INNER), "float16")
        b = T.alloc_shared((TK, INNER), "float16")
        c = T.alloc_shared((INNER, TK), "float16")
        sums = T.alloc_fragment((TM, TK), "float32")
        halves = T.alloc_fragment((TM, TK), "float16")
        d = T.alloc_fragment((TM, INNER), "float32")
        T.clear(d)
        T.copy(A[bx * TM, 0], a)
        for n in T.Pipelined(SIZE // TK, num_stages=2):
            T.copy(B[n * TK, 0], b)
            T.copy(C[0, n * TK], c)
            T.clear(sums)
            T.gemm(a, b, sums, transpose_B=True)
            T.copy(sums, halves)
            T.gemm(halves, c, d, transpose_B=True)
        T.copy(d, D[bx * TM, 0])
