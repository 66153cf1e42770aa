# Copies, fills, reductions and scans of an iteration's own tiles in T.Parallel.
# RUN: tilec-run %s --entry "rows()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "rows()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gather()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gather()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "reductions('float16')" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "reductions('int32')" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "reductions('uint8')" --target=gfx950 --check | FileCheck %s
# RUN: tilec %s --entry "rows()" --target=sm_90a -o %t
# RUN: tilec %s --entry "reductions('float16')" --target=sm_80 -o %t
# CHECK: result {{ *}}PASS
import tilelang.language as T


def rows():
    @T.prim_func
    def main(A: T.Tensor((40, 56), "float32"), C: T.Tensor((40, 56), "float32"), D: T.Tensor((40, 56), "float16")):
        with T.Kernel(1, threads=128):
            s = T.alloc_shared((40, 56), "float16")
            f = T.alloc_fragment((40, 56), "float32")
            T.clear(s)
            for i in T.Parallel(40):
                if i > 3:
                    T.copy(A[i, 0:56], s[i, 0:56])
                T.copy(s[i, 0:56], f[39 - i, 0:56])
            for i, j in T.Parallel(5, 7):
                T.fill(s[i * 8:i * 8 + 4, j * 8:j * 8 + 8], i * 7 + j)
                T.copy(s[i * 8 + 4:i * 8 + 8, j * 8:j * 8 + 8], s[i * 8:i * 8 + 4, j * 8:j * 8 + 8])
            T.copy(f, C)
            T.copy(s, D)

    return main


def gather():
    @T.prim_func
    def main(A: T.Tensor((16, 64), "float32"), I: T.Tensor((32,), "int32"), C: T.Tensor((32, 64), "float32")):
        with T.Kernel(2, threads=64) as bx:
            s = T.alloc_shared((16, 64), "float32")
            for i in T.Parallel(16):
                T.copy(A[I[bx * 16 + i] + 8, 0:64], s[i, 0:64])
            for i in T.Parallel(16):
                row = T.alloc_local((64,), "float32")
                T.copy(s[i, 0:64], row)
                for k in range(64):
                    C[bx * 16 + i, k] = row[63 - k]

    return main


def reductions(dtype):
    @T.prim_func
    def main(A: T.Tensor((24, 40), dtype), C: T.Tensor((24, 8), dtype)):
        with T.Kernel(1, threads=64):
            s = T.alloc_shared((24, 40), dtype)
            r = T.alloc_fragment((24,), dtype)
            m = T.alloc_shared((24, 1), dtype)
            T.copy(A, s)
            T.fill(m, 3)
            for i in T.Parallel(24):
                T.reduce_sum(s[i, 0:40], r[i:i + 1], dim=0)
                T.reduce_max(s[i:i + 1, 0:40], m[i:i + 1, 0:1], dim=1, clear=False)
                C[i, 0] = r[i]
                C[i, 1] = m[i, 0]
                T.reduce_abssum(s[i, 8:16], r[i:i + 1], dim=0)
                C[i, 2] = r[i]
                T.reduce_min(s[i, 0:40], r[i:i + 1], dim=0)
                C[i, 3] = r[i]
                T.cumsum(s[i, 0:40])
                T.copy(s[i, 36:40], C[i, 4:8])

    return main
