# SPDX-License-Identifier: Apache-2.0
# AdamW update, f32 master weights, bf16 gradient and copy
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(P: T.Tensor((16777216,), "float32"), G: T.Tensor((16777216,), "bfloat16"), Mo: T.Tensor((16777216,), "float32"), Vo: T.Tensor((16777216,), "float32"), Pb: T.Tensor((16777216,), "bfloat16")):
        with T.Kernel(8192, threads=256) as bx:
            for i in T.Parallel(2048):
                Mo[bx * 2048 + i] = 0.9 * Mo[bx * 2048 + i] + 0.1 * T.cast(G[bx * 2048 + i], "float32")
                Vo[bx * 2048 + i] = 0.95 * Vo[bx * 2048 + i] + 0.05 * T.cast(G[bx * 2048 + i], "float32") * T.cast(G[bx * 2048 + i], "float32")
                P[bx * 2048 + i] = P[bx * 2048 + i] * (1.0 - 3e-4 * 0.1) - 3e-4 * (Mo[bx * 2048 + i] / 0.271) / (T.sqrt(Vo[bx * 2048 + i] / 0.142625) + 1e-8)
                Pb[bx * 2048 + i] = P[bx * 2048 + i]

    return main


def main():
    kernel()(
        torch.randn((16777216,), device="cuda", dtype=torch.float32),
        torch.randn((16777216,), device="cuda", dtype=torch.bfloat16),
        torch.randn((16777216,), device="cuda", dtype=torch.float32),
        torch.rand((16777216,), device="cuda", dtype=torch.float32),
        torch.empty((16777216,), device="cuda", dtype=torch.bfloat16),
    )


if __name__ == "__main__":
    main()
