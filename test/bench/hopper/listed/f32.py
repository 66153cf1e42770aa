# SPDX-License-Identifier: Apache-2.0
"""Products of f32 beside cuBLAS's fp32 (TileLang takes tf32 for them), and of int8."""

import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def product(A, B, block_M, block_N, block_K, stages, threads, dtype=T.float32, accum=T.float32):
    M, N, K = T.const("M, N, K")
    A: T.Tensor((M, K), dtype)
    B: T.Tensor((N, K), dtype)
    C = T.empty((M, N), accum)
    with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
        A_shared = T.alloc_shared((block_M, block_K), dtype)
        B_shared = T.alloc_shared((block_N, block_K), dtype)
        C_local = T.alloc_fragment((block_M, block_N), accum)
        T.clear(C_local)
        for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=stages):
            T.copy(A[by * block_M, k * block_K], A_shared)
            T.copy(B[bx * block_N, k * block_K], B_shared)
            T.gemm(A_shared, B_shared, C_local, transpose_B=True)
        T.copy(C_local, C[by * block_M, bx * block_N])
    return C


def main():
    for size in (2048, 4096):
        a, b = (torch.randn(size, size, device="cuda") for _ in range(2))
        product(a, b, 128, 128, 32, 2, 256)
    a, b = (torch.randint(-8, 8, (4096, 4096), device="cuda").to(torch.int8) for _ in range(2))
    product(a, b, 128, 128, 128, 3, 128, T.int8, T.int32)
    product(a, b, 128, 256, 64, 3, 256, T.int8, T.int32)


def rival(name, a, b):
    torch.backends.cuda.matmul.allow_tf32 = False
    return (lambda: torch._int_mm(a, b.T)) if a.dtype is torch.int8 else (lambda: torch.mm(a, b.T))


if __name__ == "__main__":
    main()
