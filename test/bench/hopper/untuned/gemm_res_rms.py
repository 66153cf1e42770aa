# SPDX-License-Identifier: Apache-2.0
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(A: T.Tensor((2048, 2048), "bfloat16"), B: T.Tensor((4096, 2048), "bfloat16"), Res: T.Tensor((2048, 4096), "bfloat16"), C: T.Tensor((2048, 4096), "bfloat16"), P: T.Tensor((2048, 32), "float32")):
        with T.Kernel(32, 16, threads=128) as (bx, by):
            a = T.alloc_shared((128, 64), "bfloat16")
            b = T.alloc_shared((128, 64), "bfloat16")
            c = T.alloc_fragment((128, 128), "float32")
            r = T.alloc_shared((128, 128), "bfloat16")
            sq = T.alloc_fragment((128, 128), "float32")
            ss = T.alloc_fragment((128,), "float32")
            T.clear(c)
            for k in T.Pipelined(32, num_stages=3):
                T.copy(A[by * 128, k * 64], a)
                T.copy(B[bx * 128, k * 64], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(Res[by * 128, bx * 128], r)
            for i, j in T.Parallel(128, 128):
                c[i, j] += r[i, j]
            for i, j in T.Parallel(128, 128):
                sq[i, j] = c[i, j] * c[i, j]
            T.reduce_sum(sq, ss, dim=1)
            for i in T.Parallel(128):
                P[by * 128 + i, bx] = ss[i]
            T.copy(c, C[by * 128, bx * 128])

    return main


def main():
    kernel()(
        torch.randn((2048, 2048), device="cuda", dtype=torch.bfloat16),
        torch.randn((4096, 2048), device="cuda", dtype=torch.bfloat16),
        torch.randn((2048, 4096), device="cuda", dtype=torch.bfloat16),
        torch.empty((2048, 4096), device="cuda", dtype=torch.bfloat16),
        torch.empty((2048, 32), device="cuda", dtype=torch.float32),
    )


if __name__ == "__main__":
    main()
