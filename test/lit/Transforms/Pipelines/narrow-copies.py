# Where copies are narrow (gfx942), tiles wait in registers instead of slots that cost a round more than those: of which a
# second group has a wait of its own, or of which there are three. Not where the round adds to a tensor, for which the next
# round's reads would wait, nor where the author asks for exactly so many slots.
# RUN: tilec %s --entry "chain()" --target=gfx942 --emit=tile-pipelined | FileCheck %s --check-prefix=HELD
# RUN: tilec %s --entry "chain(stages=3, N=32)" --target=gfx942 --emit=tile-pipelined | FileCheck %s --check-prefix=HELD
# RUN: tilec %s --entry "chain(adds=True)" --target=gfx942 --emit=tile-pipelined | FileCheck %s --check-prefix=COPIES
# RUN: tilec %s --entry "chain(exact=True)" --target=gfx942 --emit=tile-pipelined | FileCheck %s --check-prefix=COPIES
# RUN: tilec %s --entry "chain()" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefix=COPIES
# RUN: tilec %s --entry "chain()" --target=gfx942 --remarks -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
# HELD: tile.alloc "k_next"
# HELD: tile.alloc "v_next"
# HELD-NOT: tile.async_copy
# COPIES-NOT: _next
# COPIES: tile.for
# COPIES: tile.async_copy
# REMARK: pipelined with one slot: the next round's tiles wait in registers, as narrow copies to slots cost more
#
# Blocks of a row of the grid share what waits in registers, too.
# RUN: tilec %s --entry "chain()" --target=gfx942 --emit=wave | FileCheck %s --check-prefix=ORDER
# ORDER: block_order = "launch order, chunks of 2 blocks on each of 8 dies"
# RUN: tilec-run %s --entry "chain()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "chain(stages=3, N=32)" --target=gfx942 --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "chain(adds=True)" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T
from tilec import schedule


def chain(stages=2, N=64, S=256, D=128, heads=4, adds=False, exact=False):
    @T.prim_func
    def main(Q: T.Tensor((heads, S, D), "float16"), K: T.Tensor((heads, S, D), "float16"),
             V: T.Tensor((heads, S, D), "float16"), W: T.Tensor((heads, S), "float32"),
             O: T.Tensor((heads, S, D), "float32")):
        with T.Kernel(S // 128, heads, threads=256) as (bx, by):
            q = T.alloc_shared((128, D), "float16")
            k = T.alloc_shared((N, D), "float16")
            v = T.alloc_shared((N, D), "float16")
            s = T.alloc_fragment((128, N), "float32")
            p = T.alloc_fragment((128, N), "float16")
            o = T.alloc_fragment((128, D), "float32")
            T.copy(Q[by, bx * 128, 0], q)
            T.clear(o)
            rounds = T.Pipelined(S // N, num_stages=stages)
            for n in schedule.exact(rounds) if exact else rounds:
                T.copy(K[by, n * N, 0], k)
                T.copy(V[by, n * N, 0], v)
                T.clear(s)
                T.gemm(q, k, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                for i, j in T.Parallel(128, N):
                    p[i, j] = T.max(s[i, j], 0)
                if adds:
                    for i in T.Parallel(128):
                        T.atomic_add(W[by, bx * 128 + i], 1.0)
                T.gemm(p, v, o, policy=T.GemmWarpPolicy.FullRow)
            T.copy(o, O[by, bx * 128, 0])

    return main
