# SPDX-License-Identifier: Apache-2.0
# split-K 8 with f32 atomics; 128x128x64, 3 stages, 128 threads
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(A: T.Tensor((1024, 8192), "bfloat16"), B: T.Tensor((1024, 8192), "bfloat16"), C: T.Tensor((1024, 1024), "float32")):
        with T.Kernel(8, 8, 8, threads=128) as (bx, by, bz):
            a = T.alloc_shared((128, 64), "bfloat16")
            b = T.alloc_shared((128, 64), "bfloat16")
            c = T.alloc_fragment((128, 128), "float32")
            T.clear(c)
            for k in T.Pipelined(16, num_stages=3):
                T.copy(A[by * 128, bz * 1024 + k * 64], a)
                T.copy(B[bx * 128, bz * 1024 + k * 64], b)
                T.gemm(a, b, c, transpose_B=True)
            for i, j in T.Parallel(128, 128):
                T.atomic_add(C[by * 128 + i, bx * 128 + j], c[i, j])

    return main


def main():
    kernel()(
        torch.randn((1024, 8192), device="cuda", dtype=torch.bfloat16),
        torch.randn((1024, 8192), device="cuda", dtype=torch.bfloat16),
        torch.zeros((1024, 1024), device="cuda", dtype=torch.float32),
    )


if __name__ == "__main__":
    main()
