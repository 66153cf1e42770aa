# Reductions over rows of which lanes and waves have parts: each of the lanes that have terms of the same results combines
# some of these, in accesses of several and of less than one, of numbers of results that halve once, twice and never.
# RUN: tilec-run %s --entry "columns()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "columns()" --target=gfx950 --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "columns()" --target=sm_80 --device=ptx --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "columns()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "columns(op='max', dtype='float16', out='float16')" --target=gfx942 --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "columns(op='max', dtype='float16', out='float16')" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "columns(op='max', dtype='float16', out='float16')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "columns(op='absmax', M=96, N=24)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "columns(op='absmax', M=96, N=24)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "columns(dtype='int32', out='int32', M=96, N=192, threads=512)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "columns(dtype='int32', out='int32', M=96, N=192, threads=512)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "columns(dtype='float64', out='float64', M=64, N=40, threads=128)" --target=gfx942 --check --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %s --entry "columns(dtype='float64', out='float64', M=64, N=40, threads=128)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "columns(M=128, N=256, threads=512)" --target=gfx950 --check --sim-interleave=5 | FileCheck %s
# RUN: tilec-run %s --entry "columns(M=128, N=256, threads=512)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "products()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "products()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "products()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "products()" --target=sm_90a --device=ptx --check | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T


def columns(op="sum", M=128, N=128, rounds=3, threads=256, dtype="float16", out="float32"):
    @T.prim_func
    def main(X: T.Tensor((rounds * M, N), dtype), Y: T.Tensor((rounds, N), out)):
        with T.Kernel(1, threads=threads):
            x = T.alloc_fragment((M, N), out)
            y = T.alloc_fragment((N,), out)
            for k in T.serial(rounds):
                T.copy(X[k * M, 0], x)
                if op == "sum":
                    T.reduce_sum(x, y, dim=0)
                elif op == "max":
                    T.reduce_max(x, y, dim=0)
                else:
                    T.reduce_absmax(x, y, dim=0)
                T.copy(y, Y[k, 0])

    return main


# The largest elements of the columns of a product, whose terms lie as matrix instructions leave them.
def products(M=128, N=64, K=64, threads=256):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), Y: T.Tensor((2, N), "float32")):
        with T.Kernel(1, threads=threads):
            a = T.alloc_shared((M, K), "float16")
            b = T.alloc_shared((K, N), "float16")
            c = T.alloc_fragment((M, N), "float32")
            y = T.alloc_fragment((N,), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.clear(c)
            T.gemm(a, b, c)
            T.reduce_max(c, y, dim=0)
            T.copy(y, Y[0, 0])
            T.reduce_sum(c, y, dim=0)
            T.copy(y, Y[1, 0])

    return main
