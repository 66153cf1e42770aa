# A tuple that is assigned to elements has the values from before the first store, as in Python. The reference runs what comes
# of this, so no comparison of devices would see a mistake. Found by TileLang's examples/gemm_sp, which swaps two elements.
# SPDX-License-Identifier: Apache-2.0

# RUN: tilec %s --entry "elements()" --target=gfx950 --emit=tile | FileCheck %s
# RUN: tilec %s --entry "variables()" --target=gfx950 --emit=tile | FileCheck %s --check-prefix=VAR
import tilelang.language as T

# CHECK-LABEL: tile.alloc "x"
# CHECK:      [[A:%[0-9]+]] = tile.load %x[%c1
# CHECK:      [[B:%[0-9]+]] = tile.load %x[%c0
# CHECK:      tile.store [[A]], %x[%c0
# CHECK:      tile.store [[B]], %x[%c1


def elements():
    @T.prim_func
    def main(A: T.Tensor((2,), "int32")):
        with T.Kernel(1, threads=64) as bx:
            x = T.alloc_local([2], "int32")
            T.copy(A, x)
            x[0], x[1] = x[1], x[0]
            T.copy(x, A)

    return main


# VAR:      [[J:%[0-9]+]] = tile.load %j
# VAR:      [[I:%[0-9]+]] = tile.load %i
# VAR:      tile.store [[J]], %i
# VAR:      tile.store [[I]], %j


def variables():
    @T.prim_func
    def main(A: T.Tensor((2,), "int32")):
        with T.Kernel(1, threads=64) as bx:
            i = T.alloc_var("int32")
            j = T.alloc_var("int32")
            i = 1
            j = A[0]
            i, j = j, i
            A[0] = i
            A[1] = j

    return main
