# What many iterations add to one element of a tensor is summed in the block first: rows, columns and all of a tile, under
# conditions of what is summed and of what is not, from fragments and from what is computed.
# RUN: tilec-run %s --entry "columns()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "columns()" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "columns()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "columns(threads=256, M=100, N=70)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "masked()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "masked()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "masked()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "masked()" --target=sm_90a --device=ptx --check | FileCheck %s
# CHECK: result {{ *}}PASS
#
# RUN: tilec %s --entry "columns()" --target=sm_90a --emit=ptx -o - | FileCheck %s --check-prefix=FEW
# FEW-COUNT-1: red.{{.*}}global.add
# FEW-NOT: red.{{.*}}global.add
import tilelang.language as T


def columns(M=64, N=64, threads=128):
    @T.prim_func
    def main(A: T.Tensor((3 * M, N), "float32"), Sums: T.Tensor((N,), "float32")):
        with T.Kernel(3, threads=threads) as bx:
            a = T.alloc_fragment((M, N), "float32")
            T.copy(A[bx * M, 0], a)
            for i, j in T.Parallel(M, N):
                T.atomic_add(Sums[j], a[i, j])

    return main


def masked(M=40, N=48):
    @T.prim_func
    def main(A: T.Tensor((2 * M, N), "float16"), Rows: T.Tensor((2 * M,), "float32"), Columns: T.Tensor((N,), "float32"),
             All: T.Tensor((1,), "float32"), Few: T.Tensor((M, N), "float32")):
        with T.Kernel(2, threads=128) as bx:
            a = T.alloc_shared((M, N), "float16")
            T.copy(A[bx * M, 0], a)
            for i, j in T.Parallel(M, N):
                if j < N - 5 and i < M - 3:
                    T.atomic_add(Rows[bx * M + i], a[i, j] * 2)
            for i, j in T.Parallel(M, N):
                if i >= j:
                    T.atomic_add(Columns[j], T.cast(a[i, j], "float32") + i)
            for i, j in T.Parallel(M, N):
                T.atomic_add(All[0], a[i, j])
            for i, j in T.Parallel(M, N):
                T.atomic_add(Few[i, j], a[i, j])

    return main
