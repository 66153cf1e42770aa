# Integers of few bits become f16 by logic and additions: two of a word 16 bits apart together, with what is added to them
# (CodeGen/ShortNumbers.cpp); both operations of bits are one instruction (CodeGen/JoinMasks.cpp). Wider ones keep their
# conversions.
# RUN: tilec %s --target=sm_90a --entry "decode()" --emit=ptx | FileCheck %s --implicit-check-not=cvt.rn.f16
# RUN: tilec %s --target=sm_90a --entry "decode(zero=8)" --emit=ptx | FileCheck %s --check-prefix=ZERO --implicit-check-not=cvt.rn.f16
# RUN: tilec %s --target=sm_90a --entry "bytes()" --emit=ptx | FileCheck %s --check-prefix=BYTES --implicit-check-not=cvt.rn.f16
# RUN: tilec %s --target=sm_90a --entry "bytes(bits=16)" --emit=ptx | FileCheck %s --check-prefix=WIDE
# CHECK-COUNT-4: add.rn.f16x2
# (0x64006400 | nibbles) - 0x64086408
# ZERO: lop3.b32 %{{.*}}, %{{.*}}, 983055, 1677747200, 234;
# ZERO: add.rn.f16x2
# 0x6600 + x - 0x6600
# BYTES: add.s16 %[[X:.*]], %{{.*}}, 26112
# BYTES: mov.b16 %[[OFFSET:.*]], 0xE600
# BYTES: add.rn.f16 %{{.*}}, %[[X]], %[[OFFSET]]
# WIDE: cvt.rn.f16
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "decode()" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "decode(zero=8)" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_80 --device=ptx --check --entry "decode(zero=-5)" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "bytes()" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_80 --device=ptx --check --entry "bytes()" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=gfx950 --check --entry "decode(zero=8)" | FileCheck %s --check-prefix=RESULT
# RESULT: result {{ *}}PASS
import tilelang.language as T


def decode(n=256, zero=0):
    @T.prim_func
    def main(A: T.Tensor((n,), "uint32"), C: T.Tensor((n, 8), "float16")):
        with T.Kernel(T.ceildiv(n, 64), threads=64) as bx:
            t = T.get_thread_binding(0)
            word = T.alloc_local((1,), "uint32")
            word[0] = A[bx * 64 + t]
            for v in T.unroll(8):
                nibble = T.cast((word[0] >> (4 * v)) & 15, "int32")
                C[bx * 64 + t, v] = T.cast(nibble - zero, "float16")

    return main


def bytes(n=256, bits=8):
    @T.prim_func
    def main(A: T.Tensor((n,), f"int{bits}"), C: T.Tensor((n,), "float16")):
        with T.Kernel(T.ceildiv(n, 64), threads=64) as bx:
            t = T.get_thread_binding(0)
            C[bx * 64 + t] = T.cast(A[bx * 64 + t], "float16")

    return main
