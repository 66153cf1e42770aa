# SPDX-License-Identifier: Apache-2.0
# batched gemm NN fp16, 128x128x32, 3 stages, 256 threads
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(A: T.Tensor((16, 1024, 512), "float16"), W: T.Tensor((16, 512, 1024), "float16"), C: T.Tensor((16, 1024, 1024), "float16")):
        with T.Kernel(8, 8, 16, threads=256) as (bx, by, bz):
            a = T.alloc_shared((128, 32), "float16")
            w = T.alloc_shared((32, 128), "float16")
            c = T.alloc_fragment((128, 128), "float32")
            T.clear(c)
            for k in T.Pipelined(16, num_stages=3):
                T.copy(A[bz, by * 128:(by + 1) * 128, k * 32:(k + 1) * 32], a)
                T.copy(W[bz, k * 32:(k + 1) * 32, bx * 128:(bx + 1) * 128], w)
                T.gemm(a, w, c)
            T.copy(c, C[bz, by * 128:(by + 1) * 128, bx * 128:(bx + 1) * 128])

    return main


def main():
    kernel()(
        torch.randn((16, 1024, 512), device="cuda", dtype=torch.float16),
        torch.randn((16, 512, 1024), device="cuda", dtype=torch.float16),
        torch.empty((16, 1024, 1024), device="cuda", dtype=torch.float16),
    )


if __name__ == "__main__":
    main()
