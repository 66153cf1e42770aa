# A loop of products with room for one slot only: the next round's tiles wait in registers, where those have room and a
# lane reads pieces of 16 bytes (K of 516 elements: pieces of 8). Else, and where the author asks for no second slot,
# the copies of a round start together, without registers.
# RUN: tilec %s --target=gfx942 --entry "product()" --emit=tile-pipelined | FileCheck %s --check-prefix=HELD
# RUN: tilec %s --target=gfx942 --entry "product(K=516)" --emit=tile-pipelined | FileCheck %s --check-prefix=HELD
# RUN: tilec %s --target=gfx942 --entry "product(stages=1)" --emit=tile-pipelined | FileCheck %s --check-prefix=TOGETHER
# RUN: tilec %s --target=gfx942 --entry "product(square=True)" --emit=tile-pipelined | FileCheck %s --check-prefix=TOGETHER
# RUN: tilec %s --target=gfx942 --entry "product()" --emit=report | FileCheck %s --check-prefix=REPORT
# RUN: tilec-run %s --target=gfx942 --entry "product(M=300, N=200, K=328)" --check --sim-mode=strict --seed 1 2>&1 | FileCheck %s --check-prefix=RIGHT --implicit-check-not=lint:
# RUN: tilec-run %s --target=gfx942 --entry "product(M=40, N=264, K=64)" --check --sim-interleave=5 --seed 2 2>&1 | FileCheck %s --check-prefix=RIGHT --implicit-check-not=lint:
# RUN: tilec-run %s --target=gfx942 --entry "rows()" --check --sim-mode=strict --seed 3 2>&1 | FileCheck %s --check-prefix=RIGHT --implicit-check-not=lint:
# HELD:          tile.alloc "A_shared_next" {{.*}}fragment>
# HELD:          tile.alloc "B_shared_next" {{.*}}fragment>
# HELD:          tile.for
# HELD-NOT:      async_copy
# HELD:          tile.gemm
# HELD-NOT:      async_
# TOGETHER-NOT:  _next
# TOGETHER:      tile.for
# TOGETHER:      tile.async_copy
# TOGETHER:      tile.async_copy
# TOGETHER-NEXT: tile.async_commit
# TOGETHER-NEXT: tile.async_wait 0
# REPORT:        spills 0 vector, 0 scalar
# REPORT:        planned: tiles are read 1 round ahead to registers
# RIGHT:         PASS
import tilelang.language as T


def product(M=512, N=512, K=512, stages=2, square=False, threads=512, block_K=32, beside=True):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, 256), T.ceildiv(M, 256), threads=threads) as (bx, by):
            A_shared = T.alloc_shared((256, block_K), "float16")
            B_shared = T.alloc_shared((256, block_K), "float16")
            c = T.alloc_fragment((256, 256), "float32")
            if beside: # takes the second slot's bytes
                weights = T.alloc_shared((256, 32), "float16")
                T.copy(A[by * 256, 0], weights)
            T.clear(c)
            if square: # takes the registers
                d = T.alloc_fragment((256, 256), "float32")
                T.clear(d)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=stages):
                T.copy(A[by * 256, k * block_K], A_shared)
                T.copy(B[bx * 256, k * block_K], B_shared)
                T.gemm(A_shared, B_shared, c, transpose_B=True)
                if square:
                    T.gemm(A_shared, A_shared, d, transpose_B=True)
            if square:
                for i, j in T.Parallel(256, 256):
                    c[i, j] += d[i, j]
            if beside:
                for i, j in T.Parallel(256, 256):
                    c[i, j] += weights[i, j % 32]
            T.copy(c, C[by * 256, bx * 256])

    return main


# Tiles that share bytes: the second is written when the first has been read. Rounds that a variable counts.
def rows(S=576, D=256, block=64):
    @T.prim_func
    def main(Q: T.Tensor((S, D), "float16"), K: T.Tensor((S, D), "float16"), V: T.Tensor((S, D), "float16"),
             O: T.Tensor((S, D), "float32")):
        with T.Kernel(T.ceildiv(S, block), threads=256) as bx:
            Q_shared = T.alloc_shared((block, D), "float16")
            K_shared = T.alloc_shared((block, D), "float16")
            V_shared = T.alloc_shared((block, D), "float16")
            s = T.alloc_fragment((block, block), "float32")
            p = T.alloc_fragment((block, block), "float16")
            o = T.alloc_fragment((block, D), "float32")
            T.copy(Q[bx * block, 0], Q_shared)
            T.clear(o)
            for k in T.Pipelined(bx + 1, num_stages=2):
                T.copy(K[k * block, 0], K_shared)
                T.clear(s)
                T.gemm(Q_shared, K_shared, s, transpose_B=True)
                for i, j in T.Parallel(block, block):
                    p[i, j] = T.max(s[i, j], 0)
                T.copy(V[k * block, 0], V_shared)
                T.gemm(p, V_shared, o)
            T.copy(o, O[bx * block, 0])

    return main
