# SPDX-License-Identifier: Apache-2.0
# retention forward by chunks of 64 with the head's decay
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(Q: T.Tensor((8, 2048, 16, 64), "bfloat16"), Kx: T.Tensor((8, 2048, 16, 64), "bfloat16"), V: T.Tensor((8, 2048, 16, 128), "bfloat16"), Lg: T.Tensor((16,), "float32"), O: T.Tensor((8, 2048, 16, 128), "bfloat16")):
        with T.Kernel(16, 8, threads=128) as (bh, bb):
            q = T.alloc_shared((64, 64), "bfloat16")
            kk = T.alloc_shared((64, 64), "bfloat16")
            kd = T.alloc_shared((64, 64), "bfloat16")
            v = T.alloc_shared((64, 128), "bfloat16")
            h = T.alloc_fragment((64, 128), "float32")
            hs = T.alloc_shared((64, 128), "bfloat16")
            s = T.alloc_fragment((64, 64), "float32")
            p = T.alloc_fragment((64, 64), "bfloat16")
            o = T.alloc_fragment((64, 128), "float32")
            lg = T.alloc_var("float32")
            lg = -Lg[bh] * 0.1
            T.clear(h)
            for c in T.Pipelined(32, num_stages=2):
                T.copy(Q[bb, c * 64:(c + 1) * 64, bh, :], q)
                T.copy(Kx[bb, c * 64:(c + 1) * 64, bh, :], kk)
                T.copy(V[bb, c * 64:(c + 1) * 64, bh, :], v)
                T.copy(h, hs)
                T.clear(o)
                T.gemm(q, hs, o)
                for i, j in T.Parallel(64, 128):
                    o[i, j] *= T.exp2(lg * (i + 1))
                T.clear(s)
                T.gemm(q, kk, s, transpose_B=True)
                for i, j in T.Parallel(64, 64):
                    p[i, j] = T.if_then_else(i >= j, s[i, j] * T.exp2(lg * (i - j)), 0)
                T.gemm(p, v, o)
                T.copy(o, O[bb, c * 64:(c + 1) * 64, bh, :])
                for i, j in T.Parallel(64, 64):
                    kd[i, j] = kk[i, j] * T.exp2(lg * (63 - i))
                for i, j in T.Parallel(64, 128):
                    h[i, j] *= T.exp2(lg * 64)
                T.gemm(kd, v, h, transpose_A=True)

    return main


def main():
    kernel()(
        torch.randn((8, 2048, 16, 64), device="cuda", dtype=torch.bfloat16),
        torch.randn((8, 2048, 16, 64), device="cuda", dtype=torch.bfloat16),
        torch.randn((8, 2048, 16, 128), device="cuda", dtype=torch.bfloat16),
        torch.rand((16,), device="cuda", dtype=torch.float32),
        torch.empty((8, 2048, 16, 128), device="cuda", dtype=torch.bfloat16),
    )


if __name__ == "__main__":
    main()
