# What a round reads of tensors beside its tiles: the element that is the same in all rounds in front of the loop (where
# copies are counted in the order of all reads), a fragment in front of the tiles that run ahead in registers, numbers of
# rows once for two tiles that have the same ones, but not for one that has them in another order; and a short
# round of a product whose one wait would be for all copies fills its slots again where it has read them, not one with
# many copies or one that stores.
# RUN: tilec %s --entry "masked()" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefix=SAME
# RUN: tilec %s --entry "masked()" --target=sm_80 --emit=tile-pipelined | FileCheck %s --check-prefix=GROUPS
# RUN: tilec %s --entry "weighted()" --target=gfx942 --emit=tile-pipelined | FileCheck %s --check-prefix=FIRST
# RUN: tilec %s --entry "chosen()" --target=gfx942 --emit=tile-pipelined | FileCheck %s --check-prefix=ONCE
# RUN: tilec %s --entry "chosen(backwards=True)" --target=gfx942 --emit=tile-pipelined | FileCheck %s --check-prefix=TWICE
# RUN: tilec %s --entry "summed()" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefix=EARLY
# RUN: tilec %s --entry "summed(block=128)" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefix=ALL
# RUN: tilec %s --entry "summed(stores=True)" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefix=ALL
# SAME:       %[[L:[0-9]+]] = tile.tensor "L"
# SAME:       tile.load %[[L]]
# SAME:       tile.for
# SAME-NOT:   tile.load %[[L]]
# GROUPS:     %[[L:[0-9]+]] = tile.tensor "L"
# GROUPS:     tile.for
# GROUPS:     tile.load %[[L]]
# FIRST:      tile.for
# FIRST:      tile.store {{.*}}, %w[
# FIRST:      tile.load %k_next
# FIRST:      tile.store {{.*}}, %k_next
# ONCE-COUNT-1: tile.alloc "I_rows"
# ONCE-NOT:   tile.alloc "I_rows"
# ONCE:       tile.for
# TWICE-COUNT-2: tile.alloc "I_rows"
# TWICE:      tile.for
# EARLY:      tile.for
# EARLY:      tile.async_wait 1
# EARLY-NEXT: tile.barrier
# EARLY-NOT:  async
# EARLY:      tile.gemm
# EARLY-NEXT: tile.barrier
# EARLY:      tile.async_copy
# EARLY:      tile.async_commit
# ALL:        tile.for
# ALL:        tile.async_wait 0
# ALL:        tile.async_copy
# ALL:        tile.gemm
import tilelang.language as T


def masked(batch=3, rows=256, dim=64, R=16, N=64):
    @T.prim_func
    def main(Q: T.Tensor((batch, R, dim), "float16"), K: T.Tensor((batch, rows, dim), "float16"),
             L: T.Tensor((batch,), "int32"), S: T.Tensor((batch, R, N), "float32")):
        with T.Kernel(batch, threads=128) as b:
            q = T.alloc_shared((R, dim), "float16")
            k = T.alloc_shared((N, dim), "float16")
            s = T.alloc_fragment((R, N), "float32")
            T.copy(Q[b, 0, 0], q)
            T.clear(s)
            for n in T.Pipelined(T.ceildiv(rows, N), num_stages=2):
                T.copy(K[b, n * N, 0], k)
                T.gemm(q, k, s, transpose_B=True)
                for i, j in T.Parallel(R, N):
                    s[i, j] = T.if_then_else(n * N + j < L[b], s[i, j], 0)
            T.copy(s, S[b, 0, 0])

    return main


def weighted(H=32, D=128, B=128):
    N = T.dynamic("N")

    @T.prim_func
    def main(Q: T.Tensor((H, D), "float16"), K: T.Tensor((N, D), "float16"), W: T.Tensor((N,), "float32"),
             O: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 4 * B), threads=128) as b:
            q = T.alloc_shared((H, D), "float16")
            T.copy(Q, q)
            for n in T.Pipelined(4, num_stages=2):
                k = T.alloc_shared((B, D), "float16")
                w = T.alloc_fragment((B,), "float32")
                c = T.alloc_fragment((B, H), "float32")
                total = T.alloc_fragment((B,), "float32")
                T.copy(K[(b * 4 + n) * B, 0], k)
                T.copy(W[(b * 4 + n) * B], w)
                T.gemm(k, q, c, transpose_B=True, clear_accum=True)
                T.reduce_sum(c, total, dim=1)
                for i in T.Parallel(B):
                    total[i] *= w[i]
                T.copy(total, O[(b * 4 + n) * B])

    return main


def chosen(picked=256, D=64, M=16, B=64, backwards=False):
    rows = T.dynamic("rows")

    @T.prim_func
    def main(Q: T.Tensor((M, D), "float16"), V: T.Tensor((rows, D), "float16"), W: T.Tensor((rows, D), "float16"),
             I: T.Tensor((picked,), "int32"), O: T.Tensor((M, B), "float32")):
        with T.Kernel(1, threads=256) as at:
            q = T.alloc_shared((M, D), "float16")
            v = T.alloc_shared((B, D), "float16")
            w = T.alloc_shared((B, D), "float16")
            s = T.alloc_fragment((M, B), "float32")
            T.copy(Q, q)
            T.clear(s)
            for n in T.Pipelined(T.ceildiv(picked, B), num_stages=2):
                for i, j in T.Parallel(B, D):
                    v[i, j] = V[I[n * B + i], j]
                for i, j in T.Parallel(B, D):
                    if backwards:
                        w[i, j] = W[I[n * B + B - 1 - i], j]
                    else:
                        w[i, j] = W[I[n * B + i], j]
                T.gemm(q, v, s, transpose_B=True)
                T.gemm(q, w, s, transpose_B=True)
            T.copy(s, O)

    return main


def summed(K=256, M=128, N=128, block=64, BK=32, stores=False):
    groups = T.dynamic("groups")

    @T.prim_func
    def main(A: T.Tensor((K + 1, M), "float16"), B: T.Tensor((K + 1, N), "float16"), L: T.Tensor((groups,), "int32"),
             C: T.Tensor((groups, M, N), "float32")):
        with T.Kernel(T.ceildiv(M, block), T.ceildiv(N, block), groups, threads=128) as (bx, by, bz):
            a = T.alloc_shared((BK, block), "float16")
            b = T.alloc_shared((BK, block), "float16")
            c = T.alloc_fragment((block, block), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, BK), num_stages=2):
                for i, j in T.Parallel(BK, block):
                    a[i, j] = A[k * BK + i + L[bz] % 2, bx * block + j]
                for i, j in T.Parallel(BK, block):
                    b[i, j] = B[k * BK + i, by * block + j]
                T.gemm(a, b, c, transpose_A=True)
                if stores:
                    T.copy(c, C[bz, bx * block, by * block])
            T.copy(c, C[bz, bx * block, by * block])

    return main
