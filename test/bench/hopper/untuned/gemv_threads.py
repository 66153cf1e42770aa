# SPDX-License-Identifier: Apache-2.0
# GEMV bf16: 4 rows x 32 threads along K, 8 elements a thread, shared atomics
import tilelang
import tilelang.language as T
import torch


@tilelang.jit
def kernel():
    @T.prim_func
    def main(W: T.Tensor((8192, 8192), "bfloat16"), X: T.Tensor((8192,), "bfloat16"), Y: T.Tensor((8192,), "bfloat16")):
        with T.Kernel(2048, threads=(32, 4)) as bx:
            tk = T.get_thread_binding(0)
            tn = T.get_thread_binding(1)
            w = T.alloc_local((8,), "bfloat16")
            x = T.alloc_local((8,), "bfloat16")
            acc = T.alloc_local((1,), "float32")
            y = T.alloc_shared((4,), "float32")
            if tk == 0:
                y[tn] = 0
            T.clear(acc)
            for k in T.serial(32):
                for v in T.vectorized(8):
                    w[v] = W[bx * 4 + tn, k * 256 + tk * 8 + v]
                    x[v] = X[k * 256 + tk * 8 + v]
                for v in T.serial(8):
                    acc[0] += T.cast(w[v], "float32") * T.cast(x[v], "float32")
            T.sync_threads()
            T.atomic_add(y[tn], acc[0])
            T.sync_threads()
            if tk == 0:
                Y[bx * 4 + tn] = y[tn]

    return main


def main():
    kernel()(
        torch.randn((8192, 8192), device="cuda", dtype=torch.bfloat16),
        torch.randn((8192,), device="cuda", dtype=torch.bfloat16),
        torch.empty((8192,), device="cuda", dtype=torch.bfloat16),
    )


if __name__ == "__main__":
    main()
