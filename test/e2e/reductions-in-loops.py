# T.Parallel that reduces into a buffer, inside sequential loops: sums over rounds are combined over lanes behind
# the loop.
# RUN: tilec-run %s --entry "rows('float32')" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "rows('float32')" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "rows('float16')" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "two_loops()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "two_loops()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "two_sums()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "two_sums()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "under_condition()" --arg n=2 --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemv()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemv()" --target=gfx950 --check | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T


def rows(held):
    @T.prim_func
    def main(A: T.Tensor((64, 96), "float16"), C: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=128):
            red = T.alloc_fragment((32,), held)
            T.clear(red)
            for k in range(3):
                for i, j in T.Parallel(32, 32):
                    red[i] += T.cast(A[i, k * 32 + j], "float32")
            T.copy(red, C)

    return main


def two_loops():
    @T.prim_func
    def main(A: T.Tensor((4, 32, 96), "float32"), C: T.Tensor((4, 32), "float32"), D: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=128):
            red = T.alloc_fragment((32,), "float32")
            all = T.alloc_fragment((32,), "float32")
            T.clear(all)
            for m in T.serial(4):
                T.clear(red)
                for k in T.serial(3):
                    for i, j in T.Parallel(32, 32):
                        red[i] += A[m, i, k * 32 + j]
                T.copy(red, C[m, :])
                for i, j in T.Parallel(32, 96):
                    all[i] += A[m, i, j] * 2.0
            T.copy(all, D)

    return main


# One loop feeds two sums, along both dimensions, and reads one of them.
def two_sums():
    @T.prim_func
    def main(A: T.Tensor((32, 96), "float32"), C: T.Tensor((32,), "float32"), D: T.Tensor((32,), "float32"),
             E: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=64):
            row = T.alloc_fragment((32,), "float32")
            column = T.alloc_fragment((32,), "float32")
            last = T.alloc_fragment((32,), "float32")
            T.clear(row)
            T.clear(column)
            T.clear(last)
            for k in range(3):
                for i, j in T.Parallel(32, 32):
                    row[i] += A[i, k * 32 + j]
                    column[j] += A[i, k * 32 + j]
                for i in T.Parallel(32):
                    last[i] = T.max(last[i], row[i])
            T.copy(row, C)
            T.copy(column, D)
            T.copy(last, E)

    return main


def under_condition():
    @T.prim_func
    def main(A: T.Tensor((32, 96), "float32"), n: T.int32, C: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=64):
            row = T.alloc_fragment((32,), "float32")
            T.clear(row)
            for k in range(3):
                if k < n:
                    for i, j in T.Parallel(32, 32):
                        if j != i:
                            row[i] -= A[i, k * 32 + j]
            T.copy(row, C)

    return main


# gemv_alloc_reducer's form.
def gemv():
    @T.prim_func
    def main(A: T.Tensor((256, 256), "float16"), x: T.Tensor((256,), "float16"), y: T.Tensor((256,), "float32")):
        with T.Kernel(2, threads=128) as bm:
            sum = T.alloc_reducer((128,), "float32", replication="all")
            T.clear(sum)
            for k in T.Pipelined(2, num_stages=1):
                a = T.alloc_fragment((128, 128), "float16")
                b = T.alloc_fragment((128,), "float16")
                T.copy(A[bm * 128, k * 128], a)
                T.copy(x[k * 128], b)
                for i, j in T.Parallel(128, 128):
                    sum[i] += T.cast(a[i, j], "float32") * T.cast(b[j], "float32")
            T.finalize_reducer(sum)
            T.copy(sum, y[bm * 128])

    return main
