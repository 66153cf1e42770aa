# Where only bf16 comes in, a NaN has zeros in the low half of its f32, and gfx942 rounds to bf16 without looking for one
# (docs/machine-code/lowering.md). All bit patterns, ties, overflows and NaNs that operations make: bit for bit what
# gfx950's instruction gives. Other NaNs may come with f32, in bits that a carry would pass: there they are looked for.
# RUN: tilec %s --entry "every()" --target=gfx942 --emit=asm | FileCheck %s --check-prefix=SHORT
# RUN: tilec %s --entry "every('float32')" --target=gfx942 --emit=asm | FileCheck %s --check-prefix=LONG
# RUN: tilec-run %s --entry "every()" --target=gfx942 --check --save Y=%t.942.npy | FileCheck %s
# RUN: tilec-run %s --entry "every()" --target=gfx950 --check --save Y=%t.950.npy | FileCheck %s
# RUN: cmp %t.942.npy %t.950.npy
# RUN: tilec-run %s --entry "every('float32')" --target=gfx942 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "rows()" --target=gfx942 --check | FileCheck %s
# SHORT-NOT: v_cmp_u_f32
# SHORT:     v_add3_u32
# SHORT-NOT: v_cmp_u_f32
# SHORT:     s_endpgm
# LONG:      v_cmp_u_f32
# CHECK: result {{ *}}PASS
import tilelang.language as T


def every(also=None):
    """x * 129/128, x * 1.75 * 2^8 and x * 1.5 - x * 0.5 of all numbers of bf16; `also` adds zeros of another type."""
    other = also or "bfloat16"

    @T.prim_func
    def main(Zero: T.Tensor((256,), other), Y: T.Tensor((3, 65536), "bfloat16")):
        with T.Kernel(256, threads=128) as block:
            for i in T.Parallel(256):
                x = T.cast(T.reinterpret("bfloat16", T.cast(block * 256 + i, "uint16")), "float32")
                nothing = T.cast(Zero[i], "float32") * T.cast(0, "float32") if also else T.cast(0, "float32")
                Y[0, block * 256 + i] = x * 1.0078125 + nothing
                Y[1, block * 256 + i] = x * 448.0 + nothing
                Y[2, block * 256 + i] = x * 1.5 - x * 0.5 + nothing

    return main


def rows(M=4, N=1024):
    """Sums of rows through shared memory; the last row has a NaN."""

    @T.prim_func
    def main(X: T.Tensor((M, N), "bfloat16"), Y: T.Tensor((M, N), "bfloat16")):
        with T.Kernel(M, threads=256) as row:
            x = T.alloc_fragment((1, N), "float32")
            total = T.alloc_fragment((1,), "float32")
            for i, j in T.Parallel(1, N):
                gone = T.And(row == M - 1, j == 77)
                x[i, j] = T.if_then_else(gone, T.log(T.cast(-1, "float32") - T.abs(T.cast(X[row, j], "float32"))), X[row, j])
            T.reduce_sum(x, total, dim=1)
            for i, j in T.Parallel(1, N):
                Y[row, j] = x[i, j] + total[i]

    return main
