# SPDX-License-Identifier: Apache-2.0
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(A: T.Tensor((4096, 2048), "int8"), B: T.Tensor((4096, 2048), "int8"), Sa: T.Tensor((4096,), "float32"), Sb: T.Tensor((4096,), "float32"), Bias: T.Tensor((4096,), "float16"), C: T.Tensor((4096, 4096), "float16")):
        with T.Kernel(32, 32, threads=128) as (bx, by):
            a = T.alloc_shared((128, 64), "int8")
            b = T.alloc_shared((128, 64), "int8")
            c = T.alloc_fragment((128, 128), "int32")
            o = T.alloc_shared((128, 128), "float16")
            T.clear(c)
            for k in T.Pipelined(32, num_stages=3):
                T.copy(A[by * 128, k * 64], a)
                T.copy(B[bx * 128, k * 64], b)
                T.gemm(a, b, c, transpose_B=True)
            for i, j in T.Parallel(128, 128):
                o[i, j] = T.cast(c[i, j], "float32") * Sa[by * 128 + i] * Sb[bx * 128 + j] + Bias[bx * 128 + j]
            T.copy(o, C[by * 128, bx * 128])

    return main


def main():
    kernel()(
        torch.randint(-8, 8, (4096, 2048), device="cuda", dtype=torch.int8),
        torch.randint(-8, 8, (4096, 2048), device="cuda", dtype=torch.int8),
        torch.randn((4096,), device="cuda", dtype=torch.float32),
        torch.randn((4096,), device="cuda", dtype=torch.float32),
        torch.randn((4096,), device="cuda", dtype=torch.float16),
        torch.empty((4096, 4096), device="cuda", dtype=torch.float16),
    )


if __name__ == "__main__":
    main()
