# Arithmetic of int4 and uint4 wraps modulo 2^4, whatever reads it: casts, stores, comparisons, divisions.
# RUN: tilec-run %s --entry "every('int4')" --device=cpu
# RUN: tilec-run %s --entry "every('int4')" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "every('int4')" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "every('int4')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "every('int4')" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "every('uint4')" --device=cpu
# RUN: tilec-run %s --entry "every('uint4')" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "every('uint4')" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "every('uint4')" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "every('uint4')" --target=sm_90a --device=ptx --check | FileCheck %s
# CHECK: PASS
import tilelang.language as T


def every(dtype):
    low = -8 if dtype == "int4" else 0

    def wrap(number):
        return (number - low) % 16 + low

    @T.prim_func
    def main(Z: T.Tensor((64,), "int32"), P: T.Tensor((16, 16), dtype), C: T.Tensor((12, 16, 16), "int32")):
        with T.Kernel(1, threads=64):
            zero = T.if_then_else(Z[0] == 123456789, 1, 0)
            for i, j in T.Parallel(16, 16):
                x = T.cast(i + zero + low, dtype)
                y = T.cast(j + zero + low, dtype)
                C[0, i, j] = x + y
                C[1, i, j] = x - y
                C[2, i, j] = x * y
                C[3, i, j] = T.cast(x + x, dtype)
                C[4, i, j] = -x
                C[5, i, j] = ~x
                C[6, i, j] = x << T.cast(j % 6, dtype)
                C[7, i, j] = (x + y) // 3
                C[8, i, j] = (x + y < x) + 2 * (x * y > y)
                C[9, i, j] = T.abs(x) + 100 * T.popcount(x) + 1000 * T.clz(x)
                C[10, i, j] = T.reinterpret(x, "int4") + 100 * T.cast(T.reinterpret(x, "uint4"), "int32")
                C[11, i, j] = T.cast(x * T.cast(1.5, "float32") * 8, dtype)
                P[i, j] = x + y
                assert_pair(C, P, i, j)
    return main


def wrapped(e, dtype):
    """Of an int32, with other means than casts."""
    return (e + 8) % 16 - 8 if dtype == "int4" else e % 16


@T.macro
def assert_pair(C, P, i, j):
    dtype = "int4" if P.dtype == "int4" else "uint4"
    low = -8 if dtype == "int4" else 0
    x = i + low
    y = j + low
    T.device_assert(C[0, i, j] == wrapped(x + y, dtype) and C[1, i, j] == wrapped(x - y, dtype))
    T.device_assert(C[2, i, j] == wrapped(x * y, dtype) and C[3, i, j] == wrapped(2 * x, dtype))
    T.device_assert(C[4, i, j] == wrapped(-x, dtype) and C[5, i, j] == wrapped(-1 - x, dtype))
    T.device_assert(C[6, i, j] == wrapped(x * (1 << (j % 6)), dtype))
    T.device_assert(C[7, i, j] == T.floordiv(wrapped(x + y, dtype), 3))
    T.device_assert(C[8, i, j] == (wrapped(x + y, dtype) < x) + 2 * (wrapped(x * y, dtype) > y))
    bits = x % 16
    count = bits % 2 + bits // 2 % 2 + bits // 4 % 2 + bits // 8
    zeros = T.if_then_else(bits == 0, 4, (bits < 8) + 0 + (bits < 4) + (bits < 2))
    T.device_assert(C[9, i, j] == wrapped(T.max(x, -x), dtype) + 100 * count + 1000 * zeros)
    T.device_assert(C[10, i, j] == wrapped(x, "int4") + 100 * bits)
    T.device_assert(C[11, i, j] == wrapped(T.max(12 * x, low * 1000), dtype))
    T.device_assert(P[i, j] == wrapped(x + y, dtype))
