# SPDX-License-Identifier: Apache-2.0
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(A: T.Tensor((4096, 1024), "bfloat16"), B: T.Tensor((4096, 1024), "bfloat16"), Bias: T.Tensor((4096,), "bfloat16"), C: T.Tensor((4096, 4096), "bfloat16")):
        with T.Kernel(32, 32, threads=256) as (bx, by):
            a = T.alloc_shared((128, 64), "bfloat16")
            b = T.alloc_shared((128, 64), "bfloat16")
            c = T.alloc_fragment((128, 128), "float32")
            T.clear(c)
            for k in T.Pipelined(16, num_stages=2):
                T.copy(A[by * 128, k * 64], a)
                T.copy(B[bx * 128, k * 64], b)
                T.gemm(a, b, c, transpose_B=True)
            for i, j in T.Parallel(128, 128):
                c[i, j] = c[i, j] + Bias[bx * 128 + j]
            for i, j in T.Parallel(128, 128):
                c[i, j] = 0.5 * c[i, j] * (1.0 + T.erf(c[i, j] * 0.7071067811865476))
            T.copy(c, C[by * 128, bx * 128])

    return main


def main():
    kernel()(
        torch.randn((4096, 1024), device="cuda", dtype=torch.bfloat16),
        torch.randn((4096, 1024), device="cuda", dtype=torch.bfloat16),
        torch.randn((4096,), device="cuda", dtype=torch.bfloat16),
        torch.empty((4096, 4096), device="cuda", dtype=torch.bfloat16),
    )


if __name__ == "__main__":
    main()
