# Blocks of less than a wave, more of them than a device has units: what registers leave room for is asked of whole waves.
# RUN: tilec-run %s --entry "product(400, 20)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(400, 1)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "product(400, 31)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "product(400, 33)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "sums(400, 3)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "sums(400, 20)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "sums(400, 5)" --target=gfx950 --check | FileCheck %s
# CHECK: PASS
import tilelang.language as T


def product(blocks, threads):
    @T.prim_func
    def main(A: T.Tensor((32, 64), "float16"), B: T.Tensor((16, 64), "float16"), C: T.Tensor((blocks, 32, 16), "float32")):
        with T.Kernel(blocks, threads=threads) as bx:
            a = T.alloc_shared((32, 32), "float16")
            b = T.alloc_shared((16, 32), "float16")
            c = T.alloc_fragment((32, 16), "float32")
            T.clear(c)
            for k in T.Pipelined(2, num_stages=2):
                T.copy(A[0, k * 32], a)
                T.copy(B[0, k * 32], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[bx, :, :])

    return main


def sums(blocks, threads):
    @T.prim_func
    def main(A: T.Tensor((blocks, 4, 24), "float32"), C: T.Tensor((blocks, 24), "float32"), D: T.Tensor((blocks,), "float32")):
        with T.Kernel(blocks, threads=threads) as bx:
            a = T.alloc_shared((24,), "float32")
            c = T.alloc_fragment((24,), "float32")
            d = T.alloc_fragment((1,), "float32")
            T.clear(c)
            for k in T.Pipelined(4, num_stages=2):
                T.copy(A[bx, k, :], a)
                for i in T.Parallel(24):
                    c[i] += a[i]
            T.reduce_sum(c, d, dim=0)
            T.copy(c, C[bx, :])
            D[bx] = d[0]

    return main
