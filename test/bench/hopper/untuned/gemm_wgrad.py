# SPDX-License-Identifier: Apache-2.0
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(A: T.Tensor((8192, 2048), "bfloat16"), B: T.Tensor((8192, 2048), "bfloat16"), C: T.Tensor((2048, 2048), "float32")):
        with T.Kernel(16, 16, threads=256) as (bx, by):
            a = T.alloc_shared((64, 128), "bfloat16")
            b = T.alloc_shared((64, 128), "bfloat16")
            c = T.alloc_fragment((128, 128), "float32")
            T.clear(c)
            for k in T.Pipelined(128, num_stages=2):
                T.copy(A[k * 64, by * 128], a)
                T.copy(B[k * 64, bx * 128], b)
                T.gemm(a, b, c, transpose_A=True)
            T.copy(c, C[by * 128, bx * 128])

    return main


def main():
    kernel()(
        torch.randn((8192, 2048), device="cuda", dtype=torch.bfloat16),
        torch.randn((8192, 2048), device="cuda", dtype=torch.bfloat16),
        torch.empty((2048, 2048), device="cuda", dtype=torch.float32),
    )


if __name__ == "__main__":
    main()
