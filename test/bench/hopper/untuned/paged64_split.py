# SPDX-License-Identifier: Apache-2.0
# paged decode, pages of 64 [page, kv head, 64, 128], ragged lengths, split over pages
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(Q: T.Tensor((16, 64, 128), "bfloat16"), Kc: T.Tensor((2048, 4, 64, 128), "bfloat16"), Vc: T.Tensor((2048, 4, 64, 128), "bfloat16"), Table: T.Tensor((16, 64), "int32"), Lens: T.Tensor((16,), "int32"), Part: T.Tensor((16, 64, 4, 128), "float32"), Lse: T.Tensor((16, 64, 4), "float32")):
        with T.Kernel(16, 4, 4, threads=128) as (bb, bh, bs):
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
            n = T.max(1, T.min(16, T.ceildiv(Lens[bb] - bs * 1024, 64)))
            T.copy(Q[bb, bh * 16:(bh + 1) * 16, :], q)
            T.fill(o, 0)
            T.fill(l, 0)
            T.fill(m, -T.infinity("float32"))
            for k in T.Pipelined(n, num_stages=2):
                T.copy(Kc[Table[bb, bs * 16 + k], bh, :, :], ks)
                T.clear(s)
                T.gemm(q, ks, s, transpose_B=True, policy=T.GemmWarpPolicy.FullCol)
                for i, j in T.Parallel(16, 64):
                    s[i, j] = T.if_then_else(bs * 1024 + k * 64 + j < Lens[bb], s[i, j], -1e30)
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
                T.copy(Vc[Table[bb, bs * 16 + k], bh, :, :], vs)
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
        torch.randn((16, 64, 128), device="cuda", dtype=torch.bfloat16),
        torch.randn((2048, 4, 64, 128), device="cuda", dtype=torch.bfloat16),
        torch.randn((2048, 4, 64, 128), device="cuda", dtype=torch.bfloat16),
        torch.randint(0, 2048, (16, 64), device="cuda", dtype=torch.int32),
        torch.randint(3496, 4096, (16,), device="cuda", dtype=torch.int32),
        torch.empty((16, 64, 4, 128), device="cuda", dtype=torch.float32),
        torch.empty((16, 64, 4), device="cuda", dtype=torch.float32),
    )


if __name__ == "__main__":
    main()
