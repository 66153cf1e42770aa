# SPDX-License-Identifier: Apache-2.0
# rope on q and k in one kernel (half rotation), positions gathered
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(Q: T.Tensor((8192, 32, 128), "bfloat16"), K: T.Tensor((8192, 8, 128), "bfloat16"), Pos: T.Tensor((8192,), "int32"), Cos: T.Tensor((8192, 64), "float32"), Sin: T.Tensor((8192, 64), "float32"), Qo: T.Tensor((8192, 32, 128), "bfloat16"), Ko: T.Tensor((8192, 8, 128), "bfloat16")):
        with T.Kernel(8192, threads=256) as bx:
            for h, d in T.Parallel(32, 64):
                Qo[bx, h, d] = Q[bx, h, d] * Cos[Pos[bx], d] - Q[bx, h, d + 64] * Sin[Pos[bx], d]
                Qo[bx, h, d + 64] = Q[bx, h, d + 64] * Cos[Pos[bx], d] + Q[bx, h, d] * Sin[Pos[bx], d]
            for h, d in T.Parallel(8, 64):
                Ko[bx, h, d] = K[bx, h, d] * Cos[Pos[bx], d] - K[bx, h, d + 64] * Sin[Pos[bx], d]
                Ko[bx, h, d + 64] = K[bx, h, d + 64] * Cos[Pos[bx], d] + K[bx, h, d] * Sin[Pos[bx], d]

    return main


def main():
    kernel()(
        torch.randn((8192, 32, 128), device="cuda", dtype=torch.bfloat16),
        torch.randn((8192, 8, 128), device="cuda", dtype=torch.bfloat16),
        torch.randint(0, 8192, (8192,), device="cuda", dtype=torch.int32),
        torch.randn((8192, 64), device="cuda", dtype=torch.float32),
        torch.randn((8192, 64), device="cuda", dtype=torch.float32),
        torch.empty((8192, 32, 128), device="cuda", dtype=torch.bfloat16),
        torch.empty((8192, 8, 128), device="cuda", dtype=torch.bfloat16),
    )


if __name__ == "__main__":
    main()
