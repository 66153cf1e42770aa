# SPDX-License-Identifier: Apache-2.0
# router: top 8 of 256 experts and softmax of them, 32 rows a block
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(X: T.Tensor((16384, 256), "float32"), Gate: T.Tensor((16384, 8), "float32"), Id: T.Tensor((16384, 8), "int32")):
        with T.Kernel(512, threads=128) as bx:
            x = T.alloc_fragment((32, 256), "float32")
            pos = T.alloc_fragment((32, 256), "int32")
            mx = T.alloc_fragment((32,), "float32")
            at = T.alloc_fragment((32,), "int32")
            g = T.alloc_shared((32, 8), "float32")
            gf = T.alloc_fragment((32, 8), "float32")
            first = T.alloc_fragment((32,), "float32")
            tot = T.alloc_fragment((32,), "float32")
            T.copy(X[bx * 32, 0], x)
            for k in T.serial(8):
                T.reduce_max(x, mx, dim=1, clear=True)
                for i, j in T.Parallel(32, 256):
                    pos[i, j] = T.if_then_else(x[i, j] == mx[i], j, 256)
                T.reduce_min(pos, at, dim=1, clear=True)
                for i, j in T.Parallel(32, 256):
                    x[i, j] = T.if_then_else(j == at[i], -T.infinity("float32"), x[i, j])
                for i in T.Parallel(32):
                    g[i, k] = mx[i]
                    Id[bx * 32 + i, k] = at[i]
            T.copy(g, gf)
            T.reduce_max(gf, first, dim=1)
            for i, j in T.Parallel(32, 8):
                gf[i, j] = T.exp(gf[i, j] - first[i])
            T.reduce_sum(gf, tot, dim=1)
            for i, j in T.Parallel(32, 8):
                Gate[bx * 32 + i, j] = gf[i, j] / tot[i]

    return main


def main():
    kernel()(
        torch.randn((16384, 256), device="cuda", dtype=torch.float32),
        torch.empty((16384, 8), device="cuda", dtype=torch.float32),
        torch.zeros((16384, 8), device="cuda", dtype=torch.int32),
    )


if __name__ == "__main__":
    main()
