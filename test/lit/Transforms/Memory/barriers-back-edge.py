# What an iteration leaves open is learnt until nothing is new: the atomic is separated from that of
# the iteration before, which leaves no barrier at the read of `t`, so the read of `s` stays open and
# the next iteration's copy into `s` has to wait for it.
# RUN: tilec %s --entry "main()" --target=gfx950 --emit=tile-pipelined | FileCheck %s
# CHECK: tile.for
# CHECK: tile.barrier
# CHECK-NEXT: tile.copy %{{[0-9]+}} to %s
# CHECK: tile.barrier global
# CHECK: tile.atomic
# CHECK: tile.copy %s to
# CHECK-NOT: tile.barrier
# CHECK: tile.copy %t to
import tilelang.language as T


def main():
    @T.prim_func
    def main(
        A: T.Tensor((4, 64), "float32"), G: T.Tensor((64,), "int32"), H: T.Tensor((64,), "int32"),
        O: T.Tensor((4, 64), "float32"), P: T.Tensor((4, 64), "float32")
    ):
        with T.Kernel(1, threads=192) as bx:
            s = T.alloc_shared((1, 64), "float32")
            t = T.alloc_shared((1, 64), "float32")
            for k in T.serial(4):
                T.copy(A[k, 0], s)
                for i, j in T.Parallel(1, 64):
                    t[i, 63 - j] = j
                for j in T.Parallel(64):
                    H[j] = T.atomic_max(G[j], j + k, return_prev=True)
                T.copy(s, O[k, 0])
                T.copy(t, P[k, 0])

    return main
