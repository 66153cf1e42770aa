# SPDX-License-Identifier: Apache-2.0
# cumulative sums of rows of 1024, 8 rows a block
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(X: T.Tensor((32768, 1024), "float32"), Y: T.Tensor((32768, 1024), "float32")):
        with T.Kernel(4096, threads=256) as bx:
            x = T.alloc_shared((8, 1024), "float32")
            T.copy(X[bx * 8, 0], x)
            T.cumsum(x, dim=1)
            T.copy(x, Y[bx * 8, 0])

    return main


def main():
    kernel()(
        torch.randn((32768, 1024), device="cuda", dtype=torch.float32),
        torch.empty((32768, 1024), device="cuda", dtype=torch.float32),
    )


if __name__ == "__main__":
    main()
