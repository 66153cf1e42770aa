# Where copies cannot run ahead without registers, the next round's tiles wait in them: rows that a tensor of numbers
# names, the same in all rounds or others, and found by what is true of a round; rounds under a condition; places that a
# tensor has; operands that are computed on their way. The loops are planned: no wait of a round is for all reads.
# RUN: tilec-run %s --entry "gathered()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "gathered(M=100, N=130, K=200)" --target=gfx942 --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "gathered(K=0)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "gathered()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "gathered()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "varying()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "varying(masked=True, picked=200)" --target=gfx942 --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "varying(dtype='bfloat16', stages=3)" --target=gfx942 --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "varying(masked=True)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "conditional()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "conditional(place=True)" --target=gfx942 --check --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %s --entry "conditional(gather=True)" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "conditional(gather=True)" --target=gfx950 --check --sim-interleave=5 | FileCheck %s
# RUN: tilec-run %s --entry "conditional(gather=True)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "scaled()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "scaled(M=70, N=200)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "scaled(both=True)" --target=gfx950 --check --sim-interleave=6 | FileCheck %s
# RUN: tilec-run %s --entry "counted()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "counted()" --target=gfx950 --check --sim-interleave=7 | FileCheck %s
# RUN: tilec-run %s --entry "scaled()" --target=sm_80 --device=ptx --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "scaled(M=70, N=200)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "scaled()" --target=sm_90a --device=ptx --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "scaled(M=70, N=200, threads=128)" --target=sm_90a --device=ptx --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "scaled(both=True)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "scaled(both=True, K=0)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "gathered(M=100, N=130, K=200)" --target=sm_90a --device=ptx --check --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %s --entry "gathered(K=0)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "odd()" --target=sm_80 --device=ptx --check --sim-interleave=5 | FileCheck %s
# RUN: tilec-run %s --entry "odd(columns=True)" --target=sm_90a --device=ptx --check --sim-interleave=6 | FileCheck %s
# RUN: tilec-run %s --entry "odd(columns=True)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec %s --entry "scaled()" --target=sm_80 --emit=report | FileCheck %s --check-prefix=GROUPS
# RUN: tilec %s --entry "scaled()" --target=sm_90a --emit=report | FileCheck %s --check-prefix=PRODUCER
# RUN: tilec %s --entry "gathered()" --target=sm_90a --emit=report | FileCheck %s --check-prefix=PRODUCER
# RUN: tilec %s --entry "scaled(both=True)" --target=sm_90a --emit=report | FileCheck %s --check-prefix=NVIDIA
# RUN: tilec %s --entry "odd()" --target=sm_80 --emit=report | FileCheck %s --check-prefix=NVIDIA
# RUN: tilec %s --entry "odd()" --target=sm_80 --emit=llvm | FileCheck %s --check-prefix=MOVED
# RUN: tilec %s --entry "gathered()" --target=gfx942 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "varying()" --target=gfx942 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "varying(masked=True)" --target=gfx942 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "conditional()" --target=gfx942 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "conditional(place=True)" --target=gfx942 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "scaled(M=70, N=200)" --target=gfx942 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "scaled()" --target=gfx942 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec %s --entry "scaled()" --target=gfx950 --emit=report | FileCheck %s --check-prefix=BESIDE
# RUN: tilec %s --entry "scaled(both=True)" --target=gfx950 --emit=report | FileCheck %s --check-prefix=PLANNED
# RUN: tilec-run %s --entry "decoded()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "decoded(keys=150)" --target=gfx942 --check --sim-interleave=5 | FileCheck %s
# RUN: tilec-run %s --entry "decoded(keys=150)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec %s --entry "decoded()" --target=gfx942 --emit=report | FileCheck %s --check-prefix=HELD
# CHECK: PASS
# HELD: spills 0 vector, 0 scalar
# HELD: : planned: {{.*}} 1 round ahead
# PLANNED: spills 0 vector, 0 scalar
# PLANNED: : planned: tiles are read 1 round ahead to registers
# BESIDE: spills 0 vector, 0 scalar
# BESIDE: : planned: copies start 3 rounds ahead
# GROUPS: spills 0 bytes
# GROUPS: : planned: copies start 2 rounds ahead
# PRODUCER: spills 0 bytes
# PRODUCER: : planned: a producer fills up to
# NVIDIA: spills 0 bytes
# NVIDIA: : planned: tiles are read 1 round ahead to registers
# What is only moved is not converted, piece by piece neither.
# MOVED-NOT: fpext
import tilelang.language as T
from tilec import schedule


