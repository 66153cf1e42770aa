# Guards of elements: what the ends of the tensors say as well is no branch (Normalize/DropGuards.cpp); others stay.
# RUN: tilec-run %s --entry "ends(5000)" --device=cpu --check | FileCheck %s
# RUN: tilec-run %s --entry "ends(5000)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "ends(4999)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "ends(5001)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(100, 75)" --device=cpu --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(100, 72)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "rows(99, 75)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(100, 72)" --target=sm_80 --device=ptx --check | FileCheck %s
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
