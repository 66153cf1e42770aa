# SPDX-License-Identifier: Apache-2.0
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(A: T.Tensor((2048, 4096), "int8"), B: T.Tensor((4096, 2048), "uint8"), Sa: T.Tensor((2048,), "float32"), Sb: T.Tensor((4096,), "float32"), C: T.Tensor((2048, 4096), "bfloat16")):
        with T.Kernel(32, 16, threads=256) as (bx, by):
            a = T.alloc_shared((128, 128), "int8")
            b = T.alloc_shared((128, 128), "int8")
            c = T.alloc_fragment((128, 128), "int32")
            q = T.alloc_shared((128, 64), "uint8")
            T.clear(c)
            for k in T.Pipelined(32, num_stages=2):
                T.copy(A[by * 128, k * 128], a)
                T.copy(B[bx * 128, k * 64], q)
                for i, j in T.Parallel(128, 128):
                    b[i, j] = T.cast((q[i, j // 2] >> ((j % 2) * 4)) & 15, "int8") - T.cast(8, "int8")
                T.gemm(a, b, c, transpose_B=True)
            o = T.alloc_fragment((128, 128), "float32")
            for i, j in T.Parallel(128, 128):
                o[i, j] = T.cast(c[i, j], "float32") * Sa[by * 128 + i] * Sb[bx * 128 + j]
            T.copy(o, C[by * 128, bx * 128])

    return main


def main():
    kernel()(
        torch.randint(-8, 8, (2048, 4096), device="cuda", dtype=torch.int8),
        torch.randint(0, 255, (4096, 2048), device="cuda", dtype=torch.uint8),
        torch.randn((2048,), device="cuda", dtype=torch.float32),
        torch.randn((4096,), device="cuda", dtype=torch.float32),
        torch.empty((2048, 4096), device="cuda", dtype=torch.bfloat16),
    )


if __name__ == "__main__":
    main()
