# SPDX-License-Identifier: Apache-2.0
# swiglu, then fp8 by blocks of 128 with scales
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(X: T.Tensor((4096, 14336), "bfloat16"), Y: T.Tensor((4096, 7168), "float8_e4m3fn"), S: T.Tensor((4096, 56), "float32")):
        with T.Kernel(56, 128, threads=128) as (bx, by):
            g = T.alloc_fragment((32, 128), "float32")
            u = T.alloc_fragment((32, 128), "float32")
            mx = T.alloc_fragment((32,), "float32")
            T.copy(X[by * 32, bx * 128], g)
            T.copy(X[by * 32, bx * 128 + 7168], u)
            for i, j in T.Parallel(32, 128):
                g[i, j] = g[i, j] / (1.0 + T.exp(-g[i, j])) * u[i, j]
            T.reduce_absmax(g, mx, dim=1)
            for i in T.Parallel(32):
                mx[i] = T.max(mx[i], 1e-4) / 448.0
                S[by * 32 + i, bx] = mx[i]
            for i, j in T.Parallel(32, 128):
                Y[by * 32 + i, bx * 128 + j] = T.clamp(g[i, j] / mx[i], -448.0, 448.0)

    return main


def main():
    kernel()(
        torch.randn((4096, 14336), device="cuda", dtype=torch.bfloat16),
        torch.empty((4096, 7168), device="cuda", dtype=torch.float8_e4m3fn),
        torch.empty((4096, 56), device="cuda", dtype=torch.float32),
    )


if __name__ == "__main__":
    main()
