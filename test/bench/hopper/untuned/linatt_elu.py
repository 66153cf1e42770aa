# SPDX-License-Identifier: Apache-2.0
# linear attention forward by chunks of 64, elu+1 features, normaliser, dv split in 2
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(Q: T.Tensor((64, 2048, 128), "bfloat16"), Kx: T.Tensor((64, 2048, 128), "bfloat16"), V: T.Tensor((64, 2048, 128), "bfloat16"), O: T.Tensor((64, 2048, 128), "bfloat16")):
        with T.Kernel(2, 64, threads=128) as (bv, bh):
            q = T.alloc_shared((64, 128), "bfloat16")
            kk = T.alloc_shared((64, 128), "bfloat16")
            v = T.alloc_shared((64, 64), "bfloat16")
            qf = T.alloc_fragment((64, 128), "float32")
            kf = T.alloc_fragment((64, 128), "float32")
            qs = T.alloc_shared((64, 128), "bfloat16")
            ks = T.alloc_shared((64, 128), "bfloat16")
            h = T.alloc_fragment((128, 64), "float32")
            hs = T.alloc_shared((128, 64), "bfloat16")
            z = T.alloc_fragment((128,), "float32")
            zs = T.alloc_shared((128,), "float32")
            zc = T.alloc_fragment((128,), "float32")
            s = T.alloc_fragment((64, 64), "float32")
            p = T.alloc_fragment((64, 64), "bfloat16")
            den = T.alloc_fragment((64,), "float32")
            dq = T.alloc_fragment((64,), "float32")
            o = T.alloc_fragment((64, 64), "float32")
            T.clear(h)
            T.clear(z)
            for c in T.Pipelined(32, num_stages=2):
                T.copy(Q[bh, c * 64:(c + 1) * 64, :], q)
                T.copy(Kx[bh, c * 64:(c + 1) * 64, :], kk)
                T.copy(V[bh, c * 64:(c + 1) * 64, bv * 64:(bv + 1) * 64], v)
                for i, j in T.Parallel(64, 128):
                    kf[i, j] = T.if_then_else(kk[i, j] > 0, T.cast(kk[i, j], "float32") + 1.0, T.exp(T.cast(kk[i, j], "float32")))
                T.copy(kf, ks)
                T.copy(z, zs)
                for i, j in T.Parallel(64, 128):
                    qf[i, j] = T.if_then_else(q[i, j] > 0, T.cast(q[i, j], "float32") + 1.0, T.exp(T.cast(q[i, j], "float32")))
                T.copy(qf, qs)
                for i, j in T.Parallel(64, 128):
                    qf[i, j] = qf[i, j] * zs[j]
                T.reduce_sum(qf, dq, dim=1)
                T.copy(h, hs)
                T.clear(s)
                T.gemm(qs, ks, s, transpose_B=True)
                for i, j in T.Parallel(64, 64):
                    s[i, j] = T.if_then_else(i >= j, s[i, j], 0)
                T.reduce_sum(s, den, dim=1)
                T.copy(s, p)
                T.clear(o)
                T.gemm(p, v, o)
                T.gemm(qs, hs, o)
                for i, j in T.Parallel(64, 64):
                    o[i, j] = o[i, j] / (den[i] + dq[i] + 1e-6)
                T.copy(o, O[bh, c * 64:(c + 1) * 64, bv * 64:(bv + 1) * 64])
                T.gemm(ks, v, h, transpose_A=True)
                T.reduce_sum(kf, zc, dim=0)
                for j in T.Parallel(128):
                    z[j] += zc[j]

    return main


def main():
    kernel()(
        torch.randn((64, 2048, 128), device="cuda", dtype=torch.bfloat16),
        torch.randn((64, 2048, 128), device="cuda", dtype=torch.bfloat16),
        torch.randn((64, 2048, 128), device="cuda", dtype=torch.bfloat16),
        torch.empty((64, 2048, 128), device="cuda", dtype=torch.bfloat16),
    )


if __name__ == "__main__":
    main()
