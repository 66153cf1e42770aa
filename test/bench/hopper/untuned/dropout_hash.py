# SPDX-License-Identifier: Apache-2.0
# dropout + residual, mask from a hash of the index
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(X: T.Tensor((8192, 4096), "bfloat16"), R: T.Tensor((8192, 4096), "bfloat16"), Seed: T.Tensor((1,), "uint32"), Y: T.Tensor((8192, 4096), "bfloat16")):
        with T.Kernel(4, 2048, threads=128) as (bx, by):
            for i, j in T.Parallel(4, 1024):
                h0 = T.cast((by * 4 + i) * 4096 + bx * 1024 + j, "uint32") * T.uint32(2654435769) + Seed[0]
                h1 = (h0 ^ (h0 >> T.uint32(16))) * T.uint32(2246822507)
                h2 = (h1 ^ (h1 >> T.uint32(13))) * T.uint32(3266489909)
                h3 = h2 ^ (h2 >> T.uint32(16))
                Y[by * 4 + i, bx * 1024 + j] = T.if_then_else(h3 > T.uint32(429496729), T.cast(X[by * 4 + i, bx * 1024 + j], "float32") * 1.1111111, 0.0) + T.cast(R[by * 4 + i, bx * 1024 + j], "float32")

    return main


def main():
    kernel()(
        torch.randn((8192, 4096), device="cuda", dtype=torch.bfloat16),
        torch.randn((8192, 4096), device="cuda", dtype=torch.bfloat16),
        torch.zeros((1,), device="cuda", dtype=torch.uint32),
        torch.empty((8192, 4096), device="cuda", dtype=torch.bfloat16),
    )


if __name__ == "__main__":
    main()
