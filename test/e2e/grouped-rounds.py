# Several rounds of a serial loop read before the first works (ToWave/GroupRounds.cpp), and up to 16 repetitions of a loop
# over many elements (ToWave/Parallel.cpp): numbers of rounds that leave some over, or that only the run knows, places by
# numbers that are read, writes in a branch, and elements that are written where they were read.
# RUN: tilec-run %s --entry "recurrence(61)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "recurrence(61)" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "recurrence(61)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows()" --dim n=37 --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "rows()" --dim n=3 --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "rows()" --dim n=37 --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "threads()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "threads()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "elements()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "elements(9)" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "elements(9)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "in_place()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "in_place(35)" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T


def recurrence(S, D=128):
    @T.prim_func
    def main(X: T.Tensor((S, D), "float32"), A: T.Tensor((S, D), "float32"), Y: T.Tensor((S, D), "float32")):
        with T.Kernel(1, threads=D):
            h = T.alloc_fragment((D,), "float32")
            T.clear(h)
            for t in T.serial(S):
                for j in T.Parallel(D):
                    h[j] = h[j] * A[t, j] + X[t, j]
                    Y[t, j] = h[j]

    return main


def rows(D=96, V=16):
    n = T.dynamic("n")

    @T.prim_func
    def main(I: T.Tensor((n,), "int32"), X: T.Tensor((V, D), "float16"), L: T.Tensor((n,), "float32"), O: T.Tensor((D,), "float32")):
        with T.Kernel(1, threads=64):
            o = T.alloc_fragment((D,), "float32")
            w = T.alloc_var("float32", 0.0)
            T.clear(o)
            for t in T.serial(1, n, 2):
                w = w * 0.5 + L[t]
                for j in T.Parallel(D):
                    o[j] = o[j] * w + X[I[t] % V, j]
            T.copy(o, O)

    return main


def threads(S=43, D=128):
    @T.prim_func
    def main(X: T.Tensor((S, D), "float32"), Y: T.Tensor((S, D), "float32"), Z: T.Tensor((D,), "float32")):
        with T.Kernel(1, threads=D):
            tx = T.get_thread_binding(0)
            best = T.alloc_var("float32", 0.0)
            for t in T.serial(S):
                x = X[S - 1 - t, tx]
                if x > best:
                    best = x
                    Y[t, tx] = x
                else:
                    Y[t, tx] = best
            Z[tx] = best

    return main


def elements(bN=17, N=40, D=1024, V=8):
    @T.prim_func
    def main(X: T.Tensor((N, D), "float16"), I: T.Tensor((N,), "int32"), Z: T.Tensor((V, D), "float16"), O: T.Tensor((N, D), "float16")):
        with T.Kernel(T.ceildiv(N, bN), threads=64) as b:
            for i, d in T.Parallel(bN, D):
                O[b * bN + i, d] = X[b * bN + i, d] + Z[I[b * bN + i] % V, d]

    return main


def in_place(bN=34, N=70, D=256):
    @T.prim_func
    def main(A: T.Tensor((N, D), "float32")):
        with T.Kernel(T.ceildiv(N, bN), threads=64) as b:
            for i, d in T.Parallel(bN, D):
                x = A[b * bN + i, d]
                A[b * bN + i, d] = x * x + 1.0

    return main
