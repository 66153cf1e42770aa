# Rows of groups in tiles: which group a tile belongs to is found by a loop over numbers, and rows behind the group's last one
# are another group's. One block a multiprocessor takes large tiles in turn, by teams with 128 threads; a tile whose rows all
# belong to the group is stored as a whole.
# RUN: tilec-run %s --entry "grouped()" --target=sm_90a --device=ptx --check --sim-interleave=1 --arg Sizes=%S/Inputs/group-sizes.npy | FileCheck %s
# RUN: tilec-run %s --entry "grouped(bm=128, bn=128)" --target=sm_90a --device=ptx --check --sim-interleave=2 --arg Sizes=%S/Inputs/group-sizes.npy | FileCheck %s
# RUN: tilec-run %s --entry "grouped(bm=128, bn=128, threads=256)" --target=sm_90a --device=ptx --check --sim-interleave=3 --arg Sizes=%S/Inputs/group-sizes.npy | FileCheck %s
# RUN: tilec-run %s --entry "grouped()" --target=sm_80 --device=ptx --check --arg Sizes=%S/Inputs/group-sizes.npy | FileCheck %s
# RUN: tilec-run %s --entry "grouped()" --target=gfx942 --check --arg Sizes=%S/Inputs/group-sizes.npy | FileCheck %s
# RUN: tilec-run %s --entry "grouped(bm=128, bn=128)" --target=gfx950 --check --sim-mode=strict --arg Sizes=%S/Inputs/group-sizes.npy | FileCheck %s
# RUN: tilec %s --entry "grouped(bm=128, bn=128, n=17152)" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=TEAMS
# RUN: tilec %s --entry "grouped(n=17152)" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=SMALL
# CHECK: PASS
# TEAMS: tile.kernel {{.*}}teams
# TEAMS: persistent
# TEAMS: tile.pipe_drain
# TEAMS: %[[ALL:.*]] = arith.cmpi sgt, %{{.*}}, %c127
# TEAMS-NEXT: scf.if %[[ALL]] {
# TEAMS-NOT: barrier
# TEAMS: tile.store_tile
# TEAMS-NOT: scf.if
# TEAMS: } else {
# TEAMS-NEXT: tile.parallel
# TEAMS: scf.if
# TEAMS: tile.store %
# SMALL-NOT: persistent
# SMALL: tile.store_tile
# SMALL-NOT: persistent
import tilelang.language as T


def grouped(groups=3, tiles=6, n=256, k=256, bm=64, bn=64, bk=64, stages=2, threads=128):
    rows = tiles * bm

    @T.prim_func
    def main(A: T.Tensor((rows, k), "float16"), B: T.Tensor((groups, k, n), "float16"), Sizes: T.Tensor((groups,), "int32"),
             C: T.Tensor((rows, n), "float16")):
        with T.Kernel(tiles, n // bn, threads=threads) as (bx, by):
            a = T.alloc_shared((bm, bk), "float16")
            b = T.alloc_shared((bk, bn), "float16")
            c = T.alloc_fragment((bm, bn), "float32")
            group = T.alloc_var("int32")
            first = T.alloc_var("int32")
            tile = T.alloc_var("int32")
            group = -1
            first = 0
            tile = bx
            for g in range(groups):
                count = T.ceildiv(Sizes[g], bm)
                if group < 0:
                    if tile < count:
                        group = g
                        first += tile * bm
                    else:
                        tile -= count
                        first += Sizes[g]
            left = T.max(0, T.min(bm, T.if_then_else(group >= 0, Sizes[T.max(group, 0)] - tile * bm, 0)))
            T.clear(c)
            for i in T.Pipelined(k // bk, num_stages=stages):
                T.copy(A[first, i * bk], a)
                T.copy(B[T.max(group, 0), i * bk, by * bn], b)
                T.gemm(a, b, c)
            for i, j in T.Parallel(bm, bn):
                if i < left:
                    C[first + i, by * bn + j] = c[i, j]

    return main
