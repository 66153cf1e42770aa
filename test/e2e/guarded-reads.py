# Sequences that end inside of a tensor: a branch between a row and zeros is a read outside of the tensor
# (Normalize/UnguardReads.cpp), in a loop with and without stages, and beside a guard that differs within a row.
# RUN: tilec-run %s --entry "sums(192, 1)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "sums(64, 2)" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "sums(80, 2, columns=True)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "sums(192, 2)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "sums(96, 1)" --target=gfx942 --check | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T


def sums(width, stages, columns=False, rows=150):
    @T.prim_func
    def main(A: T.Tensor((rows, 2, width), "float16"), B: T.Tensor((64, width), "float16"), L: T.Tensor((3,), "int32"),
             C: T.Tensor((3, 64, 64), "float32")):
        with T.Kernel(3, threads=128) as bx:
            a = T.alloc_shared((64, width), "float16")
            b = T.alloc_shared((64, width), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            first = bx * 41
            length = 40 + T.max(T.min(L[bx], 30), -10)
            T.copy(B, b)
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(length, 64), num_stages=stages):
                for i, j in T.Parallel(64, width):
                    if columns:
                        if k * 64 + j < length:
                            a[i, j] = A[first + k * 64 + i, 1, j]
                        else:
                            a[i, j] = 0.0
                    else:
                        if k * 64 + i < length:
                            a[i, j] = A[first + k * 64 + i, 1, j]
                        else:
                            a[i, j] = 0.0
                T.gemm(b, a, c, transpose_B=True)
            T.copy(c, C[bx, 0, 0])

    return main
