# RUN: tilec %s --target=gfx950 --entry "softmax('float16')" --emit=asm | FileCheck %s --check-prefixes=HALF,HALF950
# RUN: tilec %s --target=gfx942 --entry "softmax('float16')" --emit=asm | FileCheck %s --check-prefixes=HALF,HALF942
# RUN: tilec %s --target=gfx950 --entry "softmax('bfloat16')" --emit=asm | FileCheck %s --check-prefix=PAIRS
# RUN: tilec %s --target=gfx950 --entry "turn()" --emit=asm | FileCheck %s --check-prefix=TURN
# RUN: tilec %s --target=sm_90a --entry "turn()" --emit=asm | FileCheck %s --check-prefix=PTX
# RUN: tilec %s --target=gfx950 --entry "turn(M=2**20)" --emit=asm | FileCheck %s --check-prefix=FAR
# RUN: tilec %s --target=gfx950 --entry "turn(dtype='float32')" --emit=asm | FileCheck %s --check-prefix=FAR
# RUN: tilec-run %s --target=gfx950 --entry "softmax('float16')" --check --seed 1 --sim-mode=strict | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx942 --entry "softmax('float16', columns=1000)" --check --seed 2 | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx942 --entry "softmax('bfloat16')" --check --seed 3 | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx950 --entry "turn()" --check --seed 4 --sim-mode=strict | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx942 --entry "turn(dtype='float16')" --check --seed 5 | FileCheck %s --check-prefix=RIGHT
#
# Sums and products of f32 go two by two. Elements that were f16 are compared
# as pairs of f16, and v_fma_mix_f32 takes them as they are. An operation on a butterfly's partner needs no selection.

# HALF:             global_load_dwordx4 {{.*}} offset:3072
# HALF-NOT:         v_cvt_f32_f16
# HALF-COUNT-15:    v_pk_max_f16
# HALF-NOT:         v_cndmask
# HALF:             s_barrier
# HALF-COUNT-32:    v_fma_mix_f32
# HALF-NOT:         v_cndmask
# HALF-COUNT-15:    v_pk_add_f32
# HALF-NOT:         v_frexp
# HALF:             v_rcp_f32
# HALF950-COUNT-16: v_pk_mul_f32
# HALF942-COUNT-16: v_fma_mixlo_f16
# PAIRS:            v_pk_fma_f32
# PAIRS-COUNT-15:   v_pk_add_f32
# PAIRS-COUNT-16:   v_pk_mul_f32

# Angles that indices bound are reduced in f32, two by two, for the instructions that take turns, without a branch;
# their products are not rounded before a sum.
# Beyond 2^18, and where results keep f32's bits, they are reduced in f64.
# X is read once, although Y is written between its uses.
# TURN-COUNT-2:     global_load_dwordx2
# TURN-NOT:         {{_f64|s_cbranch|v_ldexp_f32|v_fract|global_load}}
# TURN:             v_pk_fma_f32
# TURN-DAG:         v_sin_f32
# TURN-DAG:         v_cos_f32
# TURN-NOT:         v_pk_add_f32
# TURN:             v_pk_fma_f32
# TURN-NOT:         v_pk_add_f32
# TURN-NOT:         {{_f64|s_cbranch|v_ldexp_f32|v_fract|global_load}}
# TURN:             s_endpgm
# PTX-NOT:          .f64
# FAR:              _f64
# RIGHT:            PASS
import tilelang.language as T


def softmax(dtype, rows=4, columns=8192):
    scale = 1.44269504

    @T.prim_func
    def main(X: T.Tensor((rows, columns), dtype), Y: T.Tensor((rows, columns), dtype)):
        with T.Kernel(rows, threads=256) as row:
            x = T.alloc_fragment((1, columns), dtype)
            p = T.alloc_fragment((1, columns), "float32")
            largest = T.alloc_fragment((1,), "float32")
            total = T.alloc_fragment((1,), "float32")
            T.copy(X[row, 0], x)
            T.copy(x, p)
            T.reduce_max(p, largest, dim=1)
            for i, j in T.Parallel(1, columns):
                p[i, j] = T.exp2(p[i, j] * scale - largest[i] * scale)
            T.reduce_sum(p, total, dim=1)
            for i, j in T.Parallel(1, columns):
                x[i, j] = p[i, j] / total[i]
            T.copy(x, Y[row, 0])

    return main


# A rotary embedding that computes its angles.
def turn(M=64, D=128, dtype="bfloat16"):
    half = D // 2

    @T.prim_func
    def main(X: T.Tensor((M, D), dtype), Y: T.Tensor((M, D), dtype)):
        with T.Kernel(M // 16, threads=256) as block:
            for s, i in T.Parallel(16, half):
                row = block * 16 + s
                angle = T.cast(row, "float32") * T.exp2(T.cast(i, "float32") * (-26.0 / D))
                Y[row, i] = X[row, i] * T.cos(angle) - X[row, half + i] * T.sin(angle)
                Y[row, half + i] = X[row, half + i] * T.cos(angle) + X[row, i] * T.sin(angle)

    return main
