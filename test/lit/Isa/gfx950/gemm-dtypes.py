# RUN: tilec %s --target=gfx950 --entry "gemm('int8', 'int32')" --emit=asm | FileCheck %s --check-prefix=INT8
# RUN: tilec %s --target=gfx950 --entry "gemm('float8_e4m3fn', 'float32')" --emit=asm | FileCheck %s --check-prefix=E4M3FN
# RUN: tilec %s --target=gfx950 --entry "gemm('float8_e5m2', 'float32')" --emit=asm | FileCheck %s --check-prefix=E5M2
# RUN: tilec %s --target=gfx950 --entry "gemm('float8_e4m3fnuz', 'float32')" --emit=asm | FileCheck %s --check-prefix=E4M3FNUZ
# RUN: tilec %s --target=gfx950 --entry "gemm('float64', 'float64')" --emit=asm | FileCheck %s --check-prefix=FLOAT64
#
# Products of 8-bit operands (and on AMD of float64) use matrix instructions; a format that the target
# does not have goes through f16.
# INT8: v_mfma_i32_16x16x64_i8
# E4M3FN: v_mfma_f32_32x32x64_f8f6f4 {{.*}}, v[{{[0-9:]+}}]{{$}}
# E5M2: v_mfma_f32_32x32x64_f8f6f4 {{.*}} cbsz:1 blgp:1
# E4M3FNUZ: v_mfma_f32_16x16x32_f16
# FLOAT64: v_mfma_f64_16x16x4_f64
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
