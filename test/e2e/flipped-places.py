# Butterflies and a sorting network over the rows of a shared tile: each round reads places with a bit turned over that its
# number picks. The rounds are written out, so that what a lane reads of its partner is one access.
# RUN: tilec %s --target=sm_90a --entry "hadamard()" --emit=ptx | FileCheck %s --check-prefix=PTX --implicit-check-not="ld.shared.b32"
# PTX-COUNT-5: ld.shared.v4.b32
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "hadamard()" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --entry "hadamard()" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "hadamard(dtype='bfloat16', rows=4)" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "hadamard(columns=96, bits=5)" --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "sorted_rows()" --check | FileCheck %s
# RUN: tilec-run %s --target=gfx950 --entry "sorted_rows()" --check | FileCheck %s
# CHECK: PASS
import tilelang.language as T


def hadamard(columns=128, bits=7, rows=8, dtype="float32", threads=128):
    @T.prim_func
    def main(X: T.Tensor((2 * rows, columns), dtype), Y: T.Tensor((2 * rows, columns), dtype)):
        with T.Kernel(2, threads=threads) as bx:
            s = T.alloc_shared((rows, columns), "float32")
            f = T.alloc_fragment((rows, columns), "float32")
            T.copy(X[bx * rows, 0], s)
            for b in T.serial(bits):
                for i, j in T.Parallel(rows, columns):
                    h = 1 << b
                    f[i, j] = T.if_then_else((j & h) == 0, s[i, j] + s[i, j ^ h], s[i, j ^ h] - s[i, j])
                T.copy(f, s)
            for i, j in T.Parallel(rows, columns):
                Y[bx * rows + i, j] = s[i, j] * 0.25

    return main


def sorted_rows(rows=4, columns=32):
    @T.prim_func
    def main(X: T.Tensor((rows, columns), "float32"), Y: T.Tensor((rows, columns), "float32")):
        with T.Kernel(1, threads=64) as bx:
            s = T.alloc_shared((rows, columns), "float32")
            f = T.alloc_fragment((rows, columns), "float32")
            T.copy(X, s)
            for k in T.serial(5):
                for d in T.serial(k + 1):
                    for i, j in T.Parallel(rows, columns):
                        up = ((j >> (k + 1)) & 1) == 0
                        low = (j & (1 << (k - d))) == 0
                        least = T.min(s[i, j], s[i, j ^ (1 << (k - d))])
                        most = T.max(s[i, j], s[i, j ^ (1 << (k - d))])
                        f[i, j] = T.if_then_else(up == low, least, most)
                    T.copy(f, s)
            T.copy(s, Y)

    return main
