# SPDX-License-Identifier: Apache-2.0
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(A: T.Tensor((2048, 2048), "bfloat16"), B: T.Tensor((2048, 2048), "bfloat16"), C: T.Tensor((2048, 2048), "bfloat16")):
        with T.Kernel(32, 32, threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "bfloat16")
            b = T.alloc_shared((64, 32), "bfloat16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for k in T.Pipelined(64, num_stages=2):
                T.copy(A[by * 64, k * 32], a)
                T.copy(B[bx * 64, k * 32], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * 64, bx * 64])

    return main


def main():
    kernel()(
        torch.randn((2048, 2048), device="cuda", dtype=torch.bfloat16),
        torch.randn((2048, 2048), device="cuda", dtype=torch.bfloat16),
        torch.empty((2048, 2048), device="cuda", dtype=torch.bfloat16),
    )


if __name__ == "__main__":
    main()
