# RUN: tilec %s --target=sm_80 --entry "gemm('int8', 'int32')" --emit=asm --ptx-assembler=none | FileCheck %s --check-prefix=INT8
# RUN: tilec %s --target=sm_80 --entry "gemm('uint8', 'int32')" --emit=asm --ptx-assembler=none | FileCheck %s --check-prefix=UINT8
# RUN: tilec %s --target=sm_80 --entry "gemm('float8_e4m3fn', 'float32')" --emit=asm --ptx-assembler=none | FileCheck %s --check-prefix=E4M3FN
#
# Products of 8-bit operands (and on AMD of float64) use matrix instructions; a format that the target
# does not have goes through f16.
# INT8: mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
# UINT8: mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32
# E4M3FN: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
import tilelang.language as T


def gemm(dtype, accum):
    @T.prim_func
    def main(A: T.Tensor((64, 128), dtype), B: T.Tensor((64, 128), dtype), C: T.Tensor((64, 64), accum)):
        with T.Kernel(1, threads=128):
            a = T.alloc_shared((64, 64), dtype)
            b = T.alloc_shared((64, 64), dtype)
            c = T.alloc_fragment((64, 64), accum)
            T.clear(c)
            for k in T.Pipelined(2, num_stages=2):
                T.copy(A[0, k * 64], a)
                T.copy(B[0, k * 64], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C)

    return main
