# Constants of 0 as extents of tensors and grids: what empty-tensors.py asks of launches.
# RUN: tilec-run %s --entry "gemm(64, 64, 0)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(64, 64, 0)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(64, 64, 0)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(64, 64, 0)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(0, 64, 64)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(0, 64, 64)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(0, 64, 64)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(0, 64, 64)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(512, 1024, 0, 128, 256, 32)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(512, 1024, 0, 128, 256, 32)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(64, 0)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(64, 0)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(64, 0)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(64, 0)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(0, 64)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(0, 64)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(0, 64)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(0, 64)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "reads(0, 32)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "reads(0, 32)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "reads(0, 32)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "reads(0, 32)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "reads(32, 0)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "reads(32, 0)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "reads(32, 0)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "reads(32, 0)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "eager(M=0, N=64)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "eager(M=64, N=0)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(64, 64, 0)" --device=cpu
# CHECK: PASS
import tilelang
import tilelang.language as T


def gemm(M, N, K, bm=64, bn=64, bk=32):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=128) as (bx, by):
            a = T.alloc_shared((bm, bk), "float16")
            b = T.alloc_shared((bk, bn), "float16")
            c = T.alloc_fragment((bm, bn), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, bk), num_stages=2):
                T.copy(A[by * bm, k * bk], a)
                T.copy(B[k * bk, bx * bn], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * bm, bx * bn])
    return main


def rows(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), S: T.Tensor((M,), "float32"), Q: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(M, 32), threads=128) as bx:
            a = T.alloc_fragment((32, 64), "float32")
            s = T.alloc_fragment((32,), "float32")
            T.clear(s)
            for k in range(T.ceildiv(N, 64)):
                T.copy(A[bx * 32, k * 64], a)
                T.reduce_sum(a, s, dim=1, clear=False)
                T.copy(a, Q[bx * 32, k * 64])
            T.copy(s, S[bx * 32])

    return main


def reads(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), S: T.Tensor((32, 32), "float32")):
        with T.Kernel(1, threads=128) as bx:
            a = T.alloc_shared((32, 32), "float32")
            T.copy(A[0, 0], a)
            for i, j in T.Parallel(32, 32):
                S[i, j] = a[i, j] + A[i, j] + A[j, i]
            T.atomic_add(S[0, 0], A[5, 3])
            if A.shape[0] > 0:
                A[0, 0] = 1.0
    return main


@tilelang.jit
def eager(A):
    M, N = T.const("M, N")
    A: T.Tensor((M, N), "float32")
    C = T.empty((M, 32), "float32")
    with T.Kernel(T.ceildiv(M, 32), threads=128) as bx:
        s = T.alloc_fragment((32, 32), "float32")
        T.clear(s)
        for k in T.serial(T.ceildiv(N, 32)):
            for i, j in T.Parallel(32, 32):
                s[i, j] += A[bx * 32 + i, k * 32 + j]
        T.copy(s, C[bx * 32, 0])
    return C
