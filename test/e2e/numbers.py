# Numbers beside narrow floats keep their float32 value, on every device; a cast and a store round
# (docs/decisions/0010-numbers-beside-narrow-floats.md). What is asserted is said in float32.
# RUN: tilec-run %s --entry "numbers('float16')" --device=cpu --seed 1
# RUN: tilec-run %s --entry "numbers('bfloat16')" --device=cpu --seed 1
# RUN: tilec-run %s --entry "numbers('float8_e4m3fn')" --device=cpu --seed 1
# RUN: tilec-run %s --entry "numbers('float8_e5m2')" --device=cpu --seed 1
# RUN: tilec-run %s --entry "numbers('float16')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "numbers('float8_e4m3fn')" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "numbers('bfloat16')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "numbers('float8_e5m2')" --target=gfx942 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "numbers('float16')" --target=sm_80 --device=ptx --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "numbers('float8_e4m3fn')" --target=sm_80 --device=ptx --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "numbers('bfloat16')" --target=sm_90a --device=ptx --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "numbers('float8_e5m2')" --target=sm_90a --device=ptx --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "stored()" --device=cpu
# RUN: tilec-run %s --entry "stored()" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "stored()" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "stored()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "stored()" --target=sm_90a --device=ptx --check | FileCheck %s
# CHECK: PASS
import tilelang.language as T


def numbers(dtype, n=96):
    c, whole = 1.44269504, 2049  # of none of the narrow dtypes

    @T.prim_func
    def main(X: T.Tensor((n,), dtype), I: T.Tensor((n,), "int32"), Y: T.Tensor((8, n), "float32"),
             Z: T.Tensor((4, n), dtype)):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(n):
                x = X[i]
                wide = T.cast(x, "float32")
                other = T.if_then_else(i % 2 == 0, whole, 2 * whole)
                # Arithmetic, functions and choices.
                Y[0, i] = x * c
                Y[1, i] = c - x / whole
                Y[2, i] = T.max(x, c) + T.min(-c, x)
                Y[3, i] = T.if_then_else(x > c, c, x) * (x if x < c else c)
                Y[4, i] = T.exp2(x * c) + T.pow(c, x) + T.fma(x, c, x)
                Y[5, i] = x + other
                Y[6, i] = T.clamp(x, -c, c)
                T.device_assert(x * c == wide * c and c - x / whole == c - wide / whole)
                T.device_assert(T.max(x, c) == T.max(wide, c) and T.min(x, -c) == T.min(wide, -c))
                T.device_assert(min(x, c) == min(wide, c) and (x < c) == (wide < c))
                T.device_assert(x + whole == wide + 2049.0 and x - other == wide - other)
                T.device_assert(not (x == c) and not (x == whole) and c != x)
                # Casts and stores round, also an expression that has the dtype already.
                rounded = T.cast(c, dtype)
                T.device_assert(rounded != T.float32(c))
                T.device_assert(x * rounded == wide * T.cast(rounded, "float32"))
                scaled = x * c
                T.device_assert(T.cast(scaled, dtype) == T.cast(wide * c, dtype))
                T.device_assert(T.cast(T.cast(scaled, dtype), "float32") == T.cast(wide * c, dtype))
                Y[7, i] = T.cast(scaled, dtype) + T.cast(x + whole, dtype)
                Z[0, i] = x * c
                Z[1, i] = x + whole
                Z[2, i] = c
                Z[3, i] = T.max(x, c)
    return main


# What is stored as it is, is rounded once: 1 + 2^-11 + 2^-30 by way of float32 would be 1.
def stored(n=64):
    near = 1 + 2.0**-11 + 2.0**-30

    @T.prim_func
    def main(H: T.Tensor((4, n), "float16"), Y: T.Tensor((n,), "float32")):
        with T.Kernel(1, threads=64):
            s = T.alloc_shared((n,), "float16")
            f = T.alloc_fragment((n,), "float16")
            v = T.alloc_var("float16")
            T.fill(s, near)
            T.fill(f, near)
            v = near
            for i in T.Parallel(n):
                H[0, i] = near
                H[1, i] = s[i]
                H[2, i] = f[i]
                H[3, i] = T.float16(near)
                Y[i] = v
                for k in T.serial(4):
                    T.device_assert(H[k, i] == 1 + 2.0**-10)
                T.device_assert(v == 1 + 2.0**-10)
    return main
