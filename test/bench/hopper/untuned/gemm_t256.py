# SPDX-License-Identifier: Apache-2.0
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(A: T.Tensor((4096, 4096), "bfloat16"), B: T.Tensor((4096, 4096), "bfloat16"), C: T.Tensor((4096, 4096), "bfloat16")):
        with T.Kernel(32, 16, threads=256) as (bx, by):
            a = T.alloc_shared((256, 64), "bfloat16")
            b = T.alloc_shared((128, 64), "bfloat16")
            c = T.alloc_fragment((256, 128), "float32")
            T.clear(c)
            for k in T.Pipelined(64, num_stages=3):
                T.copy(A[by * 256, k * 64], a)
                T.copy(B[bx * 128, k * 64], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * 256, bx * 128])

    return main


def main():
    kernel()(
        torch.randn((4096, 4096), device="cuda", dtype=torch.bfloat16),
        torch.randn((4096, 4096), device="cuda", dtype=torch.bfloat16),
        torch.empty((4096, 4096), device="cuda", dtype=torch.bfloat16),
    )


if __name__ == "__main__":
    main()
