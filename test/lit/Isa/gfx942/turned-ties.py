# RUN: tilec %s --target=gfx942 --entry "turned('pair')" --emit=asm | FileCheck %s --check-prefix=CHANCE
# RUN: tilec %s --target=gfx942 --entry "turned('cosines')" --emit=asm | FileCheck %s --check-prefix=EVEN
# RUN: tilec %s --target=gfx942 --entry "turned('angles')" --emit=asm | FileCheck %s --check-prefix=EVEN
# RUN: tilec %s --target=gfx942 --entry "turned('third')" --emit=asm | FileCheck %s --check-prefix=EVEN
# RUN: tilec-run %s --target=gfx942 --entry "turned('pair')" --check --seed 1 | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx942 --entry "turned('cosines')" --check --seed 2 | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx942 --entry "turned('angles')" --check --seed 3 --sim-mode=strict | FileCheck %s --check-prefix=RIGHT
#
# x cos a - y sin a of bf16 x and y has a tie between two bf16 by chance only: where sine and cosine are exact,
# the sum is x or y. Half a unit is added then, to two at once, and nobody asks whether the lower bf16 is even.
# Of two cosines the sum can be x + y, of other angles too, and a third addend has ties of its own.
# SPDX-License-Identifier: Apache-2.0

# CHANCE-NOT: v_bfe_u32
# CHANCE:     s_mov_b32 s{{[0-9]+}}, 0x8000
# CHANCE-NOT: v_bfe_u32
# CHANCE-COUNT-2: v_lshl_add_u64 v[{{[0-9:]+}}], v[{{[0-9:]+}}], 0, s[
# CHANCE-NOT: v_bfe_u32
# CHANCE:     s_endpgm
# EVEN:       v_bfe_u32 v{{[0-9]+}}, v{{[0-9]+}}, 16, 1
# EVEN-NOT:   v_lshl_add_u64
# EVEN:       s_endpgm
# RIGHT:      PASS
import tilelang.language as T


def turned(form, M=64, D=128):
    half = D // 2

    @T.prim_func
    def main(X: T.Tensor((M, D), "bfloat16"), Y: T.Tensor((M, half), "bfloat16")):
        with T.Kernel(M // 16, threads=256) as block:
            for s, i in T.Parallel(16, half):
                row = block * 16 + s
                angle = T.cast(row, "float32") * T.exp2(T.cast(i, "float32") * (-26.0 / D))
                if form == "pair":
                    Y[row, i] = X[row, i] * T.cos(angle) - X[row, half + i] * T.sin(angle)
                elif form == "cosines":
                    Y[row, i] = X[row, i] * T.cos(angle) + X[row, half + i] * T.cos(angle)
                elif form == "angles":
                    Y[row, i] = X[row, i] * T.cos(angle) + X[row, half + i] * T.sin(angle + 1.0)
                else:
                    Y[row, i] = X[row, i] * T.cos(angle) - X[row, half + i] * T.sin(angle) + X[row, 0]

    return main
