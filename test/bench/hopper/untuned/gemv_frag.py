# SPDX-License-Identifier: Apache-2.0
# GEMV bf16: 16 rows a block, chunks of 512 along K into a fragment, one reduction
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(W: T.Tensor((8192, 8192), "bfloat16"), X: T.Tensor((8192,), "bfloat16"), Y: T.Tensor((8192,), "bfloat16")):
        with T.Kernel(512, threads=128) as bx:
            acc = T.alloc_fragment((16, 512), "float32")
            y = T.alloc_fragment((16,), "float32")
            T.clear(acc)
            for k in T.serial(16):
                for i, j in T.Parallel(16, 512):
                    acc[i, j] += T.cast(W[bx * 16 + i, k * 512 + j], "float32") * T.cast(X[k * 512 + j], "float32")
            T.reduce_sum(acc, y, dim=1)
            for i in T.Parallel(16):
                Y[bx * 16 + i] = y[i]

    return main


def main():
    kernel()(
        torch.randn((8192, 8192), device="cuda", dtype=torch.bfloat16),
        torch.randn((8192,), device="cuda", dtype=torch.bfloat16),
        torch.empty((8192,), device="cuda", dtype=torch.bfloat16),
    )


if __name__ == "__main__":
    main()
