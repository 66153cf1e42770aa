# SPDX-License-Identifier: Apache-2.0
# rmsnorm backward, 32 rows a block, dW by atomics over columns
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(X: T.Tensor((8192, 2048), "bfloat16"), DY: T.Tensor((8192, 2048), "bfloat16"), W: T.Tensor((2048,), "float32"), Rstd: T.Tensor((8192,), "float32"), DX: T.Tensor((8192, 2048), "bfloat16"), DW: T.Tensor((2048,), "float32")):
        with T.Kernel(256, threads=256) as bx:
            x = T.alloc_fragment((2048,), "float32")
            dy = T.alloc_fragment((2048,), "float32")
            w = T.alloc_fragment((2048,), "float32")
            t = T.alloc_fragment((2048,), "float32")
            dw = T.alloc_fragment((2048,), "float32")
            s = T.alloc_fragment((1,), "float32")
            T.copy(W, w)
            T.clear(dw)
            for r in T.serial(32):
                T.copy(X[bx * 32 + r, :], x)
                T.copy(DY[bx * 32 + r, :], dy)
                for i in T.Parallel(2048):
                    x[i] = x[i] * Rstd[bx * 32 + r]
                for i in T.Parallel(2048):
                    dw[i] += dy[i] * x[i]
                for i in T.Parallel(2048):
                    dy[i] = dy[i] * w[i]
                for i in T.Parallel(2048):
                    t[i] = dy[i] * x[i]
                T.reduce_sum(t, s, dim=0)
                for i in T.Parallel(2048):
                    DX[bx * 32 + r, i] = (dy[i] - x[i] * (s[0] / 2048)) * Rstd[bx * 32 + r]
            for i in T.Parallel(2048):
                T.atomic_add(DW[i], dw[i])

    return main


def main():
    kernel()(
        torch.randn((8192, 2048), device="cuda", dtype=torch.bfloat16),
        torch.randn((8192, 2048), device="cuda", dtype=torch.bfloat16),
        torch.randn((2048,), device="cuda", dtype=torch.float32),
        torch.randn((8192,), device="cuda", dtype=torch.float32),
        torch.empty((8192, 2048), device="cuda", dtype=torch.bfloat16),
        torch.zeros((2048,), device="cuda", dtype=torch.float32),
    )


if __name__ == "__main__":
    main()
