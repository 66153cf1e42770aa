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
# RUN: tilec %s --entry "updated('columns')" --target=gfx942 --emit=report | FileCheck %s --check-prefix=HELD
# HELD: planned: tiles are read 1 round ahead to registers
# RUN: tilec %s --entry "updated('rows')" --target=gfx950 --emit=report | FileCheck %s --check-prefix=COPIES
# RUN: tilec %s --entry "updated('rounds')" --target=gfx950 --emit=report | FileCheck %s --check-prefix=COPIES
# RUN: tilec %s --entry "updated('positive')" --target=sm_80 --emit=report | FileCheck %s --check-prefix=COPIES
# COPIES: planned: copies start {{[12]}} rounds ahead
# RUN: tilec %s --entry "updated('rows')" --target=sm_90a --emit=report | FileCheck %s --check-prefix=PRODUCER
# PRODUCER: planned: a producer fills up to
#
# Two scales of a run of columns, and nothing that each element has alone, beside a producer (this crashed).
# RUN: tilec-run %s --entry "scales()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "scales()" --target=gfx942 --check | FileCheck %s
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
