# SPDX-License-Identifier: Apache-2.0
# cross-entropy backward
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(X: T.Tensor((4096, 32768), "bfloat16"), Lse: T.Tensor((4096,), "float32"), Label: T.Tensor((4096,), "int32"), G: T.Tensor((4096,), "float32"), DX: T.Tensor((4096, 32768), "bfloat16")):
        with T.Kernel(8, 4096, threads=256) as (bx, by):
            for i in T.Parallel(4096):
                DX[by, bx * 4096 + i] = (T.exp(T.cast(X[by, bx * 4096 + i], "float32") - Lse[by]) - T.if_then_else(bx * 4096 + i == Label[by], 1.0, 0.0)) * G[by]

    return main


def main():
    kernel()(
        torch.randn((4096, 32768), device="cuda", dtype=torch.bfloat16),
        torch.randn((4096,), device="cuda", dtype=torch.float32),
        torch.randint(0, 32768, (4096,), device="cuda", dtype=torch.int32),
        torch.randn((4096,), device="cuda", dtype=torch.float32),
        torch.empty((4096, 32768), device="cuda", dtype=torch.bfloat16),
    )


if __name__ == "__main__":
    main()
