# SPDX-License-Identifier: Apache-2.0
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(A: T.Tensor((2048, 4096), "float16"), B: T.Tensor((4096, 2048), "float16"), C: T.Tensor((2048, 2048), "float16")):
        with T.Kernel(16, 16, threads=128) as (bx, by):
            a = T.alloc_shared((128, 32), "float16")
            b = T.alloc_shared((32, 128), "float16")
            c = T.alloc_fragment((128, 128), "float32")
            T.clear(c)
            for k in T.Pipelined(128, num_stages=3):
                T.copy(A[by * 128, k * 32], a)
                T.copy(B[k * 32, bx * 128], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * 128, bx * 128])

    return main


def main():
    kernel()(
        torch.randn((2048, 4096), device="cuda", dtype=torch.float16),
        torch.randn((4096, 2048), device="cuda", dtype=torch.float16),
        torch.empty((2048, 2048), device="cuda", dtype=torch.float16),
    )


if __name__ == "__main__":
    main()
