# RUN: tilec %s --math=libs --target=sm_80 --emit=tile | FileCheck %s --check-prefix=TILE
# RUN: tilec %s --math=libs --target=sm_80 --emit=wave | FileCheck %s --check-prefix=LIBS
# RUN: tilec %s --target=sm_80 --emit=wave | FileCheck %s --check-prefix=OWN
#
# The program says whose functions of f32 are meant, and its wave kernel says it to the lowering; where
# the library's are, a rounded quotient is no product with a reciprocal.
#
# TILE: tile.program @scale {{.*}}library_math
# LIBS: wave.kernel @scale({{.*}} attributes {library_math}
# LIBS: arith.divf %{{.*}}, %{{.*}} : f32
# OWN-NOT: library_math
# OWN: arith.divf %{{.*}}, %{{.*}} fastmath<arcp> : f32
import tilelang
import tilelang.language as T


@tilelang.jit
def scale(n: int = 256):
    @T.prim_func
    def main(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float16")):
        with T.Kernel(T.ceildiv(n, 128), threads=128) as bx:
            for i in T.Parallel(128):
                B[bx * 128 + i] = A[bx * 128 + i] / 3.0

    return main
