# Rows and K of a length that only the run knows, or that is no multiple of the tile: rounds that lie in K whole have a loop
# of their own (tile-peel-edges), and pieces that lie in their rows whole are moved at once, wherever they begin (AMD).
# RUN: tilec-run %s --entry "product('n', 'n')" --dim m=130 --dim n=200 --dim k=104 --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "product('n', 'n')" --dim m=130 --dim n=261 --dim k=97 --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "product('n', 't')" --dim m=64 --dim n=65 --dim k=65 --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "product('t', 'n')" --dim m=65 --dim n=64 --dim k=33 --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "product('t', 't')" --dim m=1 --dim n=3 --dim k=5 --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "product('n', 't', dtype='float8_e4m3fnuz')" --dim m=66 --dim n=130 --dim k=201 --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "product('n', 'n', dtype='float32')" --dim m=66 --dim n=67 --dim k=71 --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "product('n', 't', K=328)" --dim m=66 --dim n=67 --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "product('n', 'n', K=292, N=128)" --dim m=66 --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "product('n', 'n', K=20, N=128)" --dim m=66 --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "product('n', 'n')" --dim m=130 --dim n=200 --dim k=104 --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "scaled()" --dim rows=7 --dim n=333 --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "scaled()" --dim rows=7 --dim n=1024 --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "scaled()" --dim rows=3 --dim n=1 --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "turned()" --dim n=197 --target=gfx950 --check | FileCheck %s
# CHECK: result {{ *}}PASS
#
# The loop of whole rounds has the plan that a K of whole tiles has.
# RUN: tilec %s --entry "product('n', 'n', K=328, N=128)" --target=gfx950 --emit=report | FileCheck %s --check-prefix=PLAN
# PLAN: planned: copies and matrix instructions in the order of a schedule
# RUN: tilec %s --entry "product('n', 't', N=128)" --target=gfx942 --emit=report | FileCheck %s --check-prefix=HELD
# RUN: tilec %s --entry "product('n', 'n')" --target=gfx942 --emit=report | FileCheck %s --check-prefix=HELD
# RUN: tilec %s --entry "product('n', 'n')" --target=gfx950 --emit=report | FileCheck %s --check-prefix=HELD
# HELD: planned: tiles are read 1 round ahead to registers
# Everything is waited for in the branches of two pieces that pass the end of their row alone.
# RUN: tilec %s --entry "product('n', 'n')" --target=gfx950 --emit=report --json | FileCheck %s --check-prefix=EDGES
# EDGES:      "vmcnt_zeros": 2,
# EDGES-NEXT: "vmcnt_zeros_of_edges": 2,
#
# Wide pieces, at any element.
# RUN: tilec %s --entry "scaled()" --target=gfx942 --emit=asm | FileCheck %s --check-prefix=WIDE
# WIDE-DAG: global_load_dwordx4
# WIDE-DAG: global_store_dwordx4
# WIDE-DAG: global_load_ushort
import tilelang.language as T


def product(a="n", b="n", K=None, N=None, dtype="float16", bm=64, bn=64, bk=32, threads=128):
    M = T.dynamic("m")
    K = T.dynamic("k") if K is None else K
    N = T.dynamic("n") if N is None else N

    @T.prim_func
    def main(
        A: T.Tensor((M, K) if a == "n" else (K, M), dtype),
        B: T.Tensor((K, N) if b == "n" else (N, K), dtype),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=threads) as (bx, by):
            As = T.alloc_shared((bm, bk) if a == "n" else (bk, bm), dtype)
            Bs = T.alloc_shared((bk, bn) if b == "n" else (bn, bk), dtype)
            Cl = T.alloc_fragment((bm, bn), "float32")
            T.clear(Cl)
            for k in T.Pipelined(T.ceildiv(K, bk), num_stages=2):
                if a == "n":
                    T.copy(A[by * bm, k * bk], As)
                else:
                    T.copy(A[k * bk, by * bm], As)
                if b == "n":
                    T.copy(B[k * bk, bx * bn], Bs)
                else:
                    T.copy(B[bx * bn, k * bk], Bs)
                T.gemm(As, Bs, Cl, transpose_A=a == "t", transpose_B=b == "t")
            T.copy(Cl, C[by * bm, bx * bn])

    return main


def scaled(block=512):
    rows, n = T.dynamic("rows"), T.dynamic("n")

    @T.prim_func
    def main(X: T.Tensor((rows, n), "float16"), Y: T.Tensor((rows, n), "float16")):
        with T.Kernel(T.ceildiv(n, block), rows, threads=64) as (bx, by):
            for i in T.Parallel(block):
                Y[by, bx * block + i] = X[by, bx * block + i] * 2

    return main


def turned(block=32):
    n = T.dynamic("n")

    @T.prim_func
    def main(X: T.Tensor((n, n), "bfloat16"), Y: T.Tensor((n, n), "bfloat16")):
        with T.Kernel(T.ceildiv(n, block), T.ceildiv(n, block), threads=128) as (bx, by):
            s = T.alloc_shared((block, block), "bfloat16")
            T.copy(X[by * block, bx * block], s)
            for i, j in T.Parallel(block, block):
                if bx * block + i < n and by * block + j < n:
                    Y[bx * block + i, by * block + j] = s[j, i]

    return main
