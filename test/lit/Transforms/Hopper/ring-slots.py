# RUN: tilec %s --entry "gemm()" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=WISH
# RUN: tilec %s --entry "gemm(exact=True)" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=EXACT
# RUN: tilec %s --entry "gemm()" --schedule=cluster_m --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=EXACT
# RUN: tilec %s --entry "gemm(stages=1)" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=NONE
# RUN: tilec %s --entry "gemm(stages=6)" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=MORE
# RUN: tilec %s --entry "gemm(bm=64, bn=32, threads=128)" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=SMALL
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
