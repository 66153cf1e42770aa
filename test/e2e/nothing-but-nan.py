# The largest, smallest and absolutely largest of NaNs alone is NaN, whatever registers, lanes and waves are padding of
# the tile: those hold NaN, too, which loses against every number. With nan_propagate they hold an infinity.
# RUN: tilec-run %s --entry "rows(5, 32)" --device=cpu --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(5, 32)" --target=gfx942 --device=sim --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(5, 32)" --target=sm_80 --device=ptx --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(37, 256)" --target=gfx942 --device=sim --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(37, 256)" --target=gfx950 --device=sim --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(37, 256)" --target=sm_90a --device=ptx --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(37, 64, 'float16')" --target=gfx950 --device=sim --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(37, 64, 'bfloat16')" --target=gfx942 --device=sim --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "rows(37, 64, 'bfloat16')" --target=sm_90a --device=ptx --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "updates()" --device=cpu --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "updates()" --target=gfx942 --device=sim --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "updates()" --target=gfx950 --device=sim --arg Z=zeros --check | FileCheck %s
# RUN: tilec-run %s --entry "updates()" --target=sm_90a --device=ptx --arg Z=zeros --check | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T


def rows(N, threads, dtype="float32"):
    """Rows of NaN, of NaN and one number, of numbers and one NaN, of numbers."""

    @T.prim_func
    def main(Z: T.Tensor((4, N), dtype), Y: T.Tensor((5, 4), dtype), IsNan: T.Tensor((5, 4), "int32")):
        with T.Kernel(1, threads=threads):
            tile = T.alloc_fragment((4, N), dtype)
            most = T.alloc_fragment((4,), dtype)
            T.copy(Z, tile)
            for i, j in T.Parallel(4, N):
                isNan = T.if_then_else(i == 0, True, T.if_then_else(i == 1, j != 3, T.if_then_else(i == 2, j == 3, False)))
                tile[i, j] = T.if_then_else(isNan, T.float32("nan"), tile[i, j] - 1 - j)
            T.reduce_max(tile, most, dim=1)
            for i in T.Parallel(4):
                Y[0, i] = most[i]
                IsNan[0, i] = T.if_then_else(T.isnan(most[i]), 1, 0)
            T.reduce_min(tile, most, dim=1)
            for i in T.Parallel(4):
                Y[1, i] = most[i]
                IsNan[1, i] = T.if_then_else(T.isnan(most[i]), 1, 0)
            T.reduce_absmax(tile, most, dim=1)
            for i in T.Parallel(4):
                Y[2, i] = most[i]
                IsNan[2, i] = T.if_then_else(T.isnan(most[i]), 1, 0)
                T.device_assert(T.isnan(most[i]) == (i == 0))
            T.reduce_max(tile, most, dim=1, nan_propagate=True)
            for i in T.Parallel(4):
                Y[3, i] = most[i]
                IsNan[3, i] = T.if_then_else(T.isnan(most[i]), 1, 0)
                T.device_assert(T.isnan(most[i]) == (i < 3))
            T.reduce_min(tile, most, dim=1, nan_propagate=True)
            for i in T.Parallel(4):
                Y[4, i] = most[i]
                IsNan[4, i] = T.if_then_else(T.isnan(most[i]), 1, 0)

    return main


def updates():
    """A running minimum that begins with NaN, of NaNs and of what a condition lets through."""

    @T.prim_func
    def main(Z: T.Tensor((4, 5), "float32"), Y: T.Tensor((6,), "float32"), IsNan: T.Tensor((6,), "int32")):
        with T.Kernel(1, threads=64):
            least = T.float32("nan")
            none = T.float32("nan")
            for i, j in T.Parallel(4, 5):
                least = T.min(least, Z[i, j] + T.float32("nan"))
            for i, j in T.Parallel(4, 5):
                if Z[i, j] > 1.0:
                    none = T.max(none, Z[i, j])
            row = T.alloc_fragment((4,), "float32")
            T.fill(row, T.float32("nan"))
            for i, j in T.Parallel(4, 5):
                if i < 2:
                    row[i] = T.max(row[i], Z[i, j] + j)
            Y[0] = least
            Y[1] = none
            IsNan[0] = T.if_then_else(T.isnan(least), 1, 0)
            IsNan[1] = T.if_then_else(T.isnan(none), 1, 0)
            for i in T.Parallel(4):
                Y[2 + i] = row[i]
                IsNan[2 + i] = T.if_then_else(T.isnan(row[i]), 1, 0)
                T.device_assert(T.isnan(row[i]) == (i >= 2))

    return main
