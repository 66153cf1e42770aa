# Further slots cost no resident block where the grid has no more of them for a unit: of 512 blocks each has two of 304
# units, of 2048 as many as shared memory holds with two slots.
# RUN: tilec %s --entry "sums(512)" --target=gfx942 --emit=report | FileCheck %s --check-prefix=FEW
# RUN: tilec %s --entry "sums(2048)" --target=gfx942 --emit=report | FileCheck %s --check-prefix=MANY
# RUN: tilec-run %s --entry "sums(3)" --target=gfx942 --check --sim-mode=strict | FileCheck %s --check-prefix=RIGHT
# FEW: : planned: copies start 3 rounds ahead
# MANY: : unplanned: a round waits for all copies in flight
# RIGHT: PASS
import tilelang.language as T


def sums(blocks):
    @T.prim_func
    def main(X: T.Tensor((blocks, 16, 2048), "bfloat16"), Y: T.Tensor((blocks,), "float32")):
        with T.Kernel(blocks, threads=256) as bx:
            x = T.alloc_shared((2048,), "bfloat16")
            f = T.alloc_fragment((2048,), "float32")
            s = T.alloc_fragment((1,), "float32")
            T.clear(s)
            for k in T.Pipelined(16, num_stages=2):
                T.copy(X[bx, k, :], x)
                for j in T.Parallel(2048):
                    f[j] = T.exp(T.cast(x[j], "float32"))
                T.reduce_sum(f, s, dim=0, clear=False)
            Y[bx] = s[0]

    return main
