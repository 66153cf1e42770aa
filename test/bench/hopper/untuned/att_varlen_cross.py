# SPDX-License-Identifier: Apache-2.0
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(Q: T.Tensor((2048, 16, 128), "float16"), K: T.Tensor((8192, 16, 128), "float16"), V: T.Tensor((8192, 16, 128), "float16"), CuQ: T.Tensor((5,), "int32"), CuK: T.Tensor((5,), "int32"), Out: T.Tensor((2048, 16, 128), "float16")):
        with T.Kernel(10, 16, 4, threads=128) as (bx, by, bz):
            Q_s = T.alloc_shared((64, 128), "float16")
            K_s = T.alloc_shared((64, 128), "float16")
            V_s = T.alloc_shared((64, 128), "float16")
            s = T.alloc_fragment((64, 64), "float32")
            p = T.alloc_fragment((64, 64), "float16")
            o = T.alloc_fragment((64, 128), "float32")
            m = T.alloc_fragment((64,), "float32")
            mp = T.alloc_fragment((64,), "float32")
            alpha = T.alloc_fragment((64,), "float32")
            row = T.alloc_fragment((64,), "float32")
            l = T.alloc_fragment((64,), "float32")
            q0 = CuQ[bz]
            k0 = CuK[bz]
            ql = CuQ[bz + 1] - q0
            kl = CuK[bz + 1] - k0
            T.copy(Q[q0 + bx * 64:q0 + (bx + 1) * 64, by, :], Q_s)
            T.fill(o, 0)
            T.fill(l, 0)
            T.fill(m, -T.infinity("float32"))
            for k in T.Pipelined(T.ceildiv(kl, 64), num_stages=2):
                T.copy(K[k0 + k * 64:k0 + (k + 1) * 64, by, :], K_s)
                T.clear(s)
                T.gemm(Q_s, K_s, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                for i, j in T.Parallel(64, 64):
                    s[i, j] = T.if_then_else(k * 64 + j < kl, s[i, j], -T.infinity("float32"))
                T.copy(m, mp)
                T.reduce_max(s, m, dim=1, clear=False)
                for i in T.Parallel(64):
                    alpha[i] = T.exp2((mp[i] - m[i]) * 0.127517431)
                for i, j in T.Parallel(64, 64):
                    s[i, j] = T.exp2((s[i, j] - m[i]) * 0.127517431)
                T.reduce_sum(s, row, dim=1)
                for i in T.Parallel(64):
                    l[i] = l[i] * alpha[i] + row[i]
                T.copy(s, p)
                for i, j in T.Parallel(64, 128):
                    o[i, j] *= alpha[i]
                T.copy(V[k0 + k * 64:k0 + (k + 1) * 64, by, :], V_s)
                T.gemm(p, V_s, o, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(64, 128):
                o[i, j] /= l[i]
            for i, j in T.Parallel(64, 128):
                if bx * 64 + i < ql:
                    Out[q0 + bx * 64 + i, by, j] = o[i, j]

    return main


def main():
    kernel()(
        torch.randn((2048, 16, 128), device="cuda", dtype=torch.float16),
        torch.randn((8192, 16, 128), device="cuda", dtype=torch.float16),
        torch.randn((8192, 16, 128), device="cuda", dtype=torch.float16),
        torch.tensor([0, 456, 924, 1529, 2048], device="cuda", dtype=torch.int32),
        torch.tensor([0, 1024, 2078, 6083, 8192], device="cuda", dtype=torch.int32),
        torch.empty((2048, 16, 128), device="cuda", dtype=torch.float16),
    )


if __name__ == "__main__":
    main()
