# Fragments that 128 threads cannot hold get 256, unless the script reads the number, names threads or
# asks for it; what no number of threads can hold stays with the author's.
# RUN: tilec %s --entry "two(128, 128)" --target=sm_90a --stop-after=tile-laid-out -o - | FileCheck %s --check-prefix=WIDER
# RUN: tilec %s --entry "two(128, 128)" --target=sm_80 --remarks --stop-after=tile-laid-out -o - 2>&1 | FileCheck %s --check-prefixes=WIDER,REMARK
# RUN: tilec %s --entry "two(128, 128)" --target=gfx942 --stop-after=tile-laid-out -o - | FileCheck %s --check-prefix=SAME
# RUN: tilec %s --entry "two(128, 256)" --target=gfx942 --stop-after=tile-laid-out -o - | FileCheck %s --check-prefix=WIDER
# RUN: tilec %s --entry "two(64, 128)" --target=sm_90a --stop-after=tile-laid-out -o - | FileCheck %s --check-prefix=SAME
# RUN: tilec %s --entry "two(256, 256)" --target=sm_90a --stop-after=tile-laid-out -o - | FileCheck %s --check-prefix=SAME
# RUN: tilec %s --entry "two(128, 128, reads=True)" --target=sm_90a --stop-after=tile-laid-out -o - | FileCheck %s --check-prefix=SAME
# RUN: tilec %s --entry "two(128, 128, exact=True)" --target=sm_90a --stop-after=tile-laid-out -o - | FileCheck %s --check-prefix=SAME
# RUN: tilec %s --entry "turns(128, 128)" --target=sm_90a --stop-after=tile-laid-out -o - | FileCheck %s --check-prefix=SAME
# RUN: tilec %s --entry "summed(64, 512, 32)" --target=gfx942 --remarks --stop-after=tile-laid-out -o - 2>&1 | FileCheck %s --check-prefixes=WIDER,REACH
# RUN: tilec %s --entry "summed(64, 512, 32)" --target=gfx950 --remarks --stop-after=tile-laid-out -o - 2>&1 | FileCheck %s --check-prefixes=WIDER,IDLE
# RUN: tilec %s --entry "summed(64, 512, 32, blocks=1024)" --target=gfx950 --stop-after=tile-laid-out -o - | FileCheck %s --check-prefix=SAME
# RUN: tilec %s --entry "summed(64, 512, 32, scaled=False)" --target=gfx942 --remarks --stop-after=tile-laid-out -o - 2>&1 | FileCheck %s --check-prefixes=WIDER,IDLE
# RUN: tilec %s --entry "summed(64, 256, 32)" --target=gfx942 --remarks --stop-after=tile-laid-out -o - 2>&1 | FileCheck %s --check-prefixes=WIDER,IDLE
# RUN: tilec-run %s --entry "summed(64, 512, 32)" --target=gfx942 --check --seed 1 | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --entry "summed(64, 512, 32)" --target=gfx950 --check --seed 1 | FileCheck %s --check-prefix=RIGHT
# A second warp group of 64 rows keeps a second block from a multiprocessor; 192 blocks on 132 leave many idle behind the
# first round. Not with 128 blocks, which all run at once, nor with what computes in the loop, nor where three rounds
# of copies do not fit into half of shared memory.
# RUN: tilec %s --entry "slab(192, 8192)" --target=sm_90a --remarks --stop-after=tile-laid-out -o - 2>&1 | FileCheck %s --check-prefixes=SAME,FEWER
# RUN: tilec %s --entry "slab(128, 8192)" --target=sm_90a --stop-after=tile-laid-out -o - | FileCheck %s --check-prefix=WIDER
# RUN: tilec %s --entry "slab(192, 8192, scaled=True)" --target=sm_90a --stop-after=tile-laid-out -o - | FileCheck %s --check-prefix=WIDER
# RUN: tilec %s --entry "slab(192, 16384, BN=256)" --target=sm_90a --stop-after=tile-laid-out -o - | FileCheck %s --check-prefix=WIDER
# RUN: tilec %s --entry "slab(192, 8192, stages=1)" --target=sm_90a --stop-after=tile-laid-out -o - | FileCheck %s --check-prefix=WIDER
# RUN: tilec %s --entry "slab(192, 8192)" --target=sm_80 --stop-after=tile-laid-out -o - | FileCheck %s --check-prefix=WIDER
# RUN: tilec-run %s --entry "slab(192, 8192, K=128)" --target=sm_90a --device=ptx --check --sim-interleave=2 | FileCheck %s --check-prefix=RIGHT
# Rows of a transposed A lie where one instruction reads 64: each slab of them gets a warp group, and 192 rows three.
# RUN: tilec %s --entry "turned(128, 128)" --target=sm_90a --remarks --stop-after=tile-laid-out -o - 2>&1 | FileCheck %s --check-prefixes=WIDER,SHARED
# RUN: tilec %s --entry "turned(256, 256)" --target=sm_90a --stop-after=tile-laid-out -o - | FileCheck %s --check-prefix=FOUR
# RUN: tilec %s --entry "turned(192, 128)" --target=sm_90a --stop-after=tile-laid-out -o - | FileCheck %s --check-prefix=THREE
# RUN: tilec %s --entry "turned(128, 128)" --target=sm_80 --stop-after=tile-laid-out -o - | FileCheck %s --check-prefix=SAME
# RUN: tilec-run %s --entry "turned(256, 256)" --target=sm_90a --device=ptx --check | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --entry "turned(192, 128)" --target=sm_90a --device=ptx --check | FileCheck %s --check-prefix=RIGHT
# SHARED: threads= is 256 here, not 128: with fewer, warp groups cannot share all products of a round
# FOUR: threads(512)
# THREE: threads(384)
# FEWER: threads= is 128 here, not 256: products have one slab of rows
# REMARK: threads= is 256 here, not 128: fragments take 256 registers of each of 128 threads, which have 255 on sm_80
# AMD: two waves would leave two schedulers idle, where shared memory holds one block only (gfx942), and arithmetic
# in the loop would reach half of their registers, or each wave has a part of the product for itself.
# REACH: threads= is 256 here, not 128: fragments take {{[0-9]+}} registers of each of 128 threads, which have 512 on gfx942, 256 of them out of arithmetic's reach
# IDLE: threads= is 256 here, not 128: with fewer, schedulers of a unit would have no wave
# RIGHT: PASS
# WIDER: threads(256)
# SAME: threads(128)
import tilelang.language as T
from tilec import schedule


