# SPDX-License-Identifier: Apache-2.0
# max pooling 3x3 stride 2 pad 1, NHWC
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(X: T.Tensor((64, 112, 112, 64), "bfloat16"), Y: T.Tensor((64, 56, 56, 64), "bfloat16")):
        with T.Kernel(56, 64, threads=256) as (bh, bb):
            acc = T.alloc_fragment((56, 64), "float32")
            T.fill(acc, -T.infinity("float32"))
            for r in T.serial(3):
                for q in T.serial(3):
                    for i, j in T.Parallel(56, 64):
                        acc[i, j] = T.max(acc[i, j], T.if_then_else(T.And(bh * 2 + r >= 1, i * 2 + q >= 1), T.cast(X[bb, bh * 2 + r - 1, i * 2 + q - 1, j], "float32"), -T.infinity("float32")))
            T.copy(acc, Y[bb, bh, :, :])

    return main


def main():
    kernel()(
        torch.randn((64, 112, 112, 64), device="cuda", dtype=torch.bfloat16),
        torch.empty((64, 56, 56, 64), device="cuda", dtype=torch.bfloat16),
    )


if __name__ == "__main__":
    main()
