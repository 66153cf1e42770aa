# SPDX-License-Identifier: Apache-2.0
"""The kernels that templates stand for, written plainly: what a tuned one has to compute."""

import math

from .... import language as T

#: Kernels call the functions of this module (tilec._env).
__tilec_for_kernels__ = True


def matmul(M, N, K, in_dtype, out_dtype, accum_dtype, trans_A, trans_B):
    block, step = 64, 32
    of_a, of_b = (K, M) if trans_A else (M, K), (N, K) if trans_B else (K, N)
    part_a, part_b = (step, block) if trans_A else (block, step), (block, step) if trans_B else (step, block)

    @T.prim_func
    def main(A: T.Tensor(of_a, in_dtype), B: T.Tensor(of_b, in_dtype), C: T.Tensor((M, N), out_dtype)):
        with T.Kernel(T.ceildiv(N, block), T.ceildiv(M, block), threads=128) as (bx, by):
            a = T.alloc_shared(part_a, in_dtype)
            b = T.alloc_shared(part_b, in_dtype)
            c = T.alloc_fragment((block, block), accum_dtype)
            T.clear(c)
            for k in T.serial(T.ceildiv(K, step)):
                if trans_A:
                    T.copy(A[k * step, by * block], a)
                else:
                    T.copy(A[by * block, k * step], a)
                if trans_B:
                    T.copy(B[bx * block, k * step], b)
                else:
                    T.copy(B[k * step, bx * block], b)
                T.gemm(a, b, c, trans_A, trans_B)
            T.copy(c, C[by * block, bx * block])

    return main


def gemv(N, K, in_dtype, out_dtype, accum_dtype, trans_B):
    block = 64
    of_b = (N, K) if trans_B else (K, N)

    @T.prim_func
    def main(A: T.Tensor((K,), in_dtype), B: T.Tensor(of_b, in_dtype), C: T.Tensor((N,), out_dtype)):
        with T.Kernel(T.ceildiv(N, block), threads=block) as bx:
            c = T.alloc_fragment((block,), accum_dtype)
            T.clear(c)
            for k in T.serial(K):
                for i in T.Parallel(block):
                    if bx * block + i < N:
                        n = bx * block + i
                        if trans_B:
                            c[i] += T.cast(A[k], accum_dtype) * T.cast(B[n, k], accum_dtype)
                        else:
                            c[i] += T.cast(A[k], accum_dtype) * T.cast(B[k, n], accum_dtype)
            T.copy(c, C[bx * block])

    return main


def _place(of, extents, flat):
    """The indices in some dimensions of an element by its number, the last dimension fastest."""
    out = []
    for i in range(len(of)):
        rest = 1
        for n in extents[i + 1 :]:
            rest = rest * n
        out.append(flat // rest % extents[i])
    return out


def reduction(structure, shape, dtype):
    """Sums over the dimensions that `structure` has an R for."""
    block = 64
    kept = [i for i, kind in enumerate(structure) if kind == "S"]
    summed = [i for i, kind in enumerate(structure) if kind != "S"]
    kept_shape, summed_shape = [shape[i] for i in kept], [shape[i] for i in summed]
    total, terms = math.prod(kept_shape), math.prod(summed_shape)
    rank = len(shape)

    def indices(e, r):
        at = _place(kept, kept_shape, e) + _place(summed, summed_shape, r)
        axes = kept + summed
        return tuple([at[axes.index(i)] for i in range(rank)])

    @T.prim_func
    def main(A: T.Tensor(shape, dtype), B: T.Tensor(tuple(kept_shape) or (1,), dtype)):
        with T.Kernel(T.ceildiv(total, block), threads=block) as bx:
            sums = T.alloc_fragment((block,), "float32")
            T.clear(sums)
            for r in T.serial(terms):
                for i in T.Parallel(block):
                    if bx * block + i < total:
                        sums[i] += T.cast(A[indices(bx * block + i, r)], "float32")
            for i in T.Parallel(block):
                if bx * block + i < total:
                    B[tuple(_place(kept, kept_shape, bx * block + i)) or 0] = sums[i]

    return main


def elementwise(shape, dtype):
    """Adds one to every element."""
    block = 128
    total = math.prod(shape)
    axes = list(range(len(shape)))

    @T.prim_func
    def main(A: T.Tensor(shape, dtype), B: T.Tensor(shape, dtype)):
        with T.Kernel(T.ceildiv(total, block), threads=block) as bx:
            for i in T.Parallel(block):
                if bx * block + i < total:
                    B[tuple(_place(axes, shape, bx * block + i))] = A[tuple(_place(axes, shape, bx * block + i))] + 1

    return main
