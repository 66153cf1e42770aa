# Integers of few bits become floats by logic and additions: f16 and bf16 of a word 16 bits apart together, with what is
# added to them (CodeGen/ShortNumbers.cpp); both operations of bits are one instruction (CodeGen/JoinMasks.cpp). Wider
# ones keep their conversions.
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
# Two bytes that are neighbours become bf16 together: 128 + their low bits, less 128 or 256; bytes and nibbles go into an
# f32 by prmt.
# RUN: tilec %s --target=sm_90a --entry "weights()" --emit=ptx | FileCheck %s --check-prefix=BRAIN --implicit-check-not="cvt.rn"
# RUN: tilec %s --target=sm_80 --entry "weights(zero=128, source='uint8')" --emit=ptx | FileCheck %s --check-prefix=BRAIN --implicit-check-not="cvt.rn"
# RUN: tilec %s --target=sm_90a --entry "weights('float32')" --emit=ptx | FileCheck %s --check-prefix=SINGLE --implicit-check-not="cvt.rn"
# RUN: tilec %s --target=sm_90a --entry "weights('float32', 8, 'uint8', 4)" --emit=ptx | FileCheck %s --check-prefix=NIBBLE --implicit-check-not="cvt.rn"
# RUN: tilec %s --target=sm_90a --entry "weights(source='int16')" --emit=ptx | FileCheck %s --check-prefix=SHORT
# BRAIN: prmt.b32 %[[APART:.*]], %{{.*}}, 0, 0x4140U;
# BRAIN-DAG: lop3.b32 %{{.*}}, %[[APART]], 8323199, 1124090624, 234;
# BRAIN-DAG: lop3.b32 %{{.*}}, %[[APART]], 8388736, 1124090624, 234;
# BRAIN: fma.rn.bf16x2
# SINGLE: prmt.b32 %[[F:.*]], %{{.*}}, 1258291200, 0x744{{.}}U;
# SINGLE: add.rn.f32 %{{.*}}, %[[F]],
# NIBBLE-COUNT-4: add.rn.f32
# SHORT: cvt.rn.bf16.s16
# Every byte and every nibble is right, on each target, on which side of zero it may be.
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "weights()" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_80 --device=ptx --check --entry "weights(source='uint8')" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "weights(zero=128, source='uint8')" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "weights(zero=127, source='uint8')" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "weights(zero=-9, source='uint8')" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "weights(zero=8, source='uint8', bits=4)" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "weights('float16')" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "weights('float16', 128, 'uint8')" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "weights('float32')" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "weights('float32', 128, 'uint8')" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "weights('float32', 8, 'uint8', 4)" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=gfx942 --check --entry "weights(zero=128, source='uint8')" | FileCheck %s --check-prefix=RESULT
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


def weights(dtype="bfloat16", zero=0, source="int8", bits=8, rows=16, columns=64):
    """Bytes, or each nibble of one, less `zero`."""
    parts = 8 // bits

    @T.prim_func
    def main(A: T.Tensor((rows, columns // parts), source), C: T.Tensor((rows, columns), dtype)):
        with T.Kernel(1, threads=64) as bx:
            for i, j in T.Parallel(rows, columns):
                if zero == 0 and parts == 1:
                    C[i, j] = T.cast(A[i, j], dtype)
                elif parts == 1:
                    C[i, j] = T.cast(T.cast(A[i, j], "int32") - zero, dtype)
                else:
                    C[i, j] = T.cast(T.cast((A[i, j // 2] >> (j % 2 * 4)) & 15, "int32") - zero, dtype)

    return main
