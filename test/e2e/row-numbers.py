# Rows by number, where the author brings the numbers of a round to a tile first: a copy, a loop, one that keeps what
# lies outside away, a tile in registers, all numbers in front of the loop; and rows of rounds under a condition, which
# copies that are counted start in each round. All of these loops are planned.
# RUN: tilec-run %s --entry "paged()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "paged()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "paged()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "paged(how='loop', K=300)" --target=gfx942 --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "paged(how='loop', K=300, stages=3)" --target=gfx950 --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "paged(how='loop', K=300)" --target=sm_80 --device=ptx --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "paged(how='clamped', K=300)" --target=gfx950 --check --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %s --entry "paged(how='clamped', K=300, stages=3)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "paged(how='whole')" --target=gfx942 --check --sim-interleave=5 | FileCheck %s
# RUN: tilec-run %s --entry "paged(scope='fragment')" --target=gfx942 --check --sim-interleave=6 | FileCheck %s
# RUN: tilec-run %s --entry "paged(scope='fragment', how='loop', masked=True)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "paged(scope='fragment', masked=True)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "paged(scope='fragment', seen=True)" --target=gfx950 --check --sim-interleave=7 | FileCheck %s
# RUN: tilec-run %s --entry "paged(seen=True)" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "paged(seen=True)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "paged(written=True)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "paged(written=True)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "some()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "some(mode='masked', K=300, stages=4)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "some(mode='pages', stages=3)" --target=gfx950 --check --sim-interleave=8 | FileCheck %s
# RUN: tilec-run %s --entry "some(mode='tile', every=3)" --target=gfx950 --check --sim-interleave=9 | FileCheck %s
# RUN: tilec-run %s --entry "some(mode='fixed', every=1000)" --target=gfx950 --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "some(mode='tile')" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "some(mode='masked', dtype='float32')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "some(mode='tile')" --target=sm_80 --device=ptx --check --sim-interleave=2 | FileCheck %s
# RUN: tilec %s --entry "paged()" --target=gfx942 --emit=report | FileCheck %s --check-prefix=HELD
# RUN: tilec %s --entry "paged(scope='fragment')" --target=gfx950 --emit=report | FileCheck %s --check-prefix=COPIES
# RUN: tilec %s --entry "paged(scope='fragment', how='loop')" --target=sm_80 --emit=report | FileCheck %s --check-prefix=COPIES
# RUN: tilec %s --entry "paged(how='clamped')" --target=sm_90a --emit=report | FileCheck %s --check-prefix=PRODUCER
# RUN: tilec %s --entry "some()" --target=gfx950 --emit=report | FileCheck %s --check-prefix=COPIES
# RUN: tilec %s --entry "some(mode='tile')" --target=gfx950 --emit=report | FileCheck %s --check-prefix=COPIES
# RUN: tilec %s --entry "some(mode='fixed')" --target=gfx950 --emit=report | FileCheck %s --check-prefix=COPIES

# CHECK: PASS
# HELD: planned: tiles are read 1 round ahead to registers
# COPIES: planned: copies start {{[12]}} round
# PRODUCER: planned: a producer fills
import tilelang.language as T


# `seen`: rounds use a number for more than a place. `written`: the kernel writes the numbers itself.
def paged(M=128, N=128, K=320, bm=64, bn=64, bk=32, stages=2, threads=128, scope="shared", how="copy", masked=False,
          seen=False, written=False):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((2 * K, N), "float16"), Rows: T.Tensor((K,), "int32"),
             C: T.Tensor((M, N), "float32"), Used: T.Tensor((M // bm, N // bn, K), "int32")):
        with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=threads) as (bx, by):
            a = T.alloc_shared((bm, bk), "float16")
            b = T.alloc_shared((bk, bn), "float16")
            all = T.alloc_shared((K,), "int32")
            c = T.alloc_fragment((bm, bn), "float32")
            if scope == "shared":
                rows = T.alloc_shared((bk,), "int32")
            else:
                rows = T.alloc_fragment((bk,), "int32")
            T.clear(c)
            if how == "whole":
                T.copy(Rows, all)
            for k in T.Pipelined(T.ceildiv(K, bk), num_stages=stages):
                T.copy(A[by * bm, k * bk], a)
                if written:
                    for i in T.Parallel(bk):
                        if k * bk + i < K:
                            Used[by, bx, k * bk + i] = Rows[k * bk + i] // 2
                    T.copy(Used[by, bx, k * bk], rows)
                elif how == "copy":
                    T.copy(Rows[k * bk], rows)
                elif how == "loop":
                    for i in T.Parallel(bk):
                        rows[i] = Rows[k * bk + i]
                elif how == "clamped":
                    for i in T.Parallel(bk):
                        rows[i] = T.if_then_else(k * bk + i < K, Rows[k * bk + i], 0)
                for i, j in T.Parallel(bk, bn):
                    if how == "whole":
                        b[i, j] = B[all[k * bk + i], bx * bn + j]
                    elif masked:
                        b[i, j] = T.if_then_else(rows[i] < K, B[rows[i], bx * bn + j], 0)
                    else:
                        b[i, j] = B[rows[i], bx * bn + j]
                T.gemm(a, b, c)
                if seen:
                    for i, j in T.Parallel(bm, bn):
                        c[i, j] = c[i, j] + T.cast(rows[j % bk] % 3, "float32")
            T.copy(c, C[by * bm, bx * bn])

    return main


# Rounds under a condition.
def some(M=128, N=128, K=320, bm=64, bn=64, bk=32, stages=2, threads=128, every=2, mode="rows", dtype="float16"):
    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((2 * K, N), dtype), Rows: T.Tensor((K,), "int32"),
             Flags: T.Tensor((T.ceildiv(K, bk),), "int32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=threads) as (bx, by):
            a = T.alloc_shared((bm, bk), dtype)
            b = T.alloc_shared((bk, bn), dtype)
            rows = T.alloc_shared((bk,), "int32")
            c = T.alloc_fragment((bm, bn), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, bk), num_stages=stages):
                if Flags[k] % every == 0:
                    T.copy(A[by * bm, k * bk], a)
                    if mode == "tile":
                        T.copy(Rows[k * bk], rows)
                        for i, j in T.Parallel(bk, bn):
                            b[i, j] = B[rows[i], bx * bn + j]
                    elif mode == "rows":
                        for i, j in T.Parallel(bk, bn):
                            b[i, j] = B[Rows[k * bk + i], bx * bn + j]
                    elif mode == "masked":
                        for i, j in T.Parallel(bk, bn):
                            b[i, j] = T.if_then_else(Rows[k * bk + i] < K, B[Rows[k * bk + i], bx * bn + j], 0)
                    elif mode == "pages":
                        for i, j in T.Parallel(bk, bn):
                            b[i, j] = B[Rows[k * bk // 8 + i // 8] // 8 * 8 + i % 8, bx * bn + j]
                    elif mode == "fixed":  # the same in all rounds
                        for i, j in T.Parallel(bk, bn):
                            b[i, j] = B[Rows[i], bx * bn + j]
                    T.gemm(a, b, c)
            T.copy(c, C[by * bm, bx * bn])

    return main
