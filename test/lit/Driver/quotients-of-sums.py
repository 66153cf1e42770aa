# The mean of a row's sum, in whole numbers or compared: a product with the reciprocal of 41 gives 41 / 41 as a number
# below 1, so that the quotient is the exact one where its last bit makes a step, at once or behind a fragment or tensor.
# (Not by --check, whose bounds hold sums that are a bit off.)
# RUN: tilec-run %s --entry "steps()" --device=cpu --arg Z=zeros | FileCheck %s
# RUN: tilec-run %s --entry "steps()" --target=gfx942 --device=sim --arg Z=zeros | FileCheck %s
# RUN: tilec-run %s --entry "steps()" --target=gfx950 --device=sim --arg Z=zeros | FileCheck %s
# RUN: tilec-run %s --entry "steps()" --target=sm_80 --device=ptx --arg Z=zeros | FileCheck %s
# RUN: tilec-run %s --entry "steps()" --target=sm_90a --device=ptx --arg Z=zeros | FileCheck %s
# RUN: not tilec-run %s --entry "steps()" --target=gfx950 --device=sim --arg Z=zeros --math=fast 2>&1 | FileCheck %s --check-prefix=FAST
# FAST: error
#
# A mean that is only computed with is such a product.
# RUN: tilec %s --entry "centered()" --target=gfx950 --emit=asm | FileCheck %s --check-prefix=CENTERED
# CENTERED-NOT: v_div_fixup
# CENTERED:     s_endpgm
# CHECK: result {{ *}}not checked
import tilelang.language as T


def steps(N=41):
    @T.prim_func
    def main(Z: T.Tensor((8, N), "float32"), W: T.Tensor((7, 8), "int32"), F: T.Tensor((8,), "float32")):
        with T.Kernel(1, threads=96):
            tile = T.alloc_fragment((8, N), "float32")
            total = T.alloc_fragment((8,), "float32")
            mean = T.alloc_fragment((8,), "float32")
            T.copy(Z, tile)
            for i, j in T.Parallel(8, N):
                tile[i, j] = tile[i, j] + (i + 1)
            T.reduce_sum(tile, total, dim=1)
            for i in T.Parallel(8):
                mean[i] = total[i] / N
            for i in T.Parallel(8):
                W[0, i] = T.cast(total[i] / N, "int32")
                W[1, i] = T.cast(mean[i], "int32")
                W[2, i] = T.if_then_else(total[i] / N >= i + 1, 1, 0)
                W[3, i] = T.cast(T.floor(mean[i] * 2.0), "int32")
                W[4, i] = T.cast(T.round(total[i] / (2 * N)), "int32")
                W[5, i] = T.cast(total[i] // N, "int32")
                W[6, i] = T.cast(total[i] % N, "int32")
                F[i] = mean[i]
            for i in T.Parallel(8):
                T.device_assert(W[0, i] == i + 1 and W[1, i] == i + 1 and W[2, i] == 1 and W[3, i] == 2 * (i + 1))
                T.device_assert(W[4, i] == (i + 1) // 2 + T.if_then_else(i % 4 == 2, 1, 0))
                T.device_assert(W[5, i] == i + 1 and W[6, i] == 0 and F[i] == i + 1)

    return main


def centered(N=41):
    @T.prim_func
    def main(X: T.Tensor((8, N), "float32"), Y: T.Tensor((8, N), "float32")):
        with T.Kernel(1, threads=64):
            tile = T.alloc_fragment((8, N), "float32")
            total = T.alloc_fragment((8,), "float32")
            T.copy(X, tile)
            T.reduce_sum(tile, total, dim=1)
            for i, j in T.Parallel(8, N):
                Y[i, j] = tile[i, j] - total[i] / N

    return main
