# SPDX-License-Identifier: Apache-2.0
# layernorm with residual, rows of 3072
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(X: T.Tensor((8192, 3072), "bfloat16"), R: T.Tensor((8192, 3072), "bfloat16"), W: T.Tensor((3072,), "float32"), B: T.Tensor((3072,), "float32"), Y: T.Tensor((8192, 3072), "bfloat16"), Ro: T.Tensor((8192, 3072), "bfloat16")):
        with T.Kernel(8192, threads=128) as bx:
            x = T.alloc_fragment((3072,), "float32")
            d = T.alloc_fragment((3072,), "float32")
            s = T.alloc_fragment((1,), "float32")
            v = T.alloc_fragment((1,), "float32")
            for i in T.Parallel(3072):
                x[i] = T.cast(X[bx, i], "float32") + T.cast(R[bx, i], "float32")
            T.copy(x, Ro[bx, :])
            T.reduce_sum(x, s, dim=0)
            for i in T.Parallel(3072):
                x[i] = x[i] - s[0] / 3072
            for i in T.Parallel(3072):
                d[i] = x[i] * x[i]
            T.reduce_sum(d, v, dim=0)
            for i in T.Parallel(3072):
                Y[bx, i] = x[i] * T.rsqrt(v[0] / 3072 + 1e-5) * W[i] + B[i]

    return main


def main():
    kernel()(
        torch.randn((8192, 3072), device="cuda", dtype=torch.bfloat16),
        torch.randn((8192, 3072), device="cuda", dtype=torch.bfloat16),
        torch.randn((3072,), device="cuda", dtype=torch.float32),
        torch.randn((3072,), device="cuda", dtype=torch.float32),
        torch.empty((8192, 3072), device="cuda", dtype=torch.bfloat16),
        torch.empty((8192, 3072), device="cuda", dtype=torch.bfloat16),
    )


if __name__ == "__main__":
    main()
