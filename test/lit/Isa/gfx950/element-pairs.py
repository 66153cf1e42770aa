# RUN: tilec %s --target=gfx950 --entry "pairs()" --emit=asm | FileCheck %s
#
# Two statements on neighbouring elements: LLVM sees that their places differ by constants, and joins their accesses.

# CHECK-LABEL: {{^}}pairs:
# CHECK-NOT:   global_
# CHECK-COUNT-4: global_load_dwordx4
# CHECK-NOT:   global_load
# CHECK-COUNT-4: global_store_dwordx4
# CHECK-NOT:   global_store
import tilelang.language as T


def pairs(N=32, D=1024):
    @T.prim_func
    def main(X: T.Tensor((N, D), "float16"), O: T.Tensor((N, D), "float16")):
        with T.Kernel(N // 8, threads=256) as bx:
            for i, d in T.Parallel(8, D // 2):
                O[bx * 8 + i, 2 * d] = -X[bx * 8 + i, 2 * d]
                O[bx * 8 + i, 2 * d + 1] = X[bx * 8 + i, 2 * d + 1] * 2.0

    return main
