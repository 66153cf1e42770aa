# RUN: tilec %s --target=gfx950 --entry "softmax('float16')" --emit=asm | FileCheck %s --check-prefix=SUM
# RUN: tilec %s --target=gfx942 --entry "softmax('float16')" --emit=asm | FileCheck %s --check-prefix=SUM
# RUN: tilec %s --target=gfx950 --entry "softmax('bfloat16')" --emit=asm | FileCheck %s --check-prefix=SUM
# RUN: tilec %s --target=gfx950 --entry "natural('float16', 'float16')" --emit=asm | FileCheck %s --check-prefix=ONE
# RUN: tilec %s --target=gfx950 --entry "natural('bfloat16', 'bfloat16')" --emit=asm | FileCheck %s --check-prefix=KEPT
# RUN: tilec %s --target=gfx950 --entry "natural('float32', 'float32')" --emit=asm | FileCheck %s --check-prefix=KEPT
# RUN: tilec-run %s --target=gfx950 --entry "softmax('float16')" --check --seed 1 --sim-mode=strict | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx942 --entry "softmax('float16')" --check --seed 2 | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx950 --entry "softmax('bfloat16', 200.0)" --check --seed 3 | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx942 --entry "softmax('bfloat16', 60.0)" --check --seed 7 --sim-mode=strict | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx950 --entry "natural('float16', 'float16', 60.0)" --check --seed 4 | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx942 --entry "natural('bfloat16', 'bfloat16', 60.0)" --check --seed 5 | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx950 --entry "natural('float32', 'float32', 60.0)" --check --seed 6 | FileCheck %s --check-prefix=RIGHT
#
# v_exp_f32 gives no denormals. Where what is below 2^-126 does not count, because the largest of a sum is 1 or the
# result is an f16 or a share of a sum (whose logarithm was subtracted), it is all there is of an exponential; where it
# may count it is scaled around it. (The one that a row's sum begins with is scaled.) Arguments up to +-240 and +-60 reach both ends of f16's, and the denormals of bf16 and f32.

# ONE:      v_exp_f32
# ONE-NOT:  {{v_ldexp_f32|0xc2fc0000}}
# SUM:      v_exp_f32
# SUM:      v_ldexp_f32
# The logarithm of that sum is only the argument of others: v_log_f32 behind a scaling of denormals.
# SUM-NOT:  _f64
# SUM:      v_ldexp_f32
# SUM:      v_log_f32
# SUM-NOT:  {{v_ldexp_f32|_f64}}
# KEPT:     v_ldexp_f32
# RIGHT:    PASS
import tilelang.language as T


def softmax(dtype, factor=1.0, M=4, N=1024, BN=512):
    scale = 1.44269504 * factor

    @T.prim_func
    def main(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(M, threads=128) as row:
            x = T.alloc_fragment([BN], dtype)
            y = T.alloc_fragment([BN], dtype)
            lse = T.alloc_fragment([1], "float32")
            max_x = T.alloc_fragment([1], dtype)
            exp_x = T.alloc_fragment([BN], "float32")
            sum_exp_x = T.alloc_fragment([1], "float32")
            T.fill(lse, -T.infinity("float32"))
            for n in T.Pipelined(0, N // BN):
                T.copy(X[row, n * BN:(n + 1) * BN], x)
                T.reduce_max(x, max_x, dim=0, clear=True)
                for j in T.Parallel(BN):
                    exp_x[j] = T.exp2(x[j] * scale - max_x[0] * scale)
                T.reduce_sum(exp_x, sum_exp_x, dim=0, clear=True)
                lse[0] = max_x[0] * scale + T.log2(T.exp2(lse[0] - max_x[0] * scale) + sum_exp_x[0])
            for n in T.Pipelined(0, N // BN):
                T.copy(X[row, n * BN:(n + 1) * BN], x)
                for j in T.Parallel(BN):
                    y[j] = T.exp2(x[j] * scale - lse[0])
                T.copy(y, Y[row, n * BN:(n + 1) * BN])

    return main


def natural(source, result, factor=1.0, M=4, N=512):
    @T.prim_func
    def main(X: T.Tensor((M, N), source), Y: T.Tensor((M, N), result)):
        with T.Kernel(M, threads=128) as row:
            for j in T.Parallel(N):
                Y[row, j] = T.exp(X[row, j] * factor)

    return main
