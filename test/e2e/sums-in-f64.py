# Sums of float64 agree with the reference, which keeps what each addition loses; a gemm of float64 uses
# the matrix instruction on AMD. A float32 sum may differ by a unit from the reference's, also where what
# is computed with it cancels.
# RUN: tilec-run %s --entry "sums(24)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "sums(77)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "cancels(64)" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "cancels(64)" --target=gfx950 --check --seed 2 | FileCheck %s
# RUN: tilec-run %s --entry "gemm(64, 48, 40)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(70, 50, 33, True, False)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(33, 17, 70, True, True)" --target=gfx942 --check | FileCheck %s
# RUN: tilec %s --entry "gemm(64, 48, 40)" --target=gfx942 --emit=asm | FileCheck %s --check-prefix=MFMA
# RUN: tilec %s --entry "gemm(64, 48, 40)" --target=gfx950 --emit=asm | FileCheck %s --check-prefix=MFMA
# RUN: tilec %s --entry "gemm(64, 48, 40)" --target=sm_90a -o %t
# CHECK: result {{ *}}PASS
# MFMA: v_mfma_f64_16x16x4
import tilelang.language as T

def sums(n):
    @T.prim_func
    def main(A: T.Tensor((64, n), "float64"), B: T.Tensor((n, 16), "float64"), C: T.Tensor((64,), "float64"), D: T.Tensor((64, n), "float64"), E: T.Tensor((64, 16), "float64"), F: T.Tensor((1,), "float64")):
        with T.Kernel(1, threads=128):
            s = T.alloc_shared((64, n), "float64")
            b = T.alloc_shared((n, 16), "float64")
            r = T.alloc_fragment((64,), "float64")
            t = T.alloc_shared((64, n), "float64")
            e = T.alloc_fragment((64, 16), "float64")
            T.copy(A, s)
            T.copy(B, b)
            T.reduce_sum(s, r, dim=1)
            T.copy(r, C)
            T.cumsum(s, t, dim=1)
            T.copy(t, D)
            T.clear(e)
            T.gemm(s, b, e)
            T.copy(e, E)
            total = T.alloc_var("float64", 0.0)
            for i, j in T.Parallel(64, n):
                total += s[i, j]
            F[0] = total
    return main


def cancels(n):
    @T.prim_func
    def main(A: T.Tensor((64, n), "float32"), X: T.Tensor((64, n), "float32"), C: T.Tensor((64, n), "float32")):
        with T.Kernel(1, threads=128):
            s = T.alloc_shared((64, n), "float32")
            r = T.alloc_fragment((64,), "float32")
            c = T.alloc_fragment((n,), "float32")
            T.copy(A, s)
            T.reduce_sum(s, r, dim=1)
            T.reduce_sum(s, c, dim=0)
            for i, j in T.Parallel(64, n):
                C[i, j] = X[i, j] * r[i] + c[j]
    return main


def gemm(M, N, K, ta=False, tb=False, a="float64", c="float64", bm=64, bn=48, bk=20):
    @T.prim_func
    def main(A: T.Tensor((K, M) if ta else (M, K), a), B: T.Tensor((N, K) if tb else (K, N), a), C: T.Tensor((M, N), c)):
        with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=128) as (bx, by):
            s = T.alloc_shared((bk, bm) if ta else (bm, bk), a)
            t = T.alloc_shared((bn, bk) if tb else (bk, bn), a)
            e = T.alloc_fragment((bm, bn), c)
            T.clear(e)
            for k in T.Pipelined(T.ceildiv(K, bk), num_stages=2):
                if ta:
                    T.copy(A[k * bk, by * bm], s)
                else:
                    T.copy(A[by * bm, k * bk], s)
                if tb:
                    T.copy(B[bx * bn, k * bk], t)
                else:
                    T.copy(B[k * bk, bx * bn], t)
                T.gemm(s, t, e, transpose_A=ta, transpose_B=tb)
            T.copy(e, C[by * bm, bx * bn])
    return main
