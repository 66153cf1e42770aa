# SPDX-License-Identifier: Apache-2.0
# gate/up fused MoE: gathered A rows by sorted token ids, expert of each block; 128x64x64, 2 stages, 256 threads
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(A: T.Tensor((2048, 2048), "bfloat16"), Wg: T.Tensor((16, 1408, 2048), "bfloat16"), Wu: T.Tensor((16, 1408, 2048), "bfloat16"), Ids: T.Tensor((8192,), "int32"), Expert: T.Tensor((64,), "int32"), H: T.Tensor((8192, 1408), "bfloat16")):
        with T.Kernel(22, 64, threads=256) as (bx, by):
            a = T.alloc_shared((128, 64), "bfloat16")
            wg = T.alloc_shared((64, 64), "bfloat16")
            wu = T.alloc_shared((64, 64), "bfloat16")
            g = T.alloc_fragment((128, 64), "float32")
            u = T.alloc_fragment((128, 64), "float32")
            e = Expert[by]
            T.clear(g)
            T.clear(u)
            for k in T.Pipelined(32, num_stages=2):
                for i, j in T.Parallel(128, 64):
                    a[i, j] = A[Ids[by * 128 + i], k * 64 + j]
                T.copy(Wg[e, bx * 64:(bx + 1) * 64, k * 64:(k + 1) * 64], wg)
                T.copy(Wu[e, bx * 64:(bx + 1) * 64, k * 64:(k + 1) * 64], wu)
                T.gemm(a, wg, g, transpose_B=True)
                T.gemm(a, wu, u, transpose_B=True)
            for i, j in T.Parallel(128, 64):
                g[i, j] = g[i, j] / (1.0 + T.exp(-g[i, j])) * u[i, j]
            T.copy(g, H[by * 128, bx * 64])

    return main


def main():
    kernel()(
        torch.randn((2048, 2048), device="cuda", dtype=torch.bfloat16),
        torch.randn((16, 1408, 2048), device="cuda", dtype=torch.bfloat16),
        torch.randn((16, 1408, 2048), device="cuda", dtype=torch.bfloat16),
        torch.randint(0, 2048, (8192,), device="cuda", dtype=torch.int32),
        torch.randint(0, 16, (64,), device="cuda", dtype=torch.int32),
        torch.empty((8192, 1408), device="cuda", dtype=torch.bfloat16),
    )


if __name__ == "__main__":
    main()
