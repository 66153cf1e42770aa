# SPDX-License-Identifier: Apache-2.0
# Hadamard transform of 128 columns of each row, butterflies in shared memory, 32 rows a block
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(X: T.Tensor((131072, 128), "bfloat16"), Y: T.Tensor((131072, 128), "bfloat16")):
        with T.Kernel(4096, threads=128) as bx:
            s = T.alloc_shared((32, 128), "float32")
            f = T.alloc_fragment((32, 128), "float32")
            T.copy(X[bx * 32, 0], s)
            for b in T.serial(7):
                h = 1 << b
                for i, j in T.Parallel(32, 128):
                    f[i, j] = T.if_then_else((j & h) == 0, s[i, j] + s[i, j ^ h], s[i, j ^ h] - s[i, j])
                T.copy(f, s)
            for i, j in T.Parallel(32, 128):
                Y[bx * 32 + i, j] = s[i, j] * 0.08838834764831845

    return main


def main():
    kernel()(
        torch.randn((131072, 128), device="cuda", dtype=torch.bfloat16),
        torch.empty((131072, 128), device="cuda", dtype=torch.bfloat16),
    )


if __name__ == "__main__":
    main()
