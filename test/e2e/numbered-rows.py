# A loop whose rounds read by a number that they read first: eight rounds are one on NVIDIA, whose reads start together.
# Pairs of neighbours that are read and written one by one are read and written together.
# RUN: tilec-run %s --entry "bag()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "bag(count=20)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "bag()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "pairs()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "pairs()" --target=gfx942 --check | FileCheck %s
# RUN: tilec %s --entry "bag()" --target=sm_90a --emit=ptx --no-cache | FileCheck %s --check-prefix=EIGHT
# RUN: tilec %s --entry "pairs()" --target=sm_90a --emit=ptx --no-cache | FileCheck %s --check-prefix=WIDE
# CHECK: PASS
# EIGHT-COUNT-8: @p ld.global.nc.v2.b32
# EIGHT-NOT: @p ld.global.nc.v2.b32
# WIDE: ld.global.v4.b32
# WIDE-NOT: global.b16
import tilelang.language as T


def bag(count=64, rows=50):
    @T.prim_func
    def main(E: T.Tensor((rows, 256), "float16"), I: T.Tensor((4, count), "int32"), Y: T.Tensor((4, 256), "float32")):
        with T.Kernel(4, threads=64) as bx:
            acc = T.alloc_fragment((256,), "float32")
            T.clear(acc)
            for k in T.serial(count):
                for j in T.Parallel(256):
                    acc[j] += T.cast(E[I[bx, k], j], "float32")
            for j in T.Parallel(256):
                Y[bx, j] = acc[j]

    return main


def pairs(tokens=3):
    @T.prim_func
    def main(X: T.Tensor((tokens, 32, 128), "bfloat16"), C: T.Tensor((tokens, 64), "float32"),
             S: T.Tensor((tokens, 64), "float32"), Y: T.Tensor((tokens, 32, 128), "bfloat16")):
        with T.Kernel(tokens, threads=256) as bx:
            for h, j in T.Parallel(32, 64):
                Y[bx, h, 2 * j] = X[bx, h, 2 * j] * C[bx, j] - X[bx, h, 2 * j + 1] * S[bx, j]
                Y[bx, h, 2 * j + 1] = X[bx, h, 2 * j] * S[bx, j] + X[bx, h, 2 * j + 1] * C[bx, j]

    return main
