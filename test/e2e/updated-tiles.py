# A tile that each round changes in place, between its copy and the product, is one that is computed on its way: it has
# its last values when it is written, and its loop a plan.
# RUN: tilec-run %s --entry "updated('rows')" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "updated('rows', M=70)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "updated('rows')" --target=sm_80 --device=ptx --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "updated('rounds')" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "updated('rounds', dtype='bfloat16')" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "updated('rounds', K=100)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "updated('columns')" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "updated('columns')" --target=gfx950 --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "updated('positive', dtype='float8_e4m3')" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "updated('positive', K=0)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "updated('positive')" --target=sm_90a --device=ptx --check --sim-interleave=3 | FileCheck %s
# CHECK: result {{ *}}PASS
# RUN: tilec %s --entry "updated('rows')" --target=gfx942 --emit=report | FileCheck %s --check-prefix=HELD
# RUN: tilec %s --entry "updated('rounds', K=100)" --target=gfx942 --emit=report | FileCheck %s --check-prefix=HELD
# RUN: tilec %s --entry "updated('columns')" --target=gfx942 --emit=report | FileCheck %s --check-prefix=HELD
# HELD: : planned: tiles are read 1 round ahead to registers
# RUN: tilec %s --entry "updated('rows')" --target=gfx950 --emit=report | FileCheck %s --check-prefix=COPIES
# RUN: tilec %s --entry "updated('rounds')" --target=gfx950 --emit=report | FileCheck %s --check-prefix=COPIES
# RUN: tilec %s --entry "updated('positive')" --target=sm_80 --emit=report | FileCheck %s --check-prefix=COPIES
# COPIES: : planned: copies start {{[12]}} rounds ahead
# RUN: tilec %s --entry "updated('rows')" --target=sm_90a --emit=report | FileCheck %s --check-prefix=PRODUCER
# PRODUCER: : planned: a producer fills up to
#
# Two scales of a run of columns, and nothing that each element has alone, beside a producer (this crashed).
# RUN: tilec-run %s --entry "scales()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "scales()" --target=gfx942 --check | FileCheck %s
#
# Where the round reads what the copy has brought, or the scales are a tile of the round, both are tiles: what the copy
# brings runs ahead. So it does where one tile takes what two copies bring.
# RUN: tilec-run %s --entry "versions('scales')" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "versions('scales')" --target=gfx950 --check --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %s --entry "versions('scanned')" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "versions('scanned')" --target=gfx950 --check --sim-interleave=6 | FileCheck %s
# RUN: tilec-run %s --entry "versions('scanned')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "versions('scanned')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec %s --entry "versions('scanned')" --target=gfx942 --emit=report | FileCheck %s --check-prefix=HELD
# RUN: tilec %s --entry "versions('scanned')" --target=sm_80 --emit=report | FileCheck %s --check-prefix=VERSIONS
# RUN: tilec-run %s --entry "versions('largest')" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "versions('largest', dtype='bfloat16')" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "versions('largest')" --target=sm_80 --device=ptx --check --sim-interleave=5 | FileCheck %s
# RUN: tilec-run %s --entry "versions('fragment')" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "versions('fragment', K=200)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "versions('twice')" --target=gfx942 --check --sim-interleave=6 | FileCheck %s
# RUN: tilec-run %s --entry "versions('twice', dtype='int8')" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "versions('twice')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "versions('twice')" --target=sm_90a --device=ptx --check --sim-interleave=7 | FileCheck %s
# RUN: tilec-run %s --entry "versions('cast', N=128)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "rows()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "rows()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec %s --entry "versions('scales')" --target=gfx942 --emit=report | FileCheck %s --check-prefix=HELD
# RUN: tilec %s --entry "versions('largest')" --target=gfx950 --emit=report | FileCheck %s --check-prefix=VERSIONS
# RUN: tilec %s --entry "versions('fragment')" --target=gfx942 --emit=report | FileCheck %s --check-prefix=HELD
# RUN: tilec %s --entry "versions('twice')" --target=gfx950 --emit=report | FileCheck %s --check-prefix=VERSIONS
# RUN: tilec %s --entry "versions('cast', N=128)" --target=sm_80 --emit=report | FileCheck %s --check-prefix=VERSIONS
# RUN: tilec %s --entry "rows()" --target=gfx950 --emit=report | FileCheck %s --check-prefix=VERSIONS
# VERSIONS: : planned: copies start {{[1-3]}} round{{s?}} ahead
# RUN: tilec %s --entry "versions('twice')" --target=sm_90a --emit=report | FileCheck %s --check-prefix=PRODUCER
import tilelang.language as T


