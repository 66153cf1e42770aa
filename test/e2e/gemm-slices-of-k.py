# Products of slices of shared tiles that start where the tile's vectors do not: constant offsets, and ones known
# only when the kernel runs. A read must not leave a vector that the tile's swizzle moves, nor be misaligned.
# RUN: tilec-run %s --entry "along_k('float16', 16, 64)" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "along_k('float16', 16, 64)" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "along_k('float16', 16, 32)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "along_k('float16', 64, 128)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "along_k('int8', 16, 64)" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "along_k('int8', 16, 64)" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "along_k('int8', 16, 32)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "along_k('int8', 64, 128)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "at_run_time('float16', 16, 64)" --target=gfx942 --device=sim --check --arg n=3 | FileCheck %s
# RUN: tilec-run %s --entry "at_run_time('float16', 16, 64)" --target=gfx950 --device=sim --check --arg n=3 | FileCheck %s
# RUN: tilec-run %s --entry "at_run_time('float16', 16, 32)" --target=sm_80 --device=ptx --check --arg n=3 | FileCheck %s
# RUN: tilec-run %s --entry "at_run_time('float16', 64, 128)" --target=sm_90a --device=ptx --check --arg n=3 | FileCheck %s
# RUN: tilec-run %s --entry "at_run_time('int8', 16, 64)" --target=gfx942 --device=sim --check --arg n=3 | FileCheck %s
# RUN: tilec-run %s --entry "at_run_time('int8', 16, 64)" --target=gfx950 --device=sim --check --arg n=3 | FileCheck %s
# RUN: tilec-run %s --entry "at_run_time('int8', 16, 32)" --target=sm_80 --device=ptx --check --arg n=3 | FileCheck %s
# RUN: tilec-run %s --entry "at_run_time('int8', 64, 128)" --target=sm_90a --device=ptx --check --arg n=3 | FileCheck %s
# K as the slower dimension: the slices start between columns that are fetched together.
# RUN: tilec-run %s --entry "along_m('float16', 64, 256)" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "along_m('float16', 64, 256)" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "along_m('float16', 64, 128)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "along_m('float16', 64, 128)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "along_m('int8', 64, 256)" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "along_m('int8', 64, 256)" --target=gfx950 --device=sim --check | FileCheck %s
# A matrix that lies across the tile's last dimension: no two of its elements are neighbours.
# RUN: tilec-run %s --entry "across('float16', 64)" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "across('float16', 64)" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "across('float16', 32)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "across('float16', 32)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "across('int8', 64)" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "across('int8', 64)" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "across('int8', 32)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "across('int8', 32)" --target=sm_90a --device=ptx --check | FileCheck %s
# Slices that start at a read's width are read as ever, others in narrower pieces; B, a whole tile, stays.
# RUN: tilec %s --entry "one(8)" --target=gfx942 --emit=wave | FileCheck %s --check-prefix=WHOLE --implicit-check-not=2xf16
# RUN: tilec %s --entry "one(4)" --target=gfx942 --emit=wave | FileCheck %s --check-prefix=WHOLE --implicit-check-not=2xf16
# RUN: tilec %s --entry "one(2)" --target=gfx942 --emit=wave | FileCheck %s --check-prefix=PAIRS
# CHECK: result {{ *}}PASS
# WHOLE-COUNT-4: wave.shared_read {{.*}} : vector<4xf16>
# PAIRS-COUNT-2: wave.shared_read {{.*}} : vector<2xf16>
# PAIRS-NEXT:    wave.pack
# PAIRS:         wave.shared_read {{.*}} : vector<4xf16>
import tilelang.language as T


def accumulator(dtype):
    return "int32" if dtype == "int8" else "float32"


