# SPDX-License-Identifier: Apache-2.0
# conv2d 3x3 pad 1 as implicit gemm (T.im2col), 128x128x64, 3 stages, 256 threads
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(X: T.Tensor((32, 56, 56, 128), "float16"), W: T.Tensor((1152, 128), "float16"), Y: T.Tensor((100352, 128), "float16")):
        with T.Kernel(1, 784, threads=256) as (bx, by):
            a = T.alloc_shared((128, 64), "float16")
            w = T.alloc_shared((64, 128), "float16")
            c = T.alloc_fragment((128, 128), "float32")
            T.clear(c)
            for k in T.Pipelined(18, num_stages=3):
                T.im2col(X, a, by, k, 3, 1, 1, 1)
                T.copy(W[k * 64, bx * 128], w)
                T.gemm(a, w, c)
            T.copy(c, Y[by * 128, bx * 128])

    return main


def main():
    kernel()(
        torch.randn((32, 56, 56, 128), device="cuda", dtype=torch.float16),
        torch.randn((1152, 128), device="cuda", dtype=torch.float16),
        torch.empty((100352, 128), device="cuda", dtype=torch.float16),
    )


if __name__ == "__main__":
    main()
