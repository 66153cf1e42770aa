# SPDX-License-Identifier: Apache-2.0
# GQA decode, split KV: partial outputs and lse; 16 heads a KV head
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(Q: T.Tensor((8, 64, 128), "bfloat16"), K: T.Tensor((8, 8192, 4, 128), "bfloat16"), V: T.Tensor((8, 8192, 4, 128), "bfloat16"), Part: T.Tensor((8, 64, 8, 128), "float32"), Lse: T.Tensor((8, 64, 8), "float32")):
        with T.Kernel(8, 4, 8, threads=128) as (bb, bh, bs):
            q = T.alloc_shared((16, 128), "bfloat16")
            ks = T.alloc_shared((64, 128), "bfloat16")
            vs = T.alloc_shared((64, 128), "bfloat16")
            s = T.alloc_fragment((16, 64), "float32")
            ps = T.alloc_shared((16, 64), "bfloat16")
            o = T.alloc_fragment((16, 128), "float32")
            m = T.alloc_fragment((16,), "float32")
            mp = T.alloc_fragment((16,), "float32")
            al = T.alloc_fragment((16,), "float32")
            r = T.alloc_fragment((16,), "float32")
            l = T.alloc_fragment((16,), "float32")
            T.copy(Q[bb, bh * 16:(bh + 1) * 16, :], q)
            T.fill(o, 0)
            T.fill(l, 0)
            T.fill(m, -T.infinity("float32"))
            for k in T.Pipelined(16, num_stages=2):
                T.copy(K[bb, bs * 1024 + k * 64:bs * 1024 + (k + 1) * 64, bh, :], ks)
                T.clear(s)
                T.gemm(q, ks, s, transpose_B=True, policy=T.GemmWarpPolicy.FullCol)
                T.copy(m, mp)
                T.reduce_max(s, m, dim=1, clear=False)
                for i in T.Parallel(16):
                    al[i] = T.exp2((mp[i] - m[i]) * 0.1275)
                for i, j in T.Parallel(16, 64):
                    s[i, j] = T.exp2((s[i, j] - m[i]) * 0.1275)
                T.reduce_sum(s, r, dim=1)
                for i in T.Parallel(16):
                    l[i] = l[i] * al[i] + r[i]
                for i, j in T.Parallel(16, 128):
                    o[i, j] *= al[i]
                T.copy(s, ps)
                T.copy(V[bb, bs * 1024 + k * 64:bs * 1024 + (k + 1) * 64, bh, :], vs)
                T.gemm(ps, vs, o, policy=T.GemmWarpPolicy.FullCol)
            for i, j in T.Parallel(16, 128):
                o[i, j] /= l[i]
            for i in T.Parallel(16):
                l[i] = T.log2(l[i]) + m[i] * 0.1275
            T.copy(o, Part[bb, bh * 16:(bh + 1) * 16, bs, :])
            T.copy(l, Lse[bb, bh * 16:(bh + 1) * 16, bs])

    return main


def main():
    kernel()(
        torch.randn((8, 64, 128), device="cuda", dtype=torch.bfloat16),
        torch.randn((8, 8192, 4, 128), device="cuda", dtype=torch.bfloat16),
        torch.randn((8, 8192, 4, 128), device="cuda", dtype=torch.bfloat16),
        torch.empty((8, 64, 8, 128), device="cuda", dtype=torch.float32),
        torch.empty((8, 64, 8), device="cuda", dtype=torch.float32),
    )


if __name__ == "__main__":
    main()
