# Products whose author asks for no ring, in grids that leave multiprocessors idle: a long loop gets one all the same, and blocks
# of a cluster share each tile where their sums go to a tensor by atomics, too. Short loops, full grids, exact stages and loops
# of more than one product keep what was asked for.
# RUN: tilec-run %s --entry "parts()" --target=sm_90a --device=ptx --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "parts(stages=1, atomic=False, parts=1)" --target=sm_90a --device=ptx --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "parts(old=True)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "parts(k=1024)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "parts(k=1024)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "parts(k=1024)" --target=gfx950 --check | FileCheck %s
# RUN: tilec %s --entry "parts()" --target=sm_90a --emit=tile-pipelined --remarks 2>&1 | FileCheck %s --check-prefix=RING
# RUN: tilec %s --entry "parts(stages=1)" --target=sm_90a --emit=tile-pipelined --remarks 2>&1 | FileCheck %s --check-prefix=RING
# RUN: tilec %s --entry "parts(old=True)" --target=sm_90a --emit=tile-pipelined --remarks 2>&1 | FileCheck %s --check-prefix=OLD
# RUN: tilec %s --entry "parts(k=4032)" --target=sm_90a --emit=tile-pipelined --remarks 2>&1 | FileCheck %s --check-prefix=NONE
# RUN: tilec %s --entry "parts(m=8192, n=8192)" --target=sm_90a --emit=tile-pipelined --remarks 2>&1 | FileCheck %s --check-prefix=NONE
# RUN: tilec %s --entry "parts(exact=True)" --target=sm_90a --emit=tile-pipelined --remarks 2>&1 | FileCheck %s --check-prefix=NONE
# RUN: tilec %s --entry "parts(exact=True, stages=2)" --target=sm_90a --emit=tile-pipelined --remarks 2>&1 | FileCheck %s --check-prefix=EXACT
# RUN: tilec %s --entry "parts()" --schedule=producer_consumer --target=sm_90a --emit=tile-pipelined --remarks 2>&1 | FileCheck %s --check-prefix=NONE
# RUN: tilec %s --entry "parts()" --target=gfx950 --emit=tile-pipelined --remarks 2>&1 | FileCheck %s --check-prefix=OLD
# CHECK: PASS
# RING: remark: a ring in spite of num_stages={{[01]}}: the grid has no more blocks than the chip has units, and 64 rounds would wait for memory one after another
# RING: remark: 8 blocks share each of the 2 tiles, each a part of K
# RING: cluster = 8
# RING: tile.pipe stages(
# OLD: a ring in spite of
# OLD-NOT: cluster =
# EXACT-NOT: {{a round brings|share each}}
# EXACT: tile.pipe stages(2)
# EXACT-NOT: {{a round brings|share each}}
# NONE-NOT: in spite of
import tilelang.language as T
from tilec import schedule


def parts(m=64, n=64, k=4096, parts=2, bk=32, stages=0, threads=128, atomic=True, old=False, exact=False):
    own = k // parts

    @T.prim_func
    def main(A: T.Tensor((m, k), "float16"), B: T.Tensor((k, n), "float16"), C: T.Tensor((m, n), "float32"),
             D: T.Tensor((parts, m, n), "float32")):
        with T.Kernel(n // 64, m // 64, parts, threads=threads) as (bx, by, bz):
            a = T.alloc_shared((64, bk), "float16")
            b = T.alloc_shared((bk, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            rounds = T.Pipelined(own // bk, num_stages=stages)
            for i in schedule.exact(rounds) if exact else rounds:
                T.copy(A[by * 64, bz * own + i * bk], a)
                T.copy(B[bz * own + i * bk, bx * 64], b)
                T.gemm(a, b, c)
            if old:
                for i, j in T.Parallel(64, 64):
                    D[bz, by * 64 + i, bx * 64 + j] = T.atomic_add(C[by * 64 + i, bx * 64 + j], c[i, j], return_prev=True) * 0
            elif atomic:
                for i, j in T.Parallel(64, 64):
                    T.atomic_add(C[by * 64 + i, bx * 64 + j], c[i, j])
            else:
                T.copy(c, C[by * 64, bx * 64])

    return main
