# SPDX-License-Identifier: Apache-2.0
# combine of split-KV decode
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(Part: T.Tensor((64, 64, 16, 128), "float32"), Lse: T.Tensor((64, 64, 16), "float32"), Out: T.Tensor((64, 64, 128), "bfloat16")):
        with T.Kernel(64, 64, threads=128) as (bh, bb):
            o = T.alloc_fragment((128,), "float32")
            lse = T.alloc_fragment((16,), "float32")
            w = T.alloc_shared((16,), "float32")
            m = T.alloc_fragment((1,), "float32")
            z = T.alloc_fragment((1,), "float32")
            T.copy(Lse[bb, bh, :], lse)
            T.reduce_max(lse, m, dim=0)
            for i in T.Parallel(16):
                lse[i] = T.exp2(lse[i] - m[0])
            T.reduce_sum(lse, z, dim=0)
            for i in T.Parallel(16):
                w[i] = lse[i] / z[0]
            T.clear(o)
            for k in T.serial(16):
                for j in T.Parallel(128):
                    o[j] += Part[bb, bh, k, j] * w[k]
            T.copy(o, Out[bb, bh, :])

    return main


def main():
    kernel()(
        torch.randn((64, 64, 16, 128), device="cuda", dtype=torch.float32),
        torch.randn((64, 64, 16), device="cuda", dtype=torch.float32),
        torch.empty((64, 64, 128), device="cuda", dtype=torch.bfloat16),
    )


if __name__ == "__main__":
    main()
