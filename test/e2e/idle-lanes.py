# Blocks with more lanes than a tile has elements: what the others read is neither written by a copy
# that runs ahead nor updated in place by the lane that owns it. The simulator sees such races.
# RUN: tilec-run %s --entry "ahead(192)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "ahead(192)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "in_place(192, 8)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "in_place(256, 1)" --target=gfx950 --check | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T


def ahead(threads):
    @T.prim_func
    def main(A: T.Tensor((8, 96), "float32"), O: T.Tensor((8, 32), "float32")):
        with T.Kernel(1, threads=threads) as bx:
            s = T.alloc_shared((8, 32), "float32")
            acc = T.alloc_fragment((8, 32), "float32")
            T.clear(acc)
            for k in T.Pipelined(3, num_stages=2):
                T.copy(A[0, k * 32], s)
                for i, j in T.Parallel(8, 32):
                    acc[i, j] = acc[i, j] * 0.5 + s[i, j]
            T.copy(acc, O)

    return main


def in_place(threads, rows):
    @T.prim_func
    def main(A: T.Tensor((rows, 12), "float32"), O: T.Tensor((rows, 12), "float32")):
        with T.Kernel(1, threads=threads) as bx:
            s = T.alloc_shared((rows, 12), "float32")
            T.copy(A, s)
            for i, j in T.Parallel(rows, 12):
                x = s[i, j] * 0.5
                if A[i, j] > 0.0:
                    s[i, j] = x
                else:
                    s[i, j] = T.max(s[i, j], x) + 1.0
            T.copy(s, O)

    return main
