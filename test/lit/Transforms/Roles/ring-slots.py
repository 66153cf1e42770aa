# RUN: tilec %s --entry "gemm()" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=WISH
# RUN: tilec %s --entry "gemm(exact=True)" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=EXACT
# RUN: tilec %s --entry "gemm()" --schedule=cluster_m --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=EXACT
# RUN: tilec %s --entry "gemm(stages=1)" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=NONE
# RUN: tilec %s --entry "gemm(stages=6)" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=MORE
# RUN: tilec %s --entry "gemm(bm=64, bn=32, threads=128)" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=SMALL
# RUN: tilec %s --entry "chained(n=16384)" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=LIVE
# RUN: tilec %s --entry "chained()" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=ALONE
# RUN: tilec %s --entry "chained(threads=256)" --target=sm_90a --emit=manifest | FileCheck %s --check-prefix=GROUP
# RUN: tilec %s --entry "chained()" --target=sm_90a --emit=manifest | FileCheck %s --check-prefix=WARP
# RUN: tilec %s --entry "gemm()" --target=sm_90a --emit=manifest | FileCheck %s --check-prefix=ALIGNED
# RUN: tilec %s --entry "gemm(k=4104)" --target=sm_90a --emit=manifest | FileCheck %s --check-prefix=RAGGED
# RUN: tilec-run %s --entry "gemm(m=256, n=256, k=520)" --target=sm_90a --device=ptx --check | FileCheck %s --check-prefix=PASS
#
# `num_stages` of 2 and more is a wish: 128 x 128 x 64 takes 512 clocks of tensor cores a round, a copy 2000.
import tilelang.language as T
from tilec import schedule


def gemm(m=4096, n=4096, k=4096, bm=128, bn=128, stages=2, threads=256, exact=False):
    @T.prim_func
    def main(A: T.Tensor((m, k), "float16"), B: T.Tensor((n, k), "float16"), C: T.Tensor((m, n), "float16")):
        with T.Kernel(T.ceildiv(n, bn), T.ceildiv(m, bm), threads=threads) as (bx, by):
            a = T.alloc_shared((bm, 64), "float16")
            b = T.alloc_shared((bn, 64), "float16")
            c = T.alloc_fragment((bm, bn), "float32")
            T.clear(c)
            rounds = T.Pipelined(T.ceildiv(k, 64), num_stages=stages)
            for ko in schedule.exact(rounds) if exact else rounds:
                T.copy(A[by * bm, ko * 64], a)
                T.copy(B[bx * bn, ko * 64], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * bm, bx * bn])
    return main


# Of the sums of a round one lives at a time: there is room for a second block, and slots leave it its shared memory.
def chained(threads=128, bm=64, n=1024, d=64):
    @T.prim_func
    def main(Q: T.Tensor((n, d), "float16"), K: T.Tensor((n, d), "float16"), V: T.Tensor((n, d), "float16"),
             W: T.Tensor((n, d), "float16"), O: T.Tensor((n, d), "float32"), P: T.Tensor((n, d), "float32")):
        with T.Kernel(n // bm, threads=threads) as by:
            q = T.alloc_shared((bm, d), "float16")
            k = T.alloc_shared((64, d), "float16")
            v = T.alloc_shared((64, d), "float16")
            w = T.alloc_shared((64, d), "float16")
            first = T.alloc_fragment((bm, 64), "float32")
            second = T.alloc_fragment((bm, 64), "float32")
            third = T.alloc_fragment((bm, 64), "float32")
            cast = T.alloc_fragment((bm, 64), "float16")
            o = T.alloc_fragment((bm, d), "float32")
            p = T.alloc_fragment((bm, d), "float32")
            T.copy(Q[by * bm, 0], q)
            T.clear(o)
            T.clear(p)
            for j in T.Pipelined(n // 64, num_stages=2):
                T.copy(K[j * 64, 0], k)
                T.copy(V[j * 64, 0], v)
                T.copy(W[j * 64, 0], w)
                T.gemm(q, k, first, transpose_B=True, clear_accum=True)
                T.copy(first, cast)
                T.gemm(cast, v, o)
                T.gemm(q, v, second, transpose_B=True, clear_accum=True)
                T.copy(second, cast)
                T.gemm(cast, k, p)
                T.gemm(q, w, third, transpose_B=True, clear_accum=True)
                for i, l in T.Parallel(bm, d):
                    o[i, l] += third[i, l]
            T.copy(o, O[by * bm, 0])
            T.copy(p, P[by * bm, 0])
    return main


# LIVE: tile.pipe stages(3) bytes(24576)
# Sixteen blocks have a multiprocessor each: there is nobody to leave it to.
# ALONE: tile.pipe stages(5) bytes(24576)
# A producer whose registers do not move is one warp.
# WARP: 160
# GROUP: 384
# WISH:  tile.pipe stages(5) bytes(32768)
# EXACT: tile.pipe stages(2) bytes(32768)
# NONE-NOT: tile.pipe
# What the author wants beyond that stays.
# MORE:  tile.pipe stages(6) bytes(32768)
# A persistent block has the multiprocessor for itself.
# SMALL: tile.pipe stages(8) bytes(12288)

# ALIGNED-NOT: l2_promotion
# RAGGED-COUNT-2: "l2_promotion": 128
# RAGGED-NOT: l2_promotion
# PASS: PASS
