# SPDX-License-Identifier: Apache-2.0
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(A: T.Tensor((4096, 2048), "float16"), B: T.Tensor((2048, 2048), "float16"), C: T.Tensor((4096, 2048), "float16")):
        with T.Kernel(32, 32, threads=128) as (bx, by):
            a = T.alloc_shared((128, 64), "float16")
            b = T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((128, 64), "float32")
            T.clear(c)
            for k in T.Pipelined(32, num_stages=0):
                T.copy(A[by * 128, k * 64], a)
                T.copy(B[bx * 64, k * 64], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * 128, bx * 64])

    return main


def main():
    kernel()(
        torch.randn((4096, 2048), device="cuda", dtype=torch.float16),
        torch.randn((2048, 2048), device="cuda", dtype=torch.float16),
        torch.empty((4096, 2048), device="cuda", dtype=torch.float16),
    )


if __name__ == "__main__":
    main()
