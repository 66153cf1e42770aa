# What a round reads beside its tiles is not waited for together with those of the next one: elements that are the same in
# all rounds are read in front of the loop, fragments in front of the tiles that run ahead in registers, and tiles of the
# same rows share the numbers of these. Short rounds of products, with two slots and one wait, bring tiles again in the
# round that has read them.
# RUN: tilec-run %s --entry "masked()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "masked()" --target=gfx950 --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "masked(rows=0)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "masked()" --target=sm_80 --device=ptx --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "masked()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "weighted(D=128)" --target=gfx942 --check --dim N=512 --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "weighted()" --target=gfx942 --check --dim N=500 --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "weighted()" --target=gfx950 --check --dim N=512 --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "weighted()" --target=gfx950 --check --dim N=500 --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %s --entry "weighted()" --target=sm_80 --device=ptx --check --dim N=512 | FileCheck %s
# RUN: tilec-run %s --entry "weighted()" --target=sm_90a --device=ptx --check --dim N=512 --sim-interleave=5 | FileCheck %s
# RUN: tilec-run %s --entry "chosen()" --target=gfx942 --check --dim places=2 --sim-mode=strict --dim rows=300 | FileCheck %s
# RUN: tilec-run %s --entry "chosen()" --target=gfx950 --check --dim places=2 --sim-mode=strict --dim rows=300 | FileCheck %s
# RUN: tilec-run %s --entry "chosen(picked=200)" --target=gfx950 --check --dim places=2 --sim-interleave=6 --dim rows=77 | FileCheck %s
# RUN: tilec-run %s --entry "chosen(backwards=True)" --target=gfx942 --check --dim places=2 --dim rows=300 | FileCheck %s
# RUN: tilec-run %s --entry "chosen()" --target=sm_80 --device=ptx --check --dim places=2 --dim rows=300 | FileCheck %s
# RUN: tilec-run %s --entry "chosen()" --target=sm_90a --device=ptx --check --dim places=2 --dim rows=300 | FileCheck %s
# RUN: tilec-run %s --entry "summed()" --target=gfx942 --check --dim groups=2 --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "summed()" --target=gfx950 --check --dim groups=2 --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "summed(K=0)" --target=gfx950 --check --dim groups=2 | FileCheck %s
# RUN: tilec-run %s --entry "summed(K=32)" --target=gfx950 --check --dim groups=2 --sim-interleave=7 | FileCheck %s
# RUN: tilec-run %s --entry "summed(K=200)" --target=gfx950 --check --dim groups=2 --sim-interleave=8 | FileCheck %s
# RUN: tilec-run %s --entry "summed(stores=True)" --target=gfx950 --check --dim groups=2 | FileCheck %s
# RUN: tilec-run %s --entry "summed()" --target=sm_80 --device=ptx --check --dim groups=2 | FileCheck %s
# RUN: tilec-run %s --entry "summed()" --target=sm_90a --device=ptx --check --dim groups=2 | FileCheck %s
# RUN: tilec %s --entry "masked()" --target=gfx950 --emit=report | FileCheck %s --check-prefix=COPIES
# RUN: tilec %s --entry "masked()" --target=gfx942 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "weighted(D=128)" --target=gfx942 --emit=report | FileCheck %s --check-prefix=TILES
# RUN: tilec %s --entry "chosen()" --target=gfx950 --emit=report | FileCheck %s --check-prefix=TILES
# RUN: tilec %s --entry "summed()" --target=gfx950 --emit=report | FileCheck %s --check-prefix=BEHIND
# CHECK: PASS
# COPIES: : planned: copies start
# TILES: : planned: tiles are read 1 round ahead to registers
# BEHIND: : planned: copies start 2 rounds ahead
# PLANNED: : planned:
import tilelang.language as T