def two(M, N, reads=False, exact=False):
    @T.prim_func
    def main(A: T.Tensor((4, M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_fragment((M, N), "float32")
            b = T.alloc_fragment((M, N), "float32")
            T.clear(b)
            if reads:
                T.copy(A[T.get_thread_extent(0) - 128, 0, 0], b)
            loop = T.serial(4)
            if exact:
                loop = schedule.exact(T.Pipelined(4, num_stages=2))
            for k in loop:
                T.copy(A[k, 0, 0], a)
                for i, j in T.Parallel(M, N):
                    b[i, j] = b[i, j] * a[i, j] + a[i, N - 1 - j]
            T.copy(b, B)

    return main


# One after the other: never both at once.
def turns(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32"), C: T.Tensor((M,), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_fragment((M, N), "float32")
            b = T.alloc_fragment((M, N), "float32")
            s = T.alloc_fragment((M,), "float32")
            T.copy(A, a)
            T.reduce_sum(a, s, dim=1)
            T.copy(s, C)
            T.copy(B, b)
            T.reduce_max(b, s, dim=1)
            T.copy(s, C)

    return main


# As latent attention does: sums of products that are scaled in each round.
def summed(M, N, K, scaled=True, rounds=2, blocks=1):
    @T.prim_func
    def main(A: T.Tensor((M, rounds * K), "float16"), B: T.Tensor((rounds * K, N), "float16"),
             C: T.Tensor((blocks * M, N), "float16")):
        with T.Kernel(blocks, threads=128) as bx:
            a = T.alloc_shared((M, K), "float16")
            b = T.alloc_shared((K, N), "float16")
            c = T.alloc_fragment((M, N), "float32")
            T.clear(c)
            for k in T.serial(rounds):
                T.copy(A[0, k * K], a)
                T.copy(B[k * K, 0], b)
                T.gemm(a, b, c, policy=T.GemmWarpPolicy.FullRow)
                if scaled:
                    for i, j in T.Parallel(M, N):
                        c[i, j] = c[i, j] * 0.5
            T.copy(c, C[bx * M, 0])

    return main


def slab(M, N, K=256, BN=128, BK=64, stages=2, scaled=False):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(N, BN), M // 64, threads=256) as (bx, by):
            a = T.alloc_shared((64, BK), "float16")
            b = T.alloc_shared((BK, BN), "float16")
            c = T.alloc_fragment((64, BN), "float32")
            T.clear(c)
            for k in T.Pipelined(K // BK, num_stages=stages):
                T.copy(A[by * 64, k * BK], a)
                T.copy(B[k * BK, bx * BN], b)
                T.gemm(a, b, c)
                if scaled:
                    for i, j in T.Parallel(64, BN):
                        c[i, j] = c[i, j] * 0.5
            T.copy(c, C[by * 64, bx * BN])

    return main


def turned(M, threads, N=64, K=64):
    @T.prim_func
    def main(A: T.Tensor((2 * K, M), "float16"), B: T.Tensor((2 * K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=threads) as bx:
            a = T.alloc_shared((K, M), "float16")
            b = T.alloc_shared((K, N), "float16")
            c = T.alloc_fragment((M, N), "float32")
            T.clear(c)
            for r in T.Pipelined(2, num_stages=2):
                T.copy(A[r * K, 0], a)
                T.copy(B[r * K, 0], b)
                T.gemm(a, b, c, transpose_A=True)
            T.copy(c, C[0, 0])

    return main
