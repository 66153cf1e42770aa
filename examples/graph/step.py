# SPDX-License-Identifier: Apache-2.0
"""One step of bodies that move without force: x += v dt. A simulation launches it thousands of times."""
import tilelang.language as T

n = T.dynamic("n")


@T.prim_func
def step(X: T.Tensor((n,), "float32"), V: T.Tensor((n,), "float32"), dt: T.float32):
    with T.Kernel(T.ceildiv(n, 256), threads=256) as bx:
        for i in T.Parallel(256):
            X[bx * 256 + i] += V[bx * 256 + i] * dt
