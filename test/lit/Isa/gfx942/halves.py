# RUN: tilec %s --target=gfx942 --entry "powers()" --emit=asm | FileCheck %s --check-prefix=MIXED
# RUN: tilec %s --target=gfx950 --entry "powers()" --emit=asm | FileCheck %s --check-prefix=PAIRS
# RUN: tilec-run %s --target=gfx942 --entry "powers()" --check --seed 1 | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx942 --entry "powers(columns=1000)" --check --seed 2 --sim-mode=strict | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx942 --entry "narrow()" --check --arg X=%S/Inputs/halves.npy | FileCheck %s --check-prefix=RIGHT
#
# Two f32 become a pair of f16 by two mixed products, 1 * x - 0, each of which writes a half, where no
# instruction converts both (gfx950 has one). The numbers of halves.npy are those where a conversion shows: zeros
# of both signs, ties, subnormals of both types, what overflows, infinities, a NaN.
# SPDX-License-Identifier: Apache-2.0

# MIXED-NOT:      v_cvt_f16_f32
# MIXED-COUNT-4:  v_fma_mixhi_f16 v{{[0-9]+}}, v{{[0-9]+}}, s{{[0-9]+}}, neg(0)
# MIXED-NOT:      v_pack_b32_f16
# MIXED:          s_endpgm
# PAIRS-NOT:      v_fma_mix
# PAIRS-COUNT-4:  v_cvt_pk_f16_f32
# PAIRS:          s_endpgm
# RIGHT:          PASS
import tilelang.language as T


def powers(rows=16, columns=512):
    @T.prim_func
    def main(X: T.Tensor((rows, columns), "float16"), Y: T.Tensor((rows, columns), "float16")):
        with T.Kernel(rows, threads=64) as row:
            x = T.alloc_fragment((columns,), "float16")
            T.copy(X[row, 0], x)
            for j in T.Parallel(columns):
                x[j] = T.exp2(x[j] * 0.5)
            T.copy(x, Y[row, 0])

    return main


def narrow(count=128):
    @T.prim_func
    def main(X: T.Tensor((count,), "float32"), Y: T.Tensor((count,), "float16")):
        with T.Kernel(1, threads=64):
            for j in T.Parallel(count):
                Y[j] = X[j]

    return main
