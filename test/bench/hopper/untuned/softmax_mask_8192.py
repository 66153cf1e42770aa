# SPDX-License-Identifier: Apache-2.0
# softmax with an additive mask, rows of 8192, online in chunks of 2048
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(X: T.Tensor((8192, 8192), "float16"), Mask: T.Tensor((16, 8192), "float16"), Y: T.Tensor((8192, 8192), "float16")):
        with T.Kernel(8192, threads=256) as bx:
            x = T.alloc_fragment((2048,), "float32")
            m = T.alloc_fragment((1,), "float32")
            mp = T.alloc_fragment((1,), "float32")
            s = T.alloc_fragment((1,), "float32")
            l = T.alloc_fragment((1,), "float32")
            T.fill(m, -T.infinity("float32"))
            T.fill(l, 0)
            for k in T.serial(4):
                for i in T.Parallel(2048):
                    x[i] = T.cast(X[bx, k * 2048 + i], "float32") * 0.125 + T.cast(Mask[bx // 512, k * 2048 + i], "float32")
                T.copy(m, mp)
                T.reduce_max(x, m, dim=0, clear=False)
                for i in T.Parallel(2048):
                    x[i] = T.exp(x[i] - m[0])
                T.reduce_sum(x, s, dim=0)
                l[0] = l[0] * T.exp(mp[0] - m[0]) + s[0]
            for k in T.serial(4):
                for i in T.Parallel(2048):
                    Y[bx, k * 2048 + i] = T.exp(T.cast(X[bx, k * 2048 + i], "float32") * 0.125 + T.cast(Mask[bx // 512, k * 2048 + i], "float32") - m[0]) / l[0]

    return main


def main():
    kernel()(
        torch.randn((8192, 8192), device="cuda", dtype=torch.float16),
        torch.randn((16, 8192), device="cuda", dtype=torch.float16),
        torch.empty((8192, 8192), device="cuda", dtype=torch.float16),
    )


if __name__ == "__main__":
    main()
