# What stands in branches of a round keeps it from no plan: values that a branch unpacks with scales, also in rounds of
# one kind alone; a tile that is cleared where it is not brought; a table that numbers are looked up in; and, at a cut
# point, what the sum has so far.
# RUN: tilec-run %s --entry "unpacked('sign')" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "unpacked('sign', dtype='bfloat16')" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "unpacked('sign')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "unpacked('chosen')" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "unpacked('chosen')" --target=sm_80 --device=ptx --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "unpacked('rounds')" --target=gfx942 --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "unpacked('rounds')" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "unpacked('rounds')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "unpacked('rounds')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "unpacked('table')" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "unpacked('table')" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "unpacked('table')" --target=sm_90a --device=ptx --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "cleared()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "cleared(N=100, K=200)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "cleared(otherwise=True)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "cleared()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "cleared(otherwise=True)" --target=sm_90a --device=ptx --check --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %s --entry "cut('round')" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "cut('flag')" --target=gfx942 --check --sim-interleave=5 | FileCheck %s
# RUN: tilec-run %s --entry "cut('store')" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "cut('flag')" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "cut('store')" --target=sm_80 --device=ptx --check | FileCheck %s
# CHECK: result {{ *}}PASS
# RUN: tilec %s --entry "unpacked('sign')" --target=gfx950 --emit=report | FileCheck %s --check-prefix=COPIES
# RUN: tilec %s --entry "unpacked('chosen')" --target=sm_80 --emit=report | FileCheck %s --check-prefix=COPIES
# RUN: tilec %s --entry "unpacked('rounds')" --target=gfx950 --emit=report | FileCheck %s --check-prefix=COPIES
# RUN: tilec %s --entry "unpacked('table')" --target=sm_80 --emit=report | FileCheck %s --check-prefix=COPIES
# RUN: tilec %s --entry "cleared()" --target=gfx950 --emit=report | FileCheck %s --check-prefix=COPIES
# COPIES: planned: copies start {{[1-3]}} round{{s?}} ahead
# RUN: tilec %s --entry "unpacked('sign')" --target=gfx942 --emit=report | FileCheck %s --check-prefix=HELD
# RUN: tilec %s --entry "unpacked('rounds')" --target=gfx942 --emit=report | FileCheck %s --check-prefix=HELD
# RUN: tilec %s --entry "unpacked('table')" --target=gfx942 --emit=report | FileCheck %s --check-prefix=HELD
# RUN: tilec %s --entry "cut('round')" --target=gfx942 --emit=report | FileCheck %s --check-prefix=HELD
# RUN: tilec %s --entry "cut('store')" --target=gfx942 --emit=report | FileCheck %s --check-prefix=HELD
# HELD: planned: tiles are read 1 round ahead to registers
# RUN: tilec %s --entry "unpacked('table')" --target=sm_90a --emit=report | FileCheck %s --check-prefix=PRODUCER
# RUN: tilec %s --entry "cleared()" --target=sm_90a --emit=report | FileCheck %s --check-prefix=PRODUCER
# PRODUCER: planned: a producer fills up to
import tilelang.language as T


def unpacked(what, M=64, N=64, K=64, rounds=6, dtype="float16"):
    @T.prim_func
    def main(
        A: T.Tensor((M, rounds * K), dtype),
        B: T.Tensor((N, rounds * K // 2), "uint8"),
        scales: T.Tensor((N, rounds * K // 32), dtype),
        table: T.Tensor((16,), dtype),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((M, K), dtype)
            packed = T.alloc_shared((N, K // 2), "uint8")
            b = T.alloc_shared((N, K), dtype)
            c = T.alloc_fragment((M, N), "float32")
            T.clear(c)
            for k in T.Pipelined(rounds, num_stages=3):
                T.copy(A[0, k * K], a)
                T.copy(B[0, k * K // 2], packed)
                if what == "rounds":
                    if k % 2 == 0:
                        for i, j in T.Parallel(N, K):
                            nibble = T.cast((packed[i, j // 2] >> (4 * (j % 2))) & 15, "int32")
                            b[i, j] = T.cast(nibble, dtype) * scales[i, (k * K + j) // 32]
                    else:
                        for i, j in T.Parallel(N, K):
                            nibble = T.cast((packed[i, j // 2] >> (4 * (j % 2))) & 15, "int32")
                            b[i, j] = T.cast(nibble - 8, dtype) * scales[i, k]
                else:
                    for i, j in T.Parallel(N, K):
                        nibble = T.cast((packed[i, j // 2] >> (4 * (j % 2))) & 15, "int32")
                        if what == "sign":
                            if nibble >= 8:
                                b[i, j] = T.cast(nibble - 16, dtype) * scales[i, (k * K + j) // 32]
                            else:
                                b[i, j] = T.cast(nibble, dtype) * scales[i, (k * K + j) // 32]
                        elif what == "chosen":
                            b[i, j] = T.if_then_else(
                                nibble >= 8, T.cast(nibble - 16, dtype) * scales[i, k], T.cast(nibble, dtype) * scales[i, 0]
                            )
                        else:
                            b[i, j] = table[nibble] * scales[i, k]
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[0, 0])

    return main


def cleared(M=64, N=64, K=384, block=64, otherwise=False):
    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((N, K), "float16"),
        flags: T.Tensor((T.ceildiv(K, block) + 1,), "int32"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, 64), threads=128) as n:
            a = T.alloc_shared((M, block), "float16")
            b = T.alloc_shared((64, block), "float16")
            c = T.alloc_fragment((M, 64), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, block), num_stages=3):
                T.copy(A[0, k * block], a)
                if otherwise:
                    if flags[k] > 0:
                        T.clear(b)
                    else:
                        T.copy(B[n * 64, k * block], b)
                else:
                    if flags[k] > 0:
                        T.copy(B[n * 64, k * block], b)
                    else:
                        T.clear(b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[0, n * 64])

    return main


def cut(what, M=128, N=128, K=512):
    """Two slots of each tile take all of a compute unit's memory."""

    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((N, K), "float16"),
        flags: T.Tensor((K // 64,), "int32"),
        first: T.Tensor((M, N), "float32"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(1, threads=256):
            a = T.alloc_shared((M, 64), "float16")
            b = T.alloc_shared((N, 64), "float16")
            c = T.alloc_fragment((M, N), "float32")
            T.clear(c)
            for k in T.Pipelined(K // 64, num_stages=2):
                T.copy(A[0, k * 64], a)
                T.copy(B[0, k * 64], b)
                T.gemm(a, b, c, transpose_B=True)
                if what == "flag":
                    if flags[k] > 0:
                        for i, j in T.Parallel(M, N):
                            c[i, j] *= 0.5
                elif what == "round":
                    if k % 4 == 1:
                        for i, j in T.Parallel(M, N):
                            c[i, j] *= 0.5
                else:
                    if k == 3:
                        T.copy(c, first)
                        T.clear(c)
            T.copy(c, C)

    return main
