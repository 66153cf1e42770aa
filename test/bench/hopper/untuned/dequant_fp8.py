# SPDX-License-Identifier: Apache-2.0
# fp8 weights with scales of 128x128 blocks to bf16
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(X: T.Tensor((7168, 7168), "float8_e4m3fn"), S: T.Tensor((56, 56), "float32"), Y: T.Tensor((7168, 7168), "bfloat16")):
        with T.Kernel(56, 56, threads=256) as (bx, by):
            for i, j in T.Parallel(128, 128):
                Y[by * 128 + i, bx * 128 + j] = T.cast(X[by * 128 + i, bx * 128 + j], "float32") * S[by, bx]

    return main


def main():
    kernel()(
        torch.randn((7168, 7168), device="cuda").to(torch.float8_e4m3fn),
        torch.randn((56, 56), device="cuda", dtype=torch.float32),
        torch.empty((7168, 7168), device="cuda", dtype=torch.bfloat16),
    )


if __name__ == "__main__":
    main()
