# SPDX-License-Identifier: Apache-2.0
# attention backward, dK and dV of a key block (causal), 128x64, 2 stages, 256 threads
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(Q: T.Tensor((1, 16, 2048, 128), "bfloat16"), K: T.Tensor((1, 16, 2048, 128), "bfloat16"), V: T.Tensor((1, 16, 2048, 128), "bfloat16"), DO: T.Tensor((1, 16, 2048, 128), "bfloat16"), Lse: T.Tensor((1, 16, 2048), "float32"), Delta: T.Tensor((1, 16, 2048), "float32"), DK: T.Tensor((1, 16, 2048, 128), "bfloat16"), DV: T.Tensor((1, 16, 2048, 128), "bfloat16")):
        with T.Kernel(16, 16, 1, threads=256) as (bx, by, bz):
            K_s = T.alloc_shared((128, 128), "bfloat16")
            V_s = T.alloc_shared((128, 128), "bfloat16")
            q = T.alloc_shared((64, 128), "bfloat16")
            do = T.alloc_shared((64, 128), "bfloat16")
            lse = T.alloc_shared((64,), "float32")
            delta = T.alloc_shared((64,), "float32")
            st = T.alloc_fragment((128, 64), "float32")
            dpt = T.alloc_fragment((128, 64), "float32")
            pt = T.alloc_fragment((128, 64), "bfloat16")
            dst = T.alloc_fragment((128, 64), "bfloat16")
            dk = T.alloc_fragment((128, 128), "float32")
            dv = T.alloc_fragment((128, 128), "float32")
            T.copy(K[bz, by, bx * 128:(bx + 1) * 128, :], K_s)
            T.copy(V[bz, by, bx * 128:(bx + 1) * 128, :], V_s)
            T.clear(dk)
            T.clear(dv)
            for k in T.Pipelined(bx * 2, 32, num_stages=2):
                T.copy(Q[bz, by, k * 64:(k + 1) * 64, :], q)
                T.clear(st)
                T.gemm(K_s, q, st, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                T.copy(Lse[bz, by, k * 64:(k + 1) * 64], lse)
                for i, j in T.Parallel(128, 64):
                    st[i, j] = T.if_then_else(bx * 128 + i <= k * 64 + j, T.exp2(st[i, j] * 0.12751743 - lse[j]), 0)
                T.copy(DO[bz, by, k * 64:(k + 1) * 64, :], do)
                T.clear(dpt)
                T.gemm(V_s, do, dpt, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                T.copy(st, pt)
                T.gemm(pt, do, dv, policy=T.GemmWarpPolicy.FullRow)
                T.copy(Delta[bz, by, k * 64:(k + 1) * 64], delta)
                for i, j in T.Parallel(128, 64):
                    dst[i, j] = st[i, j] * (dpt[i, j] - delta[j]) * 0.088388348
                T.gemm(dst, q, dk, policy=T.GemmWarpPolicy.FullRow)
            T.copy(dk, DK[bz, by, bx * 128:(bx + 1) * 128, :])
            T.copy(dv, DV[bz, by, bx * 128:(bx + 1) * 128, :])

    return main


def main():
    kernel()(
        torch.randn((1, 16, 2048, 128), device="cuda", dtype=torch.bfloat16),
        torch.randn((1, 16, 2048, 128), device="cuda", dtype=torch.bfloat16),
        torch.randn((1, 16, 2048, 128), device="cuda", dtype=torch.bfloat16),
        torch.randn((1, 16, 2048, 128), device="cuda", dtype=torch.bfloat16),
        torch.rand((1, 16, 2048), device="cuda", dtype=torch.float32),
        torch.randn((1, 16, 2048), device="cuda", dtype=torch.float32),
        torch.empty((1, 16, 2048, 128), device="cuda", dtype=torch.bfloat16),
        torch.empty((1, 16, 2048, 128), device="cuda", dtype=torch.bfloat16),
    )


if __name__ == "__main__":
    main()
