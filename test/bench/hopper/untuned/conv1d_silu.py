# SPDX-License-Identifier: Apache-2.0
# causal conv1d k=4 with bias and silu
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(X: T.Tensor((8, 2048, 4096), "bfloat16"), W: T.Tensor((4, 4096), "float32"), Bias: T.Tensor((4096,), "float32"), Y: T.Tensor((8, 2048, 4096), "bfloat16")):
        with T.Kernel(32, 32, 8, threads=128) as (bx, by, bz):
            acc = T.alloc_fragment((64, 128), "float32")
            for i, j in T.Parallel(64, 128):
                acc[i, j] = Bias[bx * 128 + j]
            for w in T.serial(4):
                for i, j in T.Parallel(64, 128):
                    acc[i, j] += T.if_then_else(by * 64 + i + w >= 3, T.cast(X[bz, by * 64 + i + w - 3, bx * 128 + j], "float32"), 0.0) * W[w, bx * 128 + j]
            for i, j in T.Parallel(64, 128):
                Y[bz, by * 64 + i, bx * 128 + j] = acc[i, j] / (1.0 + T.exp(-acc[i, j]))

    return main


def main():
    kernel()(
        torch.randn((8, 2048, 4096), device="cuda", dtype=torch.bfloat16),
        torch.randn((4, 4096), device="cuda", dtype=torch.float32),
        torch.randn((4096,), device="cuda", dtype=torch.float32),
        torch.empty((8, 2048, 4096), device="cuda", dtype=torch.bfloat16),
    )


if __name__ == "__main__":
    main()
