# SPDX-License-Identifier: Apache-2.0
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(A: T.Tensor((4096, 4096), "float8_e4m3fn"), B: T.Tensor((4096, 4096), "float8_e4m3fn"), Sa: T.Tensor((4096,), "float32"), Sb: T.Tensor((4096,), "float32"), C: T.Tensor((4096, 4096), "bfloat16")):
        with T.Kernel(32, 32, threads=256) as (bx, by):
            a = T.alloc_shared((128, 128), "float8_e4m3fn")
            b = T.alloc_shared((128, 128), "float8_e4m3fn")
            c = T.alloc_fragment((128, 128), "float32")
            T.clear(c)
            for k in T.Pipelined(32, num_stages=3):
                T.copy(A[by * 128, k * 128], a)
                T.copy(B[bx * 128, k * 128], b)
                T.gemm(a, b, c, transpose_B=True)
            for i, j in T.Parallel(128, 128):
                c[i, j] = c[i, j] * Sa[by * 128 + i] * Sb[bx * 128 + j]
            T.copy(c, C[by * 128, bx * 128])

    return main


def main():
    kernel()(
        torch.randn((4096, 4096), device="cuda").to(torch.float8_e4m3fn),
        torch.randn((4096, 4096), device="cuda").to(torch.float8_e4m3fn),
        torch.randn((4096,), device="cuda", dtype=torch.float32),
        torch.randn((4096,), device="cuda", dtype=torch.float32),
        torch.empty((4096, 4096), device="cuda", dtype=torch.bfloat16),
    )


if __name__ == "__main__":
    main()
