# SPDX-License-Identifier: Apache-2.0
# batched transpose bf16, 64x64 tiles through shared memory
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(X: T.Tensor((16, 2048, 1024), "bfloat16"), Y: T.Tensor((16, 1024, 2048), "bfloat16")):
        with T.Kernel(16, 32, 16, threads=128) as (bx, by, bz):
            t = T.alloc_shared((64, 64), "bfloat16")
            T.copy(X[bz, by * 64:(by + 1) * 64, bx * 64:(bx + 1) * 64], t)
            for i, j in T.Parallel(64, 64):
                Y[bz, bx * 64 + i, by * 64 + j] = t[j, i]

    return main


def main():
    kernel()(
        torch.randn((16, 2048, 1024), device="cuda", dtype=torch.bfloat16),
        torch.empty((16, 1024, 2048), device="cuda", dtype=torch.bfloat16),
    )


if __name__ == "__main__":
    main()
