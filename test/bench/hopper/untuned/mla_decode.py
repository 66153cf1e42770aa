# SPDX-License-Identifier: Apache-2.0
# MLA decode, 64 of 128 heads a block, 512 + 64, 2 stages, 256 threads
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(Q: T.Tensor((66, 128, 512), "bfloat16"), Qr: T.Tensor((66, 128, 64), "bfloat16"), KV: T.Tensor((66, 2048, 512), "bfloat16"), Kr: T.Tensor((66, 2048, 64), "bfloat16"), Out: T.Tensor((66, 128, 512), "bfloat16")):
        with T.Kernel(2, 66, threads=256) as (by, bz):
            Q_s = T.alloc_shared((64, 512), "bfloat16")
            Qr_s = T.alloc_shared((64, 64), "bfloat16")
            KV_s = T.alloc_shared((64, 512), "bfloat16")
            Kr_s = T.alloc_shared((64, 64), "bfloat16")
            S_s = T.alloc_shared((64, 64), "bfloat16")
            s = T.alloc_fragment((64, 64), "float32")
            o = T.alloc_fragment((64, 512), "float32")
            m = T.alloc_fragment((64,), "float32")
            mp = T.alloc_fragment((64,), "float32")
            al = T.alloc_fragment((64,), "float32")
            r = T.alloc_fragment((64,), "float32")
            l = T.alloc_fragment((64,), "float32")
            T.copy(Q[bz, by * 64:(by + 1) * 64, :], Q_s)
            T.copy(Qr[bz, by * 64:(by + 1) * 64, :], Qr_s)
            T.fill(o, 0)
            T.fill(l, 0)
            T.fill(m, -T.infinity("float32"))
            for k in T.Pipelined(32, num_stages=2):
                T.copy(KV[bz, k * 64:(k + 1) * 64, :], KV_s)
                T.copy(Kr[bz, k * 64:(k + 1) * 64, :], Kr_s)
                T.clear(s)
                T.gemm(Q_s, KV_s, s, transpose_B=True, policy=T.GemmWarpPolicy.FullCol)
                T.gemm(Qr_s, Kr_s, s, transpose_B=True, policy=T.GemmWarpPolicy.FullCol)
                T.copy(m, mp)
                T.reduce_max(s, m, dim=1, clear=False)
                for i in T.Parallel(64):
                    al[i] = T.exp2((mp[i] - m[i]) * 0.0601)
                for i, j in T.Parallel(64, 64):
                    s[i, j] = T.exp2((s[i, j] - m[i]) * 0.0601)
                T.reduce_sum(s, r, dim=1)
                T.copy(s, S_s)
                for i in T.Parallel(64):
                    l[i] = l[i] * al[i] + r[i]
                for i, j in T.Parallel(64, 512):
                    o[i, j] *= al[i]
                T.gemm(S_s, KV_s, o, policy=T.GemmWarpPolicy.FullCol)
            for i, j in T.Parallel(64, 512):
                o[i, j] /= l[i]
            T.copy(o, Out[bz, by * 64:(by + 1) * 64, :])

    return main


def main():
    kernel()(
        torch.randn((66, 128, 512), device="cuda", dtype=torch.bfloat16),
        torch.randn((66, 128, 64), device="cuda", dtype=torch.bfloat16),
        torch.randn((66, 2048, 512), device="cuda", dtype=torch.bfloat16),
        torch.randn((66, 2048, 64), device="cuda", dtype=torch.bfloat16),
        torch.empty((66, 128, 512), device="cuda", dtype=torch.bfloat16),
    )


if __name__ == "__main__":
    main()
