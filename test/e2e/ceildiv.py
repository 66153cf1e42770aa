# T.ceildiv at run time is the quotient rounded up for every sign, and where a sum of its operands has no place in the
# dtype; a number cast to a narrower integer may be negative.
# RUN: tilec-run %s --entry "quotients()" --device=cpu
# RUN: tilec-run %s --entry "quotients()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "quotients()" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "quotients()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "quotients()" --target=sm_90a --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "narrowed()" --device=cpu
# RUN: tilec-run %s --entry "narrowed()" --target=gfx942 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "narrowed()" --target=gfx950 --device=sim --check | FileCheck %s
# RUN: tilec-run %s --entry "narrowed()" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "narrowed()" --target=sm_90a --device=ptx --check | FileCheck %s
# CHECK: PASS
import tilelang.language as T


def up(x, y):
    return -(-x // y)


def quotients():
    cases = {
        "int32": [(7, -2), (-7, -2), (-7, 2), (7, 2), (8, -2), (0, -3), (2**31 - 1, 2), (2**31 - 1, -2), (-2**31, 3),
                  (2**31 - 1, 2**31 - 1), (-2**31, 2**31 - 1), (5, 2**31 - 1)],
        "uint32": [(2**32 - 1, 2), (3, 2**32 - 1), (0, 7), (2**32 - 1, 2**32 - 1)],
        "int8": [(127, 3), (-128, 3), (100, 127), (7, -2)],
        "uint8": [(3, 255), (255, 2), (255, 255), (0, 255)],
        "int16": [(32767, 2), (-32768, -7)],
        "int64": [(2**63 - 1, 2), (7, -2), (-2**63, 3)],
        "uint64": [(2**64 - 1, 2), (3, 2**64 - 1)],
        "int4": [(7, 2), (-8, 3), (7, -2)],
        "uint4": [(15, 2), (3, 15)],
    }

    @T.prim_func
    def main(Z: T.Tensor((64,), "int32"), C: T.Tensor((64,), "int32")):
        with T.Kernel(1, threads=64) as bx:
            zero = T.if_then_else(Z[0] == 123456789, 1, 0)
            for dtype, pairs in cases.items():
                none = T.cast(zero, dtype)
                for x, y in pairs:
                    T.device_assert(T.ceildiv(none + T.cast(x, dtype), none + T.cast(y, dtype)) == T.cast(up(x, y), dtype))
                    T.device_assert(T.ceildiv(none + T.cast(x, dtype), T.cast(y, dtype)) == T.cast(up(x, y), dtype))
            for i in T.Parallel(64):
                C[i] = T.ceildiv(i, 5) + T.ceildiv(i + bx, -3) + T.ceildiv(7 - i, 4)
                T.device_assert(C[i] == (i + 4) // 5 - i // 3 + (10 - i) // 4)
            for i in T.serial(-3, 0):
                T.device_assert(T.ceildiv(7, i) == T.if_then_else(i == -3, -2, T.if_then_else(i == -2, -3, -7)))
            T.device_assert(T.align_up(zero + 7, 4) == 8 and T.align_up(zero - 7, 4) == -4)
    return main


def narrowed(n=256):

    @T.prim_func
    def main(C: T.Tensor((n,), "int32")):
        with T.Kernel(1, threads=64):
            for i in T.Parallel(n):
                C[i] = T.cast(i, "int8") // 3
                T.device_assert(C[i] == T.if_then_else(i < 128, i, i - 256) // 3)
    return main
