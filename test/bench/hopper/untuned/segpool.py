# SPDX-License-Identifier: Apache-2.0
# mean of the tokens of each segment (cu_seqlens)
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(X: T.Tensor((16384, 4096), "bfloat16"), Cu: T.Tensor((33,), "int32"), Y: T.Tensor((32, 4096), "float32")):
        with T.Kernel(32, 32, threads=128) as (bx, by):
            x = T.alloc_shared((64, 128), "bfloat16")
            acc = T.alloc_fragment((64, 128), "float32")
            y = T.alloc_fragment((128,), "float32")
            t0 = Cu[by]
            n = Cu[by + 1] - t0
            T.clear(acc)
            for k in T.Pipelined(T.ceildiv(n, 64), num_stages=2):
                T.copy(X[t0 + k * 64:t0 + (k + 1) * 64, bx * 128:(bx + 1) * 128], x)
                for i, j in T.Parallel(64, 128):
                    acc[i, j] += T.if_then_else(k * 64 + i < n, T.cast(x[i, j], "float32"), 0.0)
            T.reduce_sum(acc, y, dim=0)
            for j in T.Parallel(128):
                Y[by, bx * 128 + j] = y[j] / T.cast(n, "float32")

    return main


def main():
    kernel()(
        torch.randn((16384, 4096), device="cuda", dtype=torch.bfloat16),
        torch.tensor([0, 529, 1035, 1541, 2070, 2576, 3082, 3588, 4117, 4623, 5129, 5635, 6164, 6670, 7176, 7682, 8211, 8717, 9223, 9729, 10258, 10764, 11270, 11776, 12305, 12811, 13317, 13846, 14352, 14858, 15364, 15893, 16384], device="cuda", dtype=torch.int32),
        torch.empty((32, 4096), device="cuda", dtype=torch.float32),
    )


if __name__ == "__main__":
    main()
