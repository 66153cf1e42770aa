# RUN: tilec %s --entry "f([0, 1, 2], [0, 2, 2], None)" --target=gfx950 --emit=tile | FileCheck %s --check-prefix=THREE
# RUN: tilec %s --entry "f([-1, 0], [-1, 0], [[0], [1, 2]])" --target=gfx950 --emit=tile | FileCheck %s --check-prefix=ONE
# RUN: tilec-run %s --entry "f([0, 1, 2], [0, 2, 2], None)" --target=gfx950 --check | FileCheck %s
#
# Stages say how far copies run ahead: three slots for a distance of two iterations.
# THREE: kind(pipelined) stages(3)
# ONE: kind(pipelined){{ *[^s]}}
# CHECK: result {{ *}}PASS
import tilelang.language as T


def f(order, stage, group):
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float16"), C: T.Tensor((16, 64), "float32")):
        with T.Kernel(1, threads=128):
            s = T.alloc_shared((16, 64), "float16")
            c = T.alloc_fragment((16, 64), "float32")
            T.clear(c)
            for k in T.Pipelined(4, order=order, stage=stage, group=group):
                T.copy(A[k * 16, 0], s)
                for i, j in T.Parallel(16, 64):
                    c[i, j] += s[i, j]
                for i, j in T.Parallel(16, 64):
                    c[i, j] *= 2.0
            T.copy(c, C)

    return main
