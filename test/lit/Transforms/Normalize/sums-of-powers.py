# RUN: tilec %s --target=gfx942 --entry "shares()" --emit=tile-pipelined | FileCheck %s --check-prefix=SHORT
# RUN: tilec %s --target=sm_90a --entry "shares()" --emit=tile-pipelined | FileCheck %s --check-prefix=LONG
# RUN: tilec %s --target=gfx942 --entry "shares(row_scale=1.0)" --emit=tile-pipelined | FileCheck %s --check-prefix=LONG
# RUN: tilec %s --target=gfx942 --entry "shares(scale=-2.0, row_scale=-2.0)" --emit=tile-pipelined | FileCheck %s --check-prefix=LONG
# RUN: tilec %s --target=gfx942 --entry "shares(clear=False)" --emit=tile-pipelined | FileCheck %s --check-prefix=LONG
# RUN: tilec %s --target=gfx942 --entry "shares(part=64)" --emit=tile-pipelined | FileCheck %s --check-prefix=LONG
# RUN: tilec-run %s --target=gfx942 --entry "shares()" --check --sim-mode=strict | FileCheck %s --check-prefix=RIGHT
#
# A sum of powers that are at most 1 and no denormal numbers is 0 or far from where its reciprocal is one: the chip's
# instruction needs no scaling around it. Powers of other differences, powers with something else in the sum, and a row
# of which only a part became powers may have any sum.

# SHORT: arith.divf {{.*}} fastmath<{{(arcp,afn|afn,arcp)}}>
# LONG:  arith.divf {{.*}} fastmath<arcp>
# RIGHT: PASS
import tilelang.language as T


def shares(scale=2.0, row_scale=2.0, clear=True, part=128):
    @T.prim_func
    def main(X: T.Tensor((4, 128), "bfloat16"), Y: T.Tensor((4, 128), "bfloat16")):
        with T.Kernel(4, threads=64) as row:
            p = T.alloc_fragment((1, 128), "float32")
            largest = T.alloc_fragment((1,), "float32")
            total = T.alloc_fragment((1,), "float32")
            T.clear(total)
            T.copy(X[row, 0], p)
            T.reduce_max(p, largest, dim=1)
            for i, j in T.Parallel(1, part):
                p[i, j] = T.exp2(p[i, j] * scale - largest[i] * row_scale)
            T.reduce_sum(p, total, dim=1, clear=clear)
            for i, j in T.Parallel(1, 128):
                Y[row, j] = p[i, j] / total[i]

    return main
