# More blocks than compute units, of loops without a planned order: slots do not take the place of blocks, so that what
# `num_stages` asks for is there or not by the number of blocks (docs/machine-code/pipelining.md). Two and three stages,
# whole and ragged, beside rows that are found by number.
# RUN: tilec-run %s --entry "sums(1216, 1280)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "sums(1216, 1280, stages=3)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "sums(2240, 2304, bm=128, bn=128)" --target=gfx942 --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "sums(2240, 2304, bm=128, bn=128, k=160, stages=3)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "sums(2240, 4352, bm=128, bn=256, picked=True)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "sums(2240, 2304, bm=128, bn=128, stages=3, picked=True)" --target=gfx950 --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "sums(1216, 1280, stages=3, exact=True)" --target=gfx950 --check | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T
from tilec import schedule


def sums(m, n, k=192, bm=64, bn=64, bk=64, stages=2, threads=256, exact=False, picked=False):
    @T.prim_func
    def main(A: T.Tensor((m, k), "bfloat16"), B: T.Tensor((n, k), "bfloat16"), Rows: T.Tensor((m,), "int32"),
             C: T.Tensor((m, n), "float32")):
        with T.Kernel(T.ceildiv(n, bn), T.ceildiv(m, bm), threads=threads) as (bx, by):
            a = T.alloc_shared((bm, bk), "bfloat16")
            b = T.alloc_shared((bn, bk), "bfloat16")
            c = T.alloc_fragment((bm, bn), "float32")
            p = T.alloc_fragment((bm, bn), "float32")
            T.clear(c)
            rounds = T.Pipelined(T.ceildiv(k, bk), num_stages=stages)
            for r in schedule.exact(rounds) if exact else rounds:
                if picked:
                    for i, j in T.Parallel(bm, bk):
                        a[i, j] = A[Rows[by * bm + i], r * bk + j]
                else:
                    T.copy(A[by * bm, r * bk], a)
                T.copy(B[bx * bn, r * bk], b)
                if picked:
                    T.gemm(a, b, c, transpose_B=True)
                else:
                    T.gemm(a, b, p, transpose_B=True, clear_accum=True)
                    for i, j in T.Parallel(bm, bn):
                        c[i, j] += p[i, j] * 0.5
            T.copy(c, C[by * bm, bx * bn])

    return main
