# SPDX-License-Identifier: Apache-2.0
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def matmul(A, block_M, block_N, dtype=T.float16):
    M, N = T.const("M, N")
    A: T.Tensor((M, N), dtype)
    with T.Kernel(T.ceildiv(M, block_M), T.ceildiv(N, block_N)) as (bx, by):
        for i, j in T.Parallel(block_M, block_N):
            A[bx * block_M + i, by * block_N + j] = 1.0
    return A


def factory(N, block=64):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, block)) as bx:
            for i in T.Parallel(block):
                A[bx * block + i] = 1.0

    return main


def helper(x):
    return x


def test_matmul(n=96):
    a = torch.randn(64, n, device="cuda", dtype=torch.float16).transpose(0, 1).contiguous()
    out = matmul(a, 32, block_N=32)
    if (out - a).abs().max() > 0:
        a.grad = None


def test_inner(scale):
    @tilelang.jit
    def inner(A, bs=64):
        N = T.const("N")
        A: T.Tensor((N,), "float32")
        with T.Kernel(T.ceildiv(N, bs)) as bx:
            for i in T.Parallel(bs):
                A[bx * bs + i] = A[bx * bs + i] * scale

    x = torch.randn(256)
    inner(x)