def updated(by, M=128, N=64, K=256, dtype="float16", threads=128):
    block = 64

    @T.prim_func
    def main(
        A: T.Tensor((M, K), dtype),
        B: T.Tensor((N, K), dtype),
        of_rows: T.Tensor((M,), "float32"),
        of_rounds: T.Tensor((M, K // block + 1), "float32"),
        of_columns: T.Tensor((K,), "float32"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(M, 64), threads=threads) as m:
            a = T.alloc_shared((64, block), dtype)
            b = T.alloc_shared((N, block), dtype)
            c = T.alloc_fragment((64, N), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, block), num_stages=3):
                T.copy(A[m * 64, k * block], a)
                T.copy(B[0, k * block], b)
                for i, j in T.Parallel(64, block):
                    if by == "rows":
                        a[i, j] *= T.cast(of_rows[m * 64 + i], dtype)
                    elif by == "rounds":
                        a[i, j] *= T.cast(of_rounds[m * 64 + i, k], dtype)
                    elif by == "columns":
                        a[i, j] *= T.cast(of_columns[k * block + j], dtype)
                    else:
                        a[i, j] = T.max(a[i, j], T.cast(0, dtype))
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[m * 64, 0])

    return main


def scales(G=48):
    @T.prim_func
    def main(
        A: T.Tensor((64, 384), "float16"),
        B: T.Tensor((64, 384), "int8"),
        scale: T.Tensor((64, 384 // G), "float16"),
        zero: T.Tensor((64, 384 // G), "float16"),
        C: T.Tensor((64, 64), "float32"),
    ):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((64, 64), "float16")
            packed = T.alloc_shared((64, 64), "int8")
            b = T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for k in T.Pipelined(6, num_stages=3):
                T.copy(A[0, k * 64], a)
                T.copy(B[0, k * 64], packed)
                for i, j in T.Parallel(64, 64):
                    n = (k * 64 + j) // G
                    b[i, j] = (T.cast(packed[i, j], "float16") - zero[i, n]) * scale[i, n]
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[0, 0])

    return main


def versions(what, M=128, N=64, K=256, dtype="float16", threads=128):
    block = 64
    accumulator = "int32" if dtype == "int8" else "float32"
    source = "float32" if what == "cast" else dtype

    @T.prim_func
    def main(
        A: T.Tensor((M, K), source),
        B: T.Tensor((N, K), dtype),
        other: T.Tensor((N, K), dtype),
        scales: T.Tensor((K // block + 1, M), "float32"),
        C: T.Tensor((M, N), accumulator),
    ):
        with T.Kernel(M // N, threads=threads) as m:
            a = T.alloc_shared((N, block), dtype)
            b = T.alloc_shared((N, block), dtype)
            scale = T.alloc_shared((N,), "float32")
            part = T.alloc_fragment((N, block), dtype)
            wide = T.alloc_fragment((N, block), "float32")
            largest = T.alloc_fragment((N,), "float32")
            c = T.alloc_fragment((N, N), accumulator)
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, block), num_stages=3):
                T.copy(A[m * N, k * block], a)
                T.copy(B[0, k * block], b)
                if what == "scales":
                    T.copy(scales[k, m * N], scale)
                    for i, j in T.Parallel(N, block):
                        a[i, j] = T.cast(T.cast(a[i, j], "float32") * scale[i], dtype)
                elif what == "scanned":
                    for i, j in T.Parallel(N, block):
                        a[i, j] = T.cast(T.cast(a[i, j], "float32") * 0.25, dtype)
                    T.cumsum(a, dim=0)
                elif what == "largest":
                    T.copy(a, wide)
                    T.reduce_absmax(wide, largest, dim=1)
                    for i, j in T.Parallel(N, block):
                        a[i, j] = T.cast(T.cast(a[i, j], "float32") / (largest[i] + 1.0), dtype)
                elif what == "fragment":
                    T.copy(a, part)
                    for i, j in T.Parallel(N, block):
                        part[i, j] = part[i, j] * T.cast(0.5, dtype) + T.cast(1, dtype)
                    T.copy(part, a)
                T.gemm(a, b, c, transpose_B=True)
                if what == "twice":
                    T.copy(other[0, k * block], b)
                    T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[m * N, 0])

    return main


def rows(M=32, N=256, rounds=6):
    """Rows are scaled and stored; there is no product."""

    @T.prim_func
    def main(A: T.Tensor((rounds * M, N), "float16"), scale: T.Tensor((N,), "float16"), C: T.Tensor((rounds * M, N), "float16")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((M, N), "float16")
            for k in T.Pipelined(rounds, num_stages=2):
                T.copy(A[k * M, 0], a)
                for i, j in T.Parallel(M, N):
                    a[i, j] = a[i, j] * scale[j]
                T.copy(a, C[k * M, 0])

    return main
