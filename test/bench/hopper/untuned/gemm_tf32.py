# SPDX-License-Identifier: Apache-2.0
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(A: T.Tensor((2048, 2048), "float32"), B: T.Tensor((2048, 2048), "float32"), C: T.Tensor((2048, 2048), "float32")):
        with T.Kernel(16, 16, threads=256) as (bx, by):
            a = T.alloc_shared((128, 32), "float32")
            b = T.alloc_shared((128, 32), "float32")
            c = T.alloc_fragment((128, 128), "float32")
            T.clear(c)
            for k in T.Pipelined(64, num_stages=3):
                T.copy(A[by * 128, k * 32], a)
                T.copy(B[bx * 128, k * 32], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * 128, bx * 128])

    return main


def main():
    kernel()(
        torch.randn((2048, 2048), device="cuda", dtype=torch.float32),
        torch.randn((2048, 2048), device="cuda", dtype=torch.float32),
        torch.empty((2048, 2048), device="cuda", dtype=torch.float32),
    )


if __name__ == "__main__":
    main()
