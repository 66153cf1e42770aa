# Fragments whose rows a short serial loop goes through, inside of a parallel and around it: each lane has all rows of its
# columns, and a small matrix that meets them is in every lane. Where a lane would have too much, or a matrix
# instruction wants another layout, they go through shared memory as before.
# RUN: tilec-run %s --entry "mixed()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "mixed()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "mixed()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "mixed()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "mixed(hc=3, block=384, threads=96)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "mixed(hc=3, block=384, threads=96)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "mixed(hc=17)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "mixed(hc=17)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "mixed(block=32)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "mixed(block=32)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "summed()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "summed()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "summed()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "summed()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "multiplied()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "multiplied()" --target=sm_90a --device=ptx --check | FileCheck %s
# CHECK: PASS
import tilelang.language as T


def mixed(hc=4, block=512, threads=128, tokens=3):
    @T.prim_func
    def main(A: T.Tensor((tokens, hc, hc), "float32"), B: T.Tensor((tokens, hc, 2 * block), "bfloat16"),
             D: T.Tensor((tokens, hc), "float32"), X: T.Tensor((tokens, hc, 2 * block), "bfloat16")):
        with T.Kernel(tokens, threads=threads) as bx:
            b_shared = T.alloc_shared((hc, block), "bfloat16")
            a = T.alloc_fragment((hc, hc), "float32")
            b = T.alloc_fragment((hc, block), "float32")
            d = T.alloc_fragment((hc,), "float32")
            x = T.alloc_fragment((hc, block), "float32")
            T.copy(A[bx, 0, 0], a)
            T.copy(D[bx, 0], d)
            for step in T.Pipelined(2, num_stages=2):
                T.copy(B[bx, 0, step * block], b_shared)
                T.copy(b_shared, b)
                for i, j in T.Parallel(hc, block):
                    x[i, j] = d[i]
                    for k in T.serial(hc):
                        x[i, j] += a[k, i] * b[k, j]
                T.copy(x, X[bx, 0, step * block])

    return main


def summed(rows=4, columns=1024, threads=96):
    @T.prim_func
    def main(A: T.Tensor((rows, columns), "float32"), W: T.Tensor((rows,), "float32"), S: T.Tensor((columns,), "float32")):
        with T.Kernel(1, threads=threads):
            w = T.alloc_shared((rows,), "float32")
            a = T.alloc_fragment((rows, columns), "float32")
            s = T.alloc_fragment((columns,), "float32")
            T.copy(W, w)
            T.copy(A, a)
            T.clear(s)
            for k in T.serial(rows):
                weight = w[k]
                for j in T.Parallel(columns):
                    s[j] += weight * a[k, j]
            T.copy(s, S)

    return main


def multiplied():
    # The product's layout has its rows in several lanes: nothing is held.
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 128), "float16"), S: T.Tensor((128,), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((64, 64), "float16")
            b = T.alloc_shared((64, 128), "float16")
            c = T.alloc_fragment((64, 128), "float32")
            s = T.alloc_fragment((128,), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.clear(c)
            T.gemm(a, b, c)
            T.clear(s)
            for k in T.serial(16):
                for j in T.Parallel(128):
                    s[j] += c[k * 4, j]
            T.copy(s, S)

    return main