# The same rows in all rounds, some of them outside of the tensor.
def gathered(M=128, N=128, K=192, rows=90, bm=64, bn=128, bk=64, threads=256, exact=False):
    @T.prim_func
    def main(A: T.Tensor((rows, K), "float16"), Numbers: T.Tensor((M,), "int32"), B: T.Tensor((N, K), "float16"),
             C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=threads) as (bx, by):
            a = T.alloc_shared((bm, bk), "float16")
            b = T.alloc_shared((bn, bk), "float16")
            c = T.alloc_fragment((bm, bn), "float32")
            T.clear(c)
            rounds = T.Pipelined(T.ceildiv(K, bk), num_stages=2)
            for k in schedule.exact(rounds) if exact else rounds:
                for i, j in T.Parallel(bm, bk):
                    a[i, j] = A[Numbers[by * bm + i], k * bk + j]
                T.copy(B[bx * bn, k * bk], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * bm, bx * bn])

    return main


# Other rows in each round; `masked`: the number says what becomes of its row, too.
def varying(picked=256, rows=300, D=128, heads=64, bk=64, threads=256, stages=2, masked=False, dtype="float16"):
    @T.prim_func
    def main(Q: T.Tensor((heads, D), dtype), KV: T.Tensor((rows, D), dtype), Numbers: T.Tensor((picked,), "int32"),
             O: T.Tensor((heads, D), "float32")):
        with T.Kernel(1, threads=threads):
            q = T.alloc_shared((heads, D), dtype)
            kv = T.alloc_shared((bk, D), dtype)
            s = T.alloc_fragment((heads, bk), "float32")
            p = T.alloc_fragment((heads, bk), dtype)
            o = T.alloc_fragment((heads, D), "float32")
            T.copy(Q, q)
            T.clear(o)
            for k in T.Pipelined(T.ceildiv(picked, bk), num_stages=stages):
                for i, j in T.Parallel(bk, D):
                    if masked:
                        kv[i, j] = T.if_then_else(Numbers[k * bk + i] >= 3, KV[Numbers[k * bk + i], j], 0)
                    else:
                        kv[i, j] = KV[Numbers[k * bk + i], j]
                T.clear(s)
                T.gemm(q, kv, s, transpose_B=True)
                T.copy(s, p)
                T.gemm(p, kv, o)
            T.copy(o, O)

    return main


# Rounds that a tensor leaves out, or whose place along K it has.
def conditional(M=128, N=128, K=256, bm=128, bn=128, bk=32, threads=256, place=False, gather=False):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K), "float16"), F: T.Tensor((K // bk,), "int32"),
             Rows: T.Tensor((M,), "int32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=threads) as (bx, by):
            a = T.alloc_shared((bm, bk), "float16")
            b = T.alloc_shared((bn, bk), "float16")
            c = T.alloc_fragment((bm, bn), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, bk), num_stages=2):
                if place:
                    T.copy(A[by * bm, F[k] * bk], a)
                    T.copy(B[bx * bn, F[k] * bk], b)
                    T.gemm(a, b, c, transpose_B=True)
                else:
                    if F[k] % 2 == 0:
                        if gather:
                            for i, j in T.Parallel(bm, bk):
                                a[i, j] = A[Rows[by * bm + i], k * bk + j]
                        else:
                            T.copy(A[by * bm, k * bk], a)
                        T.copy(B[bx * bn, k * bk], b)
                        T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * bm, bx * bn])

    return main


