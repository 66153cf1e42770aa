# SPDX-License-Identifier: Apache-2.0
# argmax of rows of 8192 (smallest index)
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(X: T.Tensor((8192, 8192), "bfloat16"), Y: T.Tensor((8192,), "int32"), V: T.Tensor((8192,), "float32")):
        with T.Kernel(8192, threads=256) as bx:
            x = T.alloc_fragment((8192,), "float32")
            p = T.alloc_fragment((8192,), "int32")
            m = T.alloc_fragment((1,), "float32")
            a = T.alloc_fragment((1,), "int32")
            T.copy(X[bx, :], x)
            T.reduce_max(x, m, dim=0)
            for i in T.Parallel(8192):
                p[i] = T.if_then_else(x[i] == m[0], i, 8192)
            T.reduce_min(p, a, dim=0)
            Y[bx] = a[0]
            V[bx] = m[0]

    return main


def main():
    kernel()(
        torch.randn((8192, 8192), device="cuda", dtype=torch.bfloat16),
        torch.zeros((8192,), device="cuda", dtype=torch.int32),
        torch.empty((8192,), device="cuda", dtype=torch.float32),
    )


if __name__ == "__main__":
    main()
