# SPDX-License-Identifier: Apache-2.0
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(A: T.Tensor((1024, 4096), "float16"), B: T.Tensor((2048, 4096), "uint8"), S: T.Tensor((64, 4096), "float16"), C: T.Tensor((1024, 4096), "float16")):
        with T.Kernel(32, 8, threads=128) as (bx, by):
            a = T.alloc_shared((128, 64), "float16")
            b = T.alloc_shared((64, 128), "float16")
            c = T.alloc_fragment((128, 128), "float32")
            q = T.alloc_shared((32, 128), "uint8")
            s = T.alloc_shared((128,), "float16")
            T.clear(c)
            for k in T.Pipelined(64, num_stages=2):
                T.copy(A[by * 128, k * 64], a)
                T.copy(B[k * 32, bx * 128], q)
                T.copy(S[k, bx * 128:(bx + 1) * 128], s)
                for i, j in T.Parallel(64, 128):
                    b[i, j] = (T.cast((q[i // 2, j] >> ((i % 2) * 4)) & 15, "float16") - 8) * s[j]
                T.gemm(a, b, c)
            T.copy(c, C[by * 128, bx * 128])

    return main


def main():
    kernel()(
        torch.randn((1024, 4096), device="cuda", dtype=torch.float16),
        torch.randint(0, 255, (2048, 4096), device="cuda", dtype=torch.uint8),
        torch.randn((64, 4096), device="cuda", dtype=torch.float16),
        torch.empty((1024, 4096), device="cuda", dtype=torch.float16),
    )


if __name__ == "__main__":
    main()