# Bytes times a scale that their row shares.
def scaled(M=128, N=128, K=256, bm=64, bn=128, bk=64, threads=256, both=False):
    @T.prim_func
    def main(A: T.Tensor((M, K), "int8" if both else "float16"), B: T.Tensor((N, K), "int8"),
             SA: T.Tensor((M, K // bk), "float16"), SB: T.Tensor((N, K // bk), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=threads) as (bx, by):
            a = T.alloc_shared((bm, bk), "float16")
            b = T.alloc_shared((bn, bk), "float16")
            c = T.alloc_fragment((bm, bn), "float32")
            T.clear(c)
            for k in T.Pipelined(K // bk, num_stages=2):
                if both:
                    for i, j in T.Parallel(bm, bk):
                        a[i, j] = A[by * bm + i, k * bk + j] * SA[by * bm + i, k]
                else:
                    T.copy(A[by * bm, k * bk], a)
                for i, j in T.Parallel(bn, bk):
                    b[i, j] = B[bx * bn + i, k * bk + j] * SB[bx * bn + i, k]
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * bm, bx * bn])

    return main


# Rows that begin at any multiple of 2 bytes.
def odd(M=70, N=130, K=99, bm=64, bn=128, bk=32, threads=128, columns=False):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N + 1) if columns else (N, K), "float16"),
             C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=threads) as (bx, by):
            a = T.alloc_shared((bm, bk), "float16")
            b = T.alloc_shared((bk, bn) if columns else (bn, bk), "float16")
            c = T.alloc_fragment((bm, bn), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, bk), num_stages=3):
                T.copy(A[by * bm, k * bk], a)
                T.copy(B[k * bk, bx * bn] if columns else B[bx * bn, k * bk], b)
                T.gemm(a, b, c, transpose_B=not columns)
            T.copy(c, C[by * bm, bx * bn])

    return main


# As many rounds as a tensor says, for some blocks none.
def counted(blocks=3, rows=768, D=64, bk=64, threads=128):
    @T.prim_func
    def main(Q: T.Tensor((64, D), "float16"), KV: T.Tensor((rows, D), "float16"), Counts: T.Tensor((blocks,), "int32"),
             Numbers: T.Tensor((rows,), "int32"), O: T.Tensor((blocks, 64, bk), "float32")):
        with T.Kernel(blocks, threads=threads) as bx:
            q = T.alloc_shared((64, D), "float16")
            kv = T.alloc_shared((bk, D), "float16")
            o = T.alloc_fragment((64, bk), "float32")
            T.copy(Q, q)
            T.clear(o)
            for k in T.Pipelined(T.max(0, T.min(Counts[bx], rows // bk)), num_stages=2):
                for i, j in T.Parallel(bk, D):
                    kv[i, j] = KV[Numbers[k * bk + i], j]
                T.gemm(q, kv, o, transpose_B=True)
            T.copy(o, O[bx, 0, 0])

    return main


# No product: sums over keys and values that a lane computes itself. Two slots of both tiles leave no room for what waves
# exchange.
def decoded(keys=192, D=128, bk=64, threads=128):
    @T.prim_func
    def main(Q: T.Tensor((2, D), "float32"), K: T.Tensor((2, keys, D), "float16"), V: T.Tensor((2, keys, D), "float16"),
             O: T.Tensor((2, D), "float32")):
        with T.Kernel(2, threads=threads) as bx:
            q = T.alloc_fragment((D,), "float32")
            k = T.alloc_shared((bk, D), "float16")
            v = T.alloc_shared((bk, D), "float16")
            s = T.alloc_fragment((bk,), "float32")
            t = T.alloc_fragment((bk, D), "float32")
            u = T.alloc_fragment((bk, D), "float32")
            part = T.alloc_fragment((D,), "float32")
            o = T.alloc_fragment((D,), "float32")
            T.copy(Q[bx, :], q)
            T.clear(o)
            for n in T.Pipelined(T.ceildiv(keys, bk), num_stages=2):
                T.copy(K[bx, n * bk, 0], k)
                T.copy(V[bx, n * bk, 0], v)
                for i, d in T.Parallel(bk, D):
                    t[i, d] = T.cast(k[i, d], "float32") * q[d]
                T.reduce_sum(t, s, dim=1)
                for i, d in T.Parallel(bk, D):
                    u[i, d] = s[i] * 0.125 * T.cast(v[i, d], "float32")
                T.reduce_sum(u, part, dim=0)
                for d in T.Parallel(D):
                    o[d] += part[d]
            T.copy(o, O[bx, :])

    return main
