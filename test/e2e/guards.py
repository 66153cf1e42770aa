# Guards of elements: what the ends of the tensors say as well is no branch (Normalize/DropGuards.cpp); others
# are taken by a lane's elements together where they agree (ToWave/GroupGuards.cpp).
# RUN: tilec-run %s --entry "ends(5000)" --device=cpu --check | FileCheck %s
# RUN: tilec-run %s --entry "ends(5000)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "ends(4999)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "ends(5001)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(100, 75)" --device=cpu --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(100, 72)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "rows(99, 75)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(100, 72)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "cut()" --device=cpu --arg n=3013 --check | FileCheck %s
# RUN: tilec-run %s --entry "cut()" --target=gfx950 --arg n=3013 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "cut()" --target=gfx942 --arg n=3013 --check | FileCheck %s
# RUN: tilec-run %s --entry "cut()" --target=sm_90a --device=ptx --arg n=3013 --check | FileCheck %s
# RUN: tilec-run %s --entry "cut(repeats=4)" --target=gfx950 --arg n=9 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "cut(repeats=4)" --target=sm_80 --device=ptx --arg n=4100 --check | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T


def ends(N):
    """Parts of a row: to its end, shifted by one, and a shorter one."""

    @T.prim_func
    def main(A: T.Tensor((N,), "float16"), B: T.Tensor((N,), "float16"), C: T.Tensor((N - 1,), "float16"),
             D: T.Tensor((N,), "float16")):
        with T.Kernel(T.ceildiv(N, 2048), threads=256) as bx:
            for i in T.Parallel(2048):
                if bx * 2048 + i < N:
                    B[bx * 2048 + i] = A[bx * 2048 + i] * 2.0
            for i in T.Parallel(2048):
                if bx * 2048 + i >= 1 and bx * 2048 + i <= N - 1:
                    C[bx * 2048 + i - 1] = A[bx * 2048 + i] - A[bx * 2048 + i - 1]
            for i in T.Parallel(2048):
                if bx * 2048 + i < N - 5:
                    D[bx * 2048 + i] = A[bx * 2048 + i] + 1.0
                elif bx * 2048 + i < N:
                    D[bx * 2048 + i] = 3.0

    return main


def rows(M, N):
    """Rows and columns of a fragment that the tensor has."""

    @T.prim_func
    def main(A: T.Tensor((M, N), "float16"), B: T.Tensor((M, N), "float32"), C: T.Tensor((64,), "float32")):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 32), threads=128) as (bx, by):
            f = T.alloc_fragment((32, 64), "float32")
            T.copy(A[by * 32, bx * 64], f)
            for i, j in T.Parallel(32, 64):
                if by * 32 + i < M and bx * 64 + j < N:
                    B[by * 32 + i, bx * 64 + j] = f[i, j] * 2.0
            if bx == 0 and by == 0:
                for j in T.Parallel(256):
                    if j < 64:
                        C[j] = A[3, j]

    return main


def cut(N=5000, repeats=1):
    """A row that ends where it runs: the elements of one lane are on both sides of its end."""
    block = 2048 * repeats

    @T.prim_func
    def main(A: T.Tensor((N,), "float16"), B: T.Tensor((N,), "float16"), C: T.Tensor((8, 96), "float32"),
             D: T.Tensor((N,), "float32"), n: T.int32):
        with T.Kernel(T.ceildiv(N, block), threads=256) as bx:
            s = T.alloc_shared((block,), "float16")
            for i in T.Parallel(block):
                B[bx * block + i] = A[bx * block + i]
            for i in T.Parallel(block):
                if bx * block + i < n and bx * block + i >= 5:
                    B[bx * block + i] = A[bx * block + i] * 2.0
            T.clear(s)
            for i in T.Parallel(block):
                if n > bx * block + i:
                    s[i] = A[bx * block + i] + B[bx * block + i]
                else:
                    s[i] = 7.0
            for i in T.Parallel(block):
                D[bx * block + i] = s[i]
            if bx == 0:
                f = T.alloc_fragment((8, 96), "float32")
                T.fill(f, 1.0)
                for i, j in T.Parallel(8, 96):
                    if i * 96 + j < n - 2600:
                        f[i, j] = A[i * 96 + j]
                for i, j in T.Parallel(8, 96):
                    C[i, j] = f[i, j]

    return main
