# SPDX-License-Identifier: Apache-2.0
"""Kernels that tests share, and names of another module that kernels use."""

import tilec.language as T
import tilec.tilelang as tilelang

FACTOR = 3.0


def scaled(x):
    return x * FACTOR


@T.macro
def clear_twice(c):
    T.clear(c)
    T.clear(c)


@tilelang.jit(out_idx=[-1])
def matmul(M, N, K, block=32, dtype="float16", stages=2, threads=128, step=None):
    step = step or block

    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((K, N), dtype), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), threads=threads) as (bx, by):
            a = T.alloc_shared((block, step), dtype)
            b = T.alloc_shared((step, block), dtype)
            c = T.alloc_fragment((block, block), T.float32)
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, step), num_stages=stages):
                T.copy(A[by * block, k * step], a)
                T.copy(B[k * step, bx * block], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * block, bx * block])

    return main


@tilelang.jit
def add(A, B, block: int = 64):
    N = T.const("N")
    A: T.Tensor[[N], T.float32]
    B: T.Tensor[[N], T.float32]
    C = T.empty((N,), T.float32)
    with T.Kernel(T.ceildiv(N, block), threads=64) as bx:
        for i in T.Parallel(block):
            C[bx * block + i] = A[bx * block + i] + B[bx * block + i]
    return C


@tilelang.jit(out_idx=[-1])
def double(block=64, dtype="float32"):
    n = T.dynamic("n")

    @T.prim_func
    def main(A: T.Tensor((n,), dtype), B: T.Tensor((n,), dtype)):
        with T.Kernel(T.ceildiv(n, block), threads=64) as bx:
            for i in T.Parallel(block):
                B[bx * block + i] = A[bx * block + i] * 2

    return main
