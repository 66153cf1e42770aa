# Tensors without elements: an empty grid launches nothing, an empty K stores what the program gives,
# addresses are null and tensor maps are never encoded.
# RUN: tilec-run %s --entry "rows()" --dim m=0 --device=cpu
# RUN: tilec-run %s --entry "rows()" --dim m=0 --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "rows()" --dim m=0 --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "rows()" --dim m=0 --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows()" --dim m=0 --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "some_rows()" --dim m=0 --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "some_rows()" --dim m=0 --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "some_rows()" --dim m=0 --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "some_rows()" --dim m=0 --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm()" --dim m=0 --dim n=0 --dim k=0 --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm()" --dim m=130 --dim n=72 --dim k=0 --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm()" --dim m=130 --dim n=72 --dim k=0 --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm()" --dim m=130 --dim n=72 --dim k=0 --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm()" --dim m=130 --dim n=72 --dim k=0 --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm()" --dim m=0 --dim n=72 --dim k=64 --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(1)" --dim m=130 --dim n=72 --dim k=0 --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "attended()" --dim m=0 --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "attended()" --dim m=0 --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "attended()" --dim m=0 --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "attended()" --dim m=0 --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "attended()" --dim m=130 --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "no_rounds()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "no_rounds()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "no_rounds()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "no_rounds()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "elements()" --dim m=0 --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "elements()" --dim m=0 --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "elements()" --dim m=0 --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "elements()" --dim m=0 --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "columns()" --dim m=0 --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "columns()" --dim m=0 --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "columns()" --dim m=0 --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "columns()" --dim m=0 --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "tile()" --dim m=0 --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "tile()" --dim m=0 --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "tile()" --dim m=0 --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "tile()" --dim m=0 --target=sm_90a --device=ptx --check | FileCheck %s
# CHECK: PASS
import tilelang.language as T


def rows():
    m = T.dynamic("m")

    @T.prim_func
    def main(X: T.Tensor((m, 33), "float32"), C: T.Tensor((m, 33), "float32")):
        with T.Kernel(T.ceildiv(m, 64), threads=64) as bx:
            for i, j in T.Parallel(64, 33):
                C[bx * 64 + i, j] = X[bx * 64 + i, j] + 1.0
    return main


# Blocks run, and what they read is outside: zero.
def some_rows():
    m = T.dynamic("m")

    @T.prim_func
    def main(X: T.Tensor((m, 40), "float16"), C: T.Tensor((64, 40), "float32"), D: T.Tensor((64,), "float32")):
        with T.Kernel(2, threads=64) as bx:
            s = T.alloc_shared((32, 40), "float16")
            f = T.alloc_fragment((32, 40), "float32")
            total = T.alloc_fragment((32,), "float32")
            T.copy(X[bx * 32, 0], s)
            for i, j in T.Parallel(32, 40):
                f[i, j] = s[i, j] + 2.0
            T.reduce_sum(f, total, dim=1)
            T.copy(f, C[bx * 32, 0])
            T.copy(total, D[bx * 32])
            for r in range(m):
                D[bx * 32 + r] = 7.0
    return main


def gemm(stages=3):
    m, n, k = T.dynamic("m, n, k")

    @T.prim_func
    def main(A: T.Tensor((m, k), "float16"), B: T.Tensor((n, k), "float16"), C: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(n, 64), T.ceildiv(m, 64), threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((64, 32), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.fill(c, 0.5)
            for ko in T.Pipelined(T.ceildiv(k, 32), num_stages=stages):
                T.copy(A[by * 64, ko * 32], a)
                T.copy(B[bx * 64, ko * 32], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * 64, bx * 64])
    return main


# On sm_90a X has a tensor map, of which nothing is encoded.
def attended():
    m = T.dynamic("m")

    @T.prim_func
    def main(Q: T.Tensor((128, 128), "float16"), X: T.Tensor((m, 128), "float16"), C: T.Tensor((128, 128), "float32")):
        with T.Kernel(2, threads=128) as bx:
            q = T.alloc_shared((64, 128), "float16")
            x = T.alloc_shared((64, 128), "float16")
            s = T.alloc_fragment((64, 64), "float32")
            p = T.alloc_fragment((64, 64), "float16")
            c = T.alloc_fragment((64, 128), "float32")
            T.fill(c, 2.0)
            T.copy(Q[bx * 64, 0], q)
            for ko in T.Pipelined(T.ceildiv(m, 64), num_stages=2):
                T.copy(X[ko * 64, 0], x)
                T.clear(s)
                T.gemm(q, x, s, transpose_B=True)
                T.copy(s, p)
                T.gemm(p, x, c)
            T.copy(c, C[bx * 64, 0])
    return main


# Loops of no rounds, known when the kernel is compiled, also around a product.
def no_rounds(k=0):
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.fill(c, 2.0)
            for i in T.Pipelined(k, num_stages=3):
                T.copy(A[0, i * 64], a)
                T.gemm(a, a, c)
            for i in T.serial(k):
                T.copy(A[0, i], a)
                T.gemm(a, a, c)
            for i in T.unroll(k):
                c[i, 0] += 1.0
            T.copy(c, C)
    return main


# Reads of an empty tensor are outside of it: nothing at its null address is touched.
def elements():
    m = T.dynamic("m")

    @T.prim_func
    def main(A: T.Tensor((m, 4), "float32"), C: T.Tensor((4,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(4):
                C[i] = A[0, i] + 1.0

    return main


def columns():
    m = T.dynamic("m")

    @T.prim_func
    def main(A: T.Tensor((4, m), "float16"), C: T.Tensor((4,), "float32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(4):
                C[i] = A[i, 0] + 1.0

    return main


def tile():
    m = T.dynamic("m")

    @T.prim_func
    def main(A: T.Tensor((64, m), "float16"), C: T.Tensor((64, 64), "float16")):
        with T.Kernel(1, threads=64):
            a = T.alloc_shared((64, 64), "float16")
            T.copy(A[0:64, 0:64], a)
            T.copy(a, C)

    return main