def along_k(dtype, M, threads, K=32, P=64):
    @T.prim_func
    def main(A: T.Tensor((M, P), dtype), B: T.Tensor((M, P), dtype), C: T.Tensor((M, M), accumulator(dtype))):
        with T.Kernel(1, threads=threads) as bx:
            a = T.alloc_shared((M, P), dtype)
            b = T.alloc_shared((M, P), dtype)
            c = T.alloc_fragment((M, M), accumulator(dtype))
            T.copy(A, a)
            T.copy(B, b)
            T.clear(c)
            T.gemm(a[:, 1 : 1 + K], b[:, 0:K], c, transpose_B=True)
            T.gemm(a[:, 2 : 2 + K], b[:, 0:K], c, transpose_B=True)
            T.gemm(a[:, 4 : 4 + K], b[:, 0:K], c, transpose_B=True)
            T.gemm(a[:, 8 : 8 + K], b[:, 0:K], c, transpose_B=True)
            T.gemm(a[:, 0:K], b[:, 1 : 1 + K], c, transpose_B=True)
            T.gemm(a[:, 0:K], b[:, 2 : 2 + K], c, transpose_B=True)
            T.gemm(a[:, 0:K], b[:, 4 : 4 + K], c, transpose_B=True)
            T.gemm(a[:, 0:K], b[:, 8 : 8 + K], c, transpose_B=True)
            T.copy(c, C)

    return main


def at_run_time(dtype, M, threads, K=32, P=96):
    @T.prim_func
    def main(
        A: T.Tensor((M, P), dtype), B: T.Tensor((M, P), dtype), C: T.Tensor((M, M), accumulator(dtype)), n: T.int32
    ):
        with T.Kernel(1, threads=threads) as bx:
            a = T.alloc_shared((M, P), dtype)
            b = T.alloc_shared((M, P), dtype)
            c = T.alloc_fragment((M, M), accumulator(dtype))
            T.copy(A, a)
            T.copy(B, b)
            T.clear(c)
            T.gemm(a[:, n : n + K], b[:, 0:K], c, transpose_B=True)
            T.gemm(a[:, 4 * n : 4 * n + K], b[:, 2 * n : 2 * n + K], c, transpose_B=True)
            T.gemm(a[:, 16 * n : 16 * n + K], b[:, n + 1 : n + 1 + K], c, transpose_B=True)
            for k in T.serial(4):
                T.gemm(a[:, 3 * k : 3 * k + K], b[:, 2 * k : 2 * k + K], c, transpose_B=True)
            T.copy(c, C)

    return main


def along_m(dtype, M, threads, K=32):
    P = 2 * M

    @T.prim_func
    def main(A: T.Tensor((K, P), dtype), B: T.Tensor((K, P), dtype), C: T.Tensor((M, M), accumulator(dtype))):
        with T.Kernel(1, threads=threads) as bx:
            a = T.alloc_shared((K, P), dtype)
            b = T.alloc_shared((K, P), dtype)
            c = T.alloc_fragment((M, M), accumulator(dtype))
            T.copy(A, a)
            T.copy(B, b)
            T.clear(c)
            T.gemm(a[:, 1 : 1 + M], b[:, 8 : 8 + M], c, transpose_A=True)
            T.gemm(a[:, 2 : 2 + M], b[:, 4 : 4 + M], c, transpose_A=True)
            T.gemm(a[:, 4 : 4 + M], b[:, 2 : 2 + M], c, transpose_A=True)
            T.gemm(a[:, 8 : 8 + M], b[:, 1 : 1 + M], c, transpose_A=True)
            T.copy(c, C)

    return main


def across(dtype, threads, M=16, K=32, N=8):
    @T.prim_func
    def main(A: T.Tensor((M, K, N), dtype), B: T.Tensor((M, K), dtype), C: T.Tensor((M, M), accumulator(dtype))):
        with T.Kernel(1, threads=threads) as bx:
            a = T.alloc_shared((M, K, N), dtype)
            b = T.alloc_shared((M, K), dtype)
            c = T.alloc_fragment((M, M), accumulator(dtype))
            T.copy(A, a)
            T.copy(B, b)
            T.clear(c)
            T.gemm(a[:, :, 0], b, c, transpose_B=True)
            T.gemm(a[:, :, 4], b, c, transpose_B=True)
            T.copy(c, C)

    return main


def one(start, dtype="float16", M=16, K=32, P=64):
    @T.prim_func
    def main(A: T.Tensor((M, P), dtype), B: T.Tensor((M, K), dtype), C: T.Tensor((M, M), "float32")):
        with T.Kernel(1, threads=64) as bx:
            a = T.alloc_shared((M, P), dtype)
            b = T.alloc_shared((M, K), dtype)
            c = T.alloc_fragment((M, M), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.clear(c)
            T.gemm(a[:, start : start + K], b, c, transpose_B=True)
            T.copy(c, C)

    return main
