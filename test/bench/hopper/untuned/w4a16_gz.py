# SPDX-License-Identifier: Apache-2.0
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(A: T.Tensor((1024, 4096), "bfloat16"), B: T.Tensor((4096, 2048), "uint8"), S: T.Tensor((4096, 32), "bfloat16"), Z: T.Tensor((4096, 32), "uint8"), C: T.Tensor((1024, 4096), "bfloat16")):
        with T.Kernel(32, 8, threads=256) as (bx, by):
            a = T.alloc_shared((128, 64), "bfloat16")
            b = T.alloc_shared((128, 64), "bfloat16")
            c = T.alloc_fragment((128, 128), "float32")
            q = T.alloc_shared((128, 32), "uint8")
            d = T.alloc_fragment((128, 64), "bfloat16")
            T.clear(c)
            for k in T.Pipelined(64, num_stages=2):
                T.copy(A[by * 128, k * 64], a)
                T.copy(B[bx * 128, k * 32], q)
                for i, j in T.Parallel(128, 64):
                    d[i, j] = (T.cast((q[i, j // 2] >> ((j % 2) * 4)) & 15, "float32") - T.cast(Z[bx * 128 + i, k // 2], "float32")) * T.cast(S[bx * 128 + i, k // 2], "float32")
                T.copy(d, b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * 128, bx * 128])

    return main


def main():
    kernel()(
        torch.randn((1024, 4096), device="cuda", dtype=torch.bfloat16),
        torch.randint(0, 255, (4096, 2048), device="cuda", dtype=torch.uint8),
        torch.randn((4096, 32), device="cuda", dtype=torch.bfloat16),
        torch.randint(0, 16, (4096, 32), device="cuda", dtype=torch.uint8),
        torch.empty((1024, 4096), device="cuda", dtype=torch.bfloat16),
    )


if __name__ == "__main__":
    main()
