# A float becomes the same integer as a constant and at run time: truncated, saturated at 32 or 64 bits, then wrapped.
# RUN: tilec-run %s --entry "same()" --device=cpu
# RUN: tilec-run %s --entry "same()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "same()" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "same()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "same()" --target=sm_90a --device=ptx --check | FileCheck %s
# CHECK: PASS
import tilelang.language as T

numbers = [-3.5, 3.5, 300.0, -129.0, 70000.75, 3e9, -3e9, 5e9, 1.5 * 2.0**63, -2.0**63, 1e30, -1e30, float("inf"), -float("inf"),
           float("nan")]
dtypes = ["int4", "uint4", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


def same(n=64):

    @T.prim_func
    def main(X: T.Tensor((n,), "float32"), B: T.Tensor((len(numbers),), "uint8"), W: T.Tensor((len(numbers),), "int64")):
        with T.Kernel(1, threads=64):
            zero = T.if_then_else(X[0] == 1234.5, 1.0, 0.0)
            for c, number in enumerate(numbers):
                for dtype in dtypes:
                    T.device_assert(T.cast(number, dtype) == T.cast(zero + number, dtype))
                    T.device_assert(T.cast(T.float32(number), dtype) == T.cast(zero + number, dtype))
                B[c] = number
                W[c] = number
                T.device_assert(B[c] == T.cast(zero + number, "uint8") and W[c] == T.cast(zero + number, "int64"))
            # By hand.
            T.device_assert(T.cast(-3.5, "uint8") == 0 and T.uint8(-3.5) == 0 and T.cast(-3.5, "uint32") == 0)
            T.device_assert(T.cast(-3.5, "int8") == -3 and T.cast(300.0, "int8") == 44 and T.cast(300.0, "uint8") == 44)
            T.device_assert(T.cast(3e9, "int8") == -1 and T.cast(-3e9, "int16") == 0 and T.cast(3e9, "int32") == 2**31 - 1)
            T.device_assert(T.cast(5e9, "uint32") == T.uint32(2**32 - 1) and T.cast(5e9, "int64") == 5 * 10**9)
            T.device_assert(T.cast(1e30, "int64") == T.max_value("int64") and T.cast(float("nan"), "int32") == 0)
            T.device_assert(T.cast(9.0, "int4") == -7 and T.cast(20.0, "uint4") == 4 and T.cast(300.0, "uint4") == 12)
    return main
