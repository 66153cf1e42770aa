# SPDX-License-Identifier: Apache-2.0
import broken
import pkg.more
import tilelang.language as T
from helpers import FROM_GPU, SCALE, rounded, unused


def scale(n, which="good"):
    size = rounded(n)
    factor = {"good": SCALE, "gpu": FROM_GPU, "broken": broken.VALUE}[which]
    assert pkg.more.DOUBLE == 128

    @T.prim_func
    def main(A: T.Tensor((size,), "float32")):
        with T.Kernel(size // 64, threads=64) as bx:
            for i in T.Parallel(64):
                A[bx * 64 + i] = A[bx * 64 + i] * factor

    return main
