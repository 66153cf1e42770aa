# Fragments that registers could not hold, used element by element: loops over them become one.
# RUN: tilec-run %s --entry "chain()" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "chain()" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "chain()" --target=sm_80 --device=ptx --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "chain()" --target=sm_90a --device=ptx --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "chain('float16')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "chain('float8_e4m3fn')" --target=sm_80 --device=ptx --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "chain('int8')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "in_place()" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "in_place()" --target=sm_90a --device=ptx --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "ragged()" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "ragged()" --target=sm_80 --device=ptx --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "bias()" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "bias()" --target=sm_90a --device=ptx --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "rounds()" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "rounds()" --target=sm_80 --device=ptx --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "shifted()" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "shifted()" --target=sm_80 --device=ptx --check --seed 1 | FileCheck %s
# CHECK: PASS
import tilelang.language as T


# Two fragments, of which one is narrow: its store rounds; choices, and a store of both.
def chain(dtype="float32", m=96, n=256, threads=64):
    @T.prim_func
    def main(A: T.Tensor((m, n), "float32"), C: T.Tensor((m, n), dtype), D: T.Tensor((m, n), "float32")):
        with T.Kernel(1, threads=threads):
            f = T.alloc_fragment((m, n), dtype)
            g = T.alloc_fragment((m, n), "float32")
            T.copy(A, f)
            T.fill(g, 3.0)
            for i, j in T.Parallel(m, n):
                if i > j:
                    g[i, j] = g[i, j] * 0.5 + T.cast(f[i, j], "float32")
            for i, j in T.Parallel(m, n):
                f[i, j] = f[i, j] * 3
                g[i, j] += T.cast(f[i, j], "float32")
            T.copy(f, C)
            T.copy(g, D)
    return main


# The tensor that is read is written.
def in_place(m=128, n=256):
    @T.prim_func
    def main(A: T.Tensor((2 * m, n), "float32")):
        with T.Kernel(2, threads=64) as bx:
            f = T.alloc_fragment((m, n), "float32")
            T.copy(A[bx * m, 0], f)
            for i, j in T.Parallel(m, n):
                f[i, j] = f[i, j] + 1.0
            T.copy(f, A[bx * m, 0])
    return main


def ragged(m=250, n=201, bm=128, bn=256):
    @T.prim_func
    def main(A: T.Tensor((m, n), "float16"), C: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(m, bm), threads=96) as bx:
            f = T.alloc_fragment((bm, bn), "float32")
            T.copy(A[bx * bm, 0], f)
            for i, j in T.Parallel(bm, bn):
                f[i, j] = T.exp2(f[i, j]) - 1.0
            T.copy(f, C[bx * bm, 0])
    return main


# Vectors beside the tile, copied between the loops over it; the tile is read again behind a store.
def bias(m=128, n=256):
    @T.prim_func
    def main(A: T.Tensor((m, n), "float32"), B: T.Tensor((n,), "float32"), S: T.Tensor((m,), "float32"),
             C: T.Tensor((m, n), "float32"), D: T.Tensor((m, n), "float16")):
        with T.Kernel(1, threads=64):
            f = T.alloc_fragment((m, n), "float32")
            b = T.alloc_fragment((n,), "float32")
            s = T.alloc_shared((m,), "float32")
            T.copy(A, f)
            T.copy(B, b)
            T.copy(S, s)
            for i, j in T.Parallel(m, n):
                f[i, j] = f[i, j] * s[i] + b[j]
            T.copy(f, C)
            for i, j in T.Parallel(m, n):
                f[i, j] = T.max(f[i, j], 0.0)
            T.copy(f, D)
    return main


# One allocation, filled anew in each round of a loop.
def rounds(m=128, n=128):
    @T.prim_func
    def main(A: T.Tensor((4 * m, n), "float32"), C: T.Tensor((4 * m, n), "float32")):
        with T.Kernel(1, threads=32):
            f = T.alloc_fragment((m, n), "float32")
            for k in T.serial(4):
                T.copy(A[k * m, 0], f)
                for i, j in T.Parallel(m, n):
                    f[i, j] = f[i, j] + T.cast(k, "float32")
                T.copy(f, C[k * m, 0])
    return main


# What one loop stores another element of the next loop reads: these stay apart.
def shifted(m=128, n=128):
    @T.prim_func
    def main(A: T.Tensor((m, n), "float32"), B: T.Tensor((m, n), "float32"), C: T.Tensor((m, n), "float32")):
        with T.Kernel(1, threads=32):
            f = T.alloc_fragment((m, n), "float32")
            T.copy(A, f)
            for i, j in T.Parallel(m, n):
                B[i, j] = f[i, j] * 2.0
            for i, j in T.Parallel(m, n):
                f[i, j] = f[i, j] + B[m - 1 - i, j]
            T.copy(f, C)
    return main
