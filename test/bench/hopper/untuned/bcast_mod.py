# SPDX-License-Identifier: Apache-2.0
# broadcast: x * (1 + scale[b]) + shift[b]
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(X: T.Tensor((8, 4096, 1152), "bfloat16"), Scale: T.Tensor((8, 1152), "bfloat16"), Shift: T.Tensor((8, 1152), "bfloat16"), Y: T.Tensor((8, 4096, 1152), "bfloat16")):
        with T.Kernel(512, 8, threads=256) as (bx, by):
            for i, j in T.Parallel(8, 1152):
                Y[by, bx * 8 + i, j] = X[by, bx * 8 + i, j] * (1 + Scale[by, j]) + Shift[by, j]

    return main


def main():
    kernel()(
        torch.randn((8, 4096, 1152), device="cuda", dtype=torch.bfloat16),
        torch.randn((8, 1152), device="cuda", dtype=torch.bfloat16),
        torch.randn((8, 1152), device="cuda", dtype=torch.bfloat16),
        torch.empty((8, 4096, 1152), device="cuda", dtype=torch.bfloat16),
    )


if __name__ == "__main__":
    main()
