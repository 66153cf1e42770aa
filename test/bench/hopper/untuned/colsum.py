# SPDX-License-Identifier: Apache-2.0
# column sums (bias gradient), a block per 32 columns over all rows
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(X: T.Tensor((8192, 8192), "bfloat16"), Y: T.Tensor((8192,), "float32")):
        with T.Kernel(256, threads=256) as bx:
            x = T.alloc_shared((256, 32), "bfloat16")
            acc = T.alloc_fragment((256, 32), "float32")
            y = T.alloc_fragment((32,), "float32")
            T.clear(acc)
            for k in T.Pipelined(32, num_stages=3):
                T.copy(X[k * 256, bx * 32], x)
                for i, j in T.Parallel(256, 32):
                    acc[i, j] += x[i, j]
            T.reduce_sum(acc, y, dim=0)
            T.copy(y, Y[bx * 32:(bx + 1) * 32])

    return main


def main():
    kernel()(
        torch.randn((8192, 8192), device="cuda", dtype=torch.bfloat16),
        torch.empty((8192,), device="cuda", dtype=torch.float32),
    )


if __name__ == "__main__":
    main()
