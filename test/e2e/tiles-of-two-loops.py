# Two loops that fill the same tiles, one behind the other, under a branch and in a loop of tiles: each has a ring of its own,
# whose bytes are the other's, too. Tiles of which a loop reads what the other has left stay one.
# RUN: tilec-run %s --entry "two()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "two()" --target=gfx950 --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "two()" --target=sm_80 --device=ptx --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "two()" --target=sm_90a --device=ptx --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "two(tiles=3)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "two(tiles=3)" --target=sm_80 --device=ptx --check --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %s --entry "two(leaves=True)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "two(leaves=True)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "around()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "around()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "around()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "around()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec %s --entry "two()" --target=gfx942 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "two()" --target=gfx950 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "two()" --target=sm_80 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "two(tiles=3)" --target=sm_80 --emit=report | FileCheck %s --check-prefix=PLANNED
# CHECK: PASS
# PLANNED: : planned:
# PLANNED: : planned:
import tilelang.language as T


def two(blocks=3, rounds=4, tiles=1, leaves=False, bk=32, threads=128):
    K = 2 * rounds * bk

    @T.prim_func
    def main(A: T.Tensor((blocks * tiles * 64, K), "float16"), B: T.Tensor((64, K), "float16"),
             Runs: T.Tensor((blocks,), "int32"), C: T.Tensor((blocks * tiles * 64, 64), "float32")):
        with T.Kernel(blocks, threads=threads) as bx:
            a = T.alloc_shared((64, bk), "float16")
            b = T.alloc_shared((64, bk), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            d = T.alloc_fragment((64, 64), "float32")
            if Runs[bx] % 2 == 0:
                for t in range(tiles):
                    row = (bx * tiles + t) * 64
                    T.clear(c)
                    T.clear(d)
                    for k in T.Pipelined(rounds, num_stages=3):
                        T.copy(A[row, k * bk], a)
                        T.copy(B[0, k * bk], b)
                        T.gemm(a, b, c, transpose_B=True)
                    for k in T.Pipelined(rounds, num_stages=3):
                        if leaves:
                            T.gemm(a, b, d, transpose_B=True)
                        T.copy(A[row, (rounds + k) * bk], a)
                        T.copy(B[0, (rounds + k) * bk], b)
                        T.gemm(a, b, d, transpose_B=True)
                    for i, j in T.Parallel(64, 64):
                        C[row + i, j] = c[i, j] - d[i, j]

    return main


# The loop around the other one reads what that has left.
def around(outer=2, rounds=3, bk=32, threads=128):
    K = outer * (rounds + 1) * bk

    @T.prim_func
    def main(A: T.Tensor((64, K), "float16"), B: T.Tensor((64, K), "float16"), C: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=threads):
            a = T.alloc_shared((64, bk), "float16")
            b = T.alloc_shared((64, bk), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for t in range(outer):
                T.copy(A[0, t * (rounds + 1) * bk], a)
                T.copy(B[0, t * (rounds + 1) * bk], b)
                T.gemm(a, b, c, transpose_B=True)
                for k in T.Pipelined(rounds, num_stages=2):
                    T.copy(A[0, (t * (rounds + 1) + k + 1) * bk], a)
                    T.copy(B[0, (t * (rounds + 1) + k + 1) * bk], b)
                    T.gemm(a, b, c, transpose_B=True)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C)

    return main
