# SPDX-License-Identifier: Apache-2.0
# embedding gather, scaled, + position
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(Ids: T.Tensor((16384,), "int32"), E: T.Tensor((32000, 2048), "bfloat16"), Pos: T.Tensor((4096, 2048), "bfloat16"), Y: T.Tensor((16384, 2048), "bfloat16")):
        with T.Kernel(16384, threads=128) as bx:
            for i in T.Parallel(2048):
                Y[bx, i] = T.cast(E[Ids[bx], i], "float32") * 45.25 + T.cast(Pos[bx % 4096, i], "float32")

    return main


def main():
    kernel()(
        torch.randint(0, 32000, (16384,), device="cuda", dtype=torch.int32),
        torch.randn((32000, 2048), device="cuda", dtype=torch.bfloat16),
        torch.randn((4096, 2048), device="cuda", dtype=torch.bfloat16),
        torch.empty((16384, 2048), device="cuda", dtype=torch.bfloat16),
    )


if __name__ == "__main__":
    main()
