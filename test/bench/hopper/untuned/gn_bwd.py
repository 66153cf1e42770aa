# SPDX-License-Identifier: Apache-2.0
# group norm backward (NHWC, 32 groups), two passes over a group
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(X: T.Tensor((16, 4096, 512), "bfloat16"), DY: T.Tensor((16, 4096, 512), "bfloat16"), W: T.Tensor((512,), "float32"), Mean: T.Tensor((16, 32), "float32"), Rstd: T.Tensor((16, 32), "float32"), DX: T.Tensor((16, 4096, 512), "bfloat16")):
        with T.Kernel(32, 16, threads=256) as (bg, bb):
            xh = T.alloc_fragment((256, 16), "float32")
            dy = T.alloc_fragment((256, 16), "float32")
            s1 = T.alloc_fragment((256, 16), "float32")
            s2 = T.alloc_fragment((256, 16), "float32")
            r1 = T.alloc_fragment((256,), "float32")
            r2 = T.alloc_fragment((256,), "float32")
            a = T.alloc_fragment((1,), "float32")
            b = T.alloc_fragment((1,), "float32")
            T.clear(s1)
            T.clear(s2)
            for k in T.serial(16):
                for i, j in T.Parallel(256, 16):
                    xh[i, j] = (T.cast(X[bb, k * 256 + i, bg * 16 + j], "float32") - Mean[bb, bg]) * Rstd[bb, bg]
                    dy[i, j] = T.cast(DY[bb, k * 256 + i, bg * 16 + j], "float32") * W[bg * 16 + j]
                for i, j in T.Parallel(256, 16):
                    s1[i, j] += dy[i, j]
                    s2[i, j] += dy[i, j] * xh[i, j]
            T.reduce_sum(s1, r1, dim=1)
            T.reduce_sum(s2, r2, dim=1)
            T.reduce_sum(r1, a, dim=0)
            T.reduce_sum(r2, b, dim=0)
            for k in T.serial(16):
                for i, j in T.Parallel(256, 16):
                    xh[i, j] = (T.cast(X[bb, k * 256 + i, bg * 16 + j], "float32") - Mean[bb, bg]) * Rstd[bb, bg]
                    DX[bb, k * 256 + i, bg * 16 + j] = (T.cast(DY[bb, k * 256 + i, bg * 16 + j], "float32") * W[bg * 16 + j] - a[0] / 65536 - xh[i, j] * (b[0] / 65536)) * Rstd[bb, bg]

    return main


def main():
    kernel()(
        torch.randn((16, 4096, 512), device="cuda", dtype=torch.bfloat16),
        torch.randn((16, 4096, 512), device="cuda", dtype=torch.bfloat16),
        torch.randn((512,), device="cuda", dtype=torch.float32),
        torch.randn((16, 32), device="cuda", dtype=torch.float32),
        torch.rand((16, 32), device="cuda", dtype=torch.float32),
        torch.empty((16, 4096, 512), device="cuda", dtype=torch.bfloat16),
    )


if __name__ == "__main__":
    main()
