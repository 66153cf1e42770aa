# SPDX-License-Identifier: Apache-2.0
# grouped gemm, groups by prefix sums of sizes, tile's group searched in the kernel; 128x128x64, 3 stages, 256 threads
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(A: T.Tensor((4096, 2048), "bfloat16"), W: T.Tensor((8, 2048, 2048), "bfloat16"), Offs: T.Tensor((9,), "int32"), C: T.Tensor((4096, 2048), "bfloat16")):
        with T.Kernel(16, 40, threads=256) as (bx, by):
            a = T.alloc_shared((128, 64), "bfloat16")
            b = T.alloc_shared((128, 64), "bfloat16")
            c = T.alloc_fragment((128, 128), "float32")
            e = T.alloc_var("int32")
            row = T.alloc_var("int32")
            first = T.alloc_var("int32")
            e = 0
            row = 0
            first = 0
            for g in T.serial(8):
                if by >= first:
                    e = g
                    row = Offs[g] + (by - first) * 128
                first = first + T.ceildiv(Offs[g + 1] - Offs[g], 128)
            if by < first:
                T.clear(c)
                for k in T.Pipelined(32, num_stages=3):
                    T.copy(A[row:row + 128, k * 64:(k + 1) * 64], a)
                    T.copy(W[e, bx * 128:(bx + 1) * 128, k * 64:(k + 1) * 64], b)
                    T.gemm(a, b, c, transpose_B=True)
                for i, j in T.Parallel(128, 128):
                    if row + i < Offs[e + 1]:
                        C[row + i, bx * 128 + j] = c[i, j]

    return main


def main():
    kernel()(
        torch.randn((4096, 2048), device="cuda", dtype=torch.bfloat16),
        torch.randn((8, 2048, 2048), device="cuda", dtype=torch.bfloat16),
        torch.tensor([0, 805, 1354, 1792, 2341, 2890, 3328, 3877, 4096], device="cuda", dtype=torch.int32),
        torch.empty((4096, 2048), device="cuda", dtype=torch.bfloat16),
    )


if __name__ == "__main__":
    main()
