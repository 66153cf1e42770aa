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
#
# So are the largest and smallest elements that a loop has seen, from what was there in front of it; not where a round
# reads them.
# RUN: tilec-run %s --entry "extremes()" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "extremes()" --target=gfx950 --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "extremes()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "extremes()" --target=sm_90a --device=ptx --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "extremes(dtype='int32', held='int32')" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "extremes(held='float16', dim=0)" --target=gfx942 --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "extremes(held='float16', dim=0)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "extremes(held='float16', dim=0)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "extremes(rounds=0)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "extremes(read=True)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec %s --entry "extremes()" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefix=LATE
# RUN: tilec %s --entry "extremes(read=True)" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefix=EACH
# LATE:     tile.for
# LATE:     tile.reduce{{ +}}absmax {{.*}}clear = false, step = #tile<reduce_step parts>
# LATE:     tile.reduce{{ +}}max {{.*}}step = #tile<reduce_step combine>
# EACH-NOT: reduce_step
#
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


def extremes(rows=16, columns=512, rounds=4, dtype="float16", held="float32", dim=1, threads=256, read=False):
    n = rows if dim == 1 else columns

    @T.prim_func
    def main(X: T.Tensor((rows, max(rounds, 1) * columns), dtype), Y: T.Tensor((n,), held), Z: T.Tensor((3, n), held)):
        with T.Kernel(1, threads=threads):
            x = T.alloc_fragment((rows, columns), dtype)
            largest = T.alloc_fragment((n,), held)
            smallest = T.alloc_fragment((n,), held)
            widest = T.alloc_fragment((n,), held)
            seen = T.alloc_fragment((n,), held)
            T.copy(Y, largest)
            T.copy(Y, smallest)
            T.copy(Y, widest)
            T.clear(seen)
            for k in T.Pipelined(rounds, num_stages=2):
                T.copy(X[0, k * columns], x)
                T.reduce_max(x, largest, dim=dim, clear=False)
                T.reduce_min(x, smallest, dim=dim, clear=False)
                T.reduce_absmax(x, widest, dim=dim, clear=False)
                if read:
                    for i in T.Parallel(n):
                        seen[i] += largest[i] + smallest[i] + widest[i]
            for i in T.Parallel(n):
                Z[0, i] = largest[i] + seen[i]
                Z[1, i] = smallest[i]
                Z[2, i] = widest[i]

    return main
