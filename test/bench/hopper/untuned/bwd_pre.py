# SPDX-License-Identifier: Apache-2.0
# attention backward preprocess: delta = sum(O * dO)
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(O: T.Tensor((4, 4096, 16, 128), "bfloat16"), DO: T.Tensor((4, 4096, 16, 128), "bfloat16"), Delta: T.Tensor((4, 16, 4096), "float32")):
        with T.Kernel(64, 16, 4, threads=128) as (bx, by, bz):
            o = T.alloc_fragment((64, 128), "float32")
            do = T.alloc_fragment((64, 128), "float32")
            d = T.alloc_fragment((64,), "float32")
            T.copy(O[bz, bx * 64:(bx + 1) * 64, by, :], o)
            T.copy(DO[bz, bx * 64:(bx + 1) * 64, by, :], do)
            for i, j in T.Parallel(64, 128):
                o[i, j] = o[i, j] * do[i, j]
            T.reduce_sum(o, d, dim=1)
            T.copy(d, Delta[bz, by, bx * 64:(bx + 1) * 64])

    return main


def main():
    kernel()(
        torch.randn((4, 4096, 16, 128), device="cuda", dtype=torch.bfloat16),
        torch.randn((4, 4096, 16, 128), device="cuda", dtype=torch.bfloat16),
        torch.empty((4, 16, 4096), device="cuda", dtype=torch.float32),
    )


if __name__ == "__main__":
    main()
