# A serial loop that brings rows runs ahead where groups of copies are waited for and its slots cost
# no block; not where the kernel writes what it brings, or where it multiplies.
# RUN: tilec %s --entry "rows()" --target=sm_90a --emit=report | FileCheck %s --check-prefix=AHEAD
# RUN: tilec %s --entry "rows()" --target=sm_80 --emit=tile-pipelined | FileCheck %s --check-prefix=COPIES
# RUN: tilec %s --entry "rows(writes=True)" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=PLAIN
# RUN: tilec %s --entry "rows(blocks=4096, R=4, D=8192)" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=PLAIN
# RUN: tilec %s --entry "products()" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=PLAIN
# RUN: tilec %s --entry "rows()" --target=gfx950 --emit=tile-pipelined | FileCheck %s --check-prefix=PLAIN
# RUN: tilec %s --entry "twice()" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=TWICE
# A tile that two loops fill is one of each.
# TWICE-COUNT-2: tile.alloc "x" layout(#tile.shared<shape = [3, 1, 4096]
# AHEAD: loop of rows at {{.*}}: planned: copies start 2 rounds ahead
# COPIES: tile.async_copy
# COPIES: tile.async_copy
# COPIES: tile.for
# COPIES: tile.async_wait 1
# COPIES: tile.async_copy
# PLAIN-NOT: tile.async_copy
import tilelang.language as T


def rows(blocks=64, R=1, D=4096, writes=False):
    @T.prim_func
    def main(X: T.Tensor((blocks * 8 * R, D), "float16"), Y: T.Tensor((blocks * 8 * R, D), "float16")):
        with T.Kernel(blocks, threads=512) as bx:
            x = T.alloc_shared((R, D), "float16")
            for k in T.serial(8):
                T.copy(X[(bx * 8 + k) * R, 0], x)
                for i, j in T.Parallel(R, D):
                    Y[(bx * 8 + k) * R + i, j] = x[i, j] + x[i, D - 1 - j]
                    if writes:
                        X[(bx * 8 + k) * R + i, j] = T.float16(0)

    return main


def products():
    @T.prim_func
    def main(A: T.Tensor((64, 512), "float16"), B: T.Tensor((512, 64), "float16"), C: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((64, 64), "float16")
            b = T.alloc_shared((64, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for k in T.serial(8):
                T.copy(A[0, k * 64], a)
                T.copy(B[k * 64, 0], b)
                T.gemm(a, b, c)
            T.copy(c, C)

    return main


def twice(blocks=64, D=4096):
    @T.prim_func
    def main(X: T.Tensor((blocks * 8, D), "float16"), Y: T.Tensor((blocks * 8, D), "float16")):
        with T.Kernel(blocks, threads=512) as bx:
            x = T.alloc_shared((1, D), "float16")
            sums = T.alloc_fragment((1, D), "float32")
            T.clear(sums)
            for k in T.serial(8):
                T.copy(X[bx * 8 + k, 0], x)
                for i, j in T.Parallel(1, D):
                    sums[i, j] += x[i, j] * x[i, D - 1 - j]
            for k in T.serial(8):
                T.copy(X[bx * 8 + k, 0], x)
                for i, j in T.Parallel(1, D):
                    Y[bx * 8 + k, j] = x[i, D - 1 - j] * sums[i, j]

    return main
