# Elements of an iteration that are neighbours in memory: their accesses are joined (Normalize/ReadOnce.cpp puts reads
# first, ToWave/Accesses.cpp says by how much the places differ).
# RUN: tilec-run %s --entry "turned()" --device=cpu --check | FileCheck %s
# RUN: tilec-run %s --entry "turned()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "turned(D=200)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "turned()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "turned(D=96, dtype='float32')" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "inplace()" --device=cpu --check | FileCheck %s
# RUN: tilec-run %s --entry "inplace()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "inplace()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "inplace()" --target=sm_80 --device=ptx --check | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T


def turned(N=30, D=1024, dtype="float16"):
    """Pairs that are turned, each statement with reads of its own, rows past the end, and pairs taken apart."""

    @T.prim_func
    def main(X: T.Tensor((N, D), dtype), Y: T.Tensor((N, D), dtype), O: T.Tensor((N, D), dtype),
             P: T.Tensor((N, D), dtype)):
        with T.Kernel(T.ceildiv(N, 8), threads=128) as bx:
            for i, d in T.Parallel(8, D // 2):
                O[bx * 8 + i, 2 * d] = X[bx * 8 + i, 2 * d] + Y[bx * 8 + i, 2 * d + 1]
                O[bx * 8 + i, 2 * d + 1] = X[bx * 8 + i, 2 * d + 1] - Y[bx * 8 + i, 2 * d]
            for i, d in T.Parallel(8, D // 2):
                P[bx * 8 + i, d] = X[bx * 8 + i, 2 * d] * 0.5
                P[bx * 8 + i, D // 2 + d] = X[bx * 8 + i, 2 * d + 1] * 2.0

    return main


def inplace(N=16, D=512):
    """Statements that read what the ones before have written, and what they write themselves."""

    @T.prim_func
    def main(X: T.Tensor((N, D), "float16"), O: T.Tensor((N, D), "float16"), Q: T.Tensor((N, D), "float32")):
        with T.Kernel(N // 8, threads=128) as bx:
            for i, d in T.Parallel(8, D):
                O[bx * 8 + i, d] = X[bx * 8 + i, d]
            for i, d in T.Parallel(8, D // 2):
                O[bx * 8 + i, 2 * d] = O[bx * 8 + i, 2 * d] + O[bx * 8 + i, 2 * d + 1]
                O[bx * 8 + i, 2 * d + 1] = O[bx * 8 + i, 2 * d] - O[bx * 8 + i, 2 * d + 1] * 2.0
            for i, d in T.Parallel(8, D // 2):
                Q[bx * 8 + i, 2 * d + 1] = X[bx * 8 + i, d]
                Q[bx * 8 + i, 2 * d] = Q[bx * 8 + i, 2 * d + 1] * 3.0

    return main
