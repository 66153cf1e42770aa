# A fragment that is read piece by piece stays where it is: its lanes run the iterations of each piece.
# RUN: tilec-run %s --entry "pieces()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "pieces()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "pieces()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "pieces()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "pieces(guarded=False)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "pieces(guarded=False)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "pieces(unrolled=True)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "pieces(unrolled=True)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "pieces(split=4)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "pieces(split=4)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "pieces(rows=64, columns=96)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "pieces(rows=64, columns=96)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "second()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "second()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "beside()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "beside()" --target=sm_90a --device=ptx --check | FileCheck %s
# CHECK: PASS
#
# RUN: tilec %s --entry "pieces()" --target=sm_90a --emit=tile-laid-out | FileCheck %s --check-prefix=KEPT
# RUN: tilec %s --entry "pieces()" --target=gfx950 --emit=tile-laid-out | FileCheck %s --check-prefix=KEPT
# RUN: tilec %s --entry "pieces(guarded=False)" --target=sm_80 --emit=tile-laid-out | FileCheck %s --check-prefix=KEPT
# KEPT-NOT: _staged
# KEPT: tile.gemm
# KEPT-NOT: _staged
import tilelang.language as T


def pieces(split=2, rows=32, columns=128, guarded=True, unrolled=False):
    """As TileLang's sparse attention backward adds its gradients: half of the rows at a time."""
    part = rows // split

    @T.prim_func
    def main(A: T.Tensor((rows, 64), "bfloat16"), B: T.Tensor((64, columns), "bfloat16"), C: T.Tensor((rows, columns), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((rows, 64), "bfloat16")
            b = T.alloc_shared((64, columns), "bfloat16")
            c = T.alloc_fragment((rows, columns), "float32")
            s = T.alloc_shared((part, columns), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.clear(c)
            T.gemm(a, b, c)
            for p in T.unroll(split) if unrolled else range(split):
                if guarded:
                    for i, j in T.Parallel(rows, columns):
                        if i < part:
                            s[i, j] = c[i + p * part, j]
                else:
                    for i, j in T.Parallel(part, columns):
                        s[i, j] = c[i + p * part, j]
                for i, j in T.Parallel(part, columns):
                    C[i + p * part, j] = s[i, j] * 2.0

    return main


def second(rows=64, columns=64):
    """One piece only, at a constant place; the rest is stored from where it is."""

    @T.prim_func
    def main(A: T.Tensor((rows, 64), "float16"), C: T.Tensor((rows, rows), "float32"), D: T.Tensor((32, rows), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((rows, 64), "float16")
            c = T.alloc_fragment((rows, rows), "float32")
            T.copy(A, a)
            T.clear(c)
            T.gemm(a, a, c, transpose_B=True)
            for i, j in T.Parallel(rows, rows):
                if i < 32 and j < 64:
                    D[i, j] = c[i + 32, j]
            T.copy(c, C)

    return main


def beside(rows=32, columns=64):
    """A guard that leaves no piece, one of two branches, and one beside another statement."""

    @T.prim_func
    def main(A: T.Tensor((rows, columns), "float32"), C: T.Tensor((3, rows, columns), "float32")):
        with T.Kernel(1, threads=64):
            f = T.alloc_fragment((rows, columns), "float32")
            T.copy(A, f)
            for i, j in T.Parallel(rows, columns):
                if i < 10:
                    C[0, i, j] = f[i + 20, j]
            for i, j in T.Parallel(rows, columns):
                if i < 16:
                    C[1, i, j] = f[i + 16, j]
                else:
                    C[1, i, j] = 1.0
            for i, j in T.Parallel(rows, columns):
                C[2, i, j] = 2.0
                if i <= 15:
                    C[0, i + 16, j] = f[i + 16, j]

    return main
