# SPDX-License-Identifier: Apache-2.0
# batched small GEMV (a head's 512x128 matrix times a vector, 128 heads x 4)
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(W: T.Tensor((128, 512, 128), "bfloat16"), X: T.Tensor((16, 128, 128), "bfloat16"), Y: T.Tensor((16, 128, 512), "bfloat16")):
        with T.Kernel(8, 128, 16, threads=128) as (bx, by, bz):
            p = T.alloc_fragment((64, 128), "float32")
            y = T.alloc_fragment((64,), "float32")
            for i, j in T.Parallel(64, 128):
                p[i, j] = T.cast(W[by, bx * 64 + i, j], "float32") * T.cast(X[bz, by, j], "float32")
            T.reduce_sum(p, y, dim=1)
            T.copy(y, Y[bz, by, bx * 64:(bx + 1) * 64])

    return main


def main():
    kernel()(
        torch.randn((128, 512, 128), device="cuda", dtype=torch.bfloat16),
        torch.randn((16, 128, 128), device="cuda", dtype=torch.bfloat16),
        torch.empty((16, 128, 512), device="cuda", dtype=torch.bfloat16),
    )


if __name__ == "__main__":
    main()