# A sequence's length, read for each element of a mask under a condition.
def masked(batch=3, rows=256, dim=64, R=16, N=64):
    @T.prim_func
    def main(Q: T.Tensor((batch, R, dim), "float16"), K: T.Tensor((batch, rows, dim), "float16"),
             L: T.Tensor((batch,), "int32"), S: T.Tensor((batch, R), "float32")):
        with T.Kernel(batch, threads=128) as b:
            q = T.alloc_shared((R, dim), "float16")
            k = T.alloc_shared((N, dim), "float16")
            s = T.alloc_fragment((R, N), "float32")
            part = T.alloc_fragment((R,), "float32")
            total = T.alloc_fragment((R,), "float32")
            T.copy(Q[b, 0, 0], q)
            T.clear(total)
            for n in T.Pipelined(T.ceildiv(rows, N), num_stages=2):
                T.copy(K[b, n * N, 0], k)
                T.clear(s)
                T.gemm(q, k, s, transpose_B=True)
                for i, j in T.Parallel(R, N):
                    s[i, j] = T.if_then_else(n * N + j < L[b] % 256 + 1, s[i, j], 0)
                T.reduce_sum(s, part, dim=1)
                for i in T.Parallel(R):
                    total[i] += part[i]
            T.copy(total, S[b, 0])

    return main


# A scale for each row of a round's tile.
def weighted(H=32, D=64, B=128, dtype="float16"):
    N = T.dynamic("N")

    @T.prim_func
    def main(Q: T.Tensor((H, D), dtype), K: T.Tensor((N, D), dtype), W: T.Tensor((N,), "float32"),
             O: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 4 * B), threads=128) as b:
            q = T.alloc_shared((H, D), dtype)
            T.copy(Q, q)
            for n in T.Pipelined(4, num_stages=2):
                k = T.alloc_shared((B, D), dtype)
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


# Two tiles of the same rows, whose numbers each round has from a tensor.
def chosen(picked=256, D=64, M=16, B=64, backwards=False):
    places, rows = T.dynamic("places"), T.dynamic("rows")

    @T.prim_func
    def main(Q: T.Tensor((places, M, 2 * D), "bfloat16"), V: T.Tensor((rows, 2 * D), "bfloat16"),
             I: T.Tensor((places, picked), "int32"), O: T.Tensor((places, M, D), "float32")):
        with T.Kernel(places, threads=256) as at:
            q = T.alloc_shared((M, 2 * D), "bfloat16")
            left = T.alloc_shared((B, D), "bfloat16")
            right = T.alloc_shared((B, D), "bfloat16")
            p = T.alloc_shared((M, B), "bfloat16")
            s = T.alloc_fragment((M, B), "float32")
            seen = T.alloc_fragment((B,), "bool")
            o = T.alloc_fragment((M, D), "float32")
            T.copy(Q[at, 0, 0], q)
            T.clear(o)
            for n in T.Pipelined(T.ceildiv(picked, B), num_stages=2):
                for i in T.Parallel(B):
                    seen[i] = I[at, n * B + i] <= 40
                for i, j in T.Parallel(B, D):
                    left[i, j] = V[I[at, n * B + i], j]
                for i, j in T.Parallel(B, D):
                    right[i, j] = V[I[at, n * B + (B - 1 - i if backwards else i)], D + j]
                for m, i in T.Parallel(M, B):
                    s[m, i] = T.if_then_else(seen[i], 0, 1)
                T.gemm(q[:, :D], left, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                T.gemm(q[:, D:], right, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                T.copy(s, p)
                T.gemm(p, left, o, policy=T.GemmWarpPolicy.FullRow)
            T.copy(o, O[at, 0, 0])

    return main


# Rows from a place that a tensor has, as many as another says: A^T B of a group.
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
                    a[i, j] = T.if_then_else(k * BK + i < K, A[k * BK + i + L[bz] % 2, bx * block + j], 0)
                for i, j in T.Parallel(BK, block):
                    b[i, j] = T.if_then_else(k * BK + i < K, B[k * BK + i, by * block + j], 0)
                T.gemm(a, b, c, transpose_A=True)
                if stores:
                    T.copy(c, C[bz, bx * block, by * block])
            T.copy(c, C[bz, bx * block, by * block])

    return main
