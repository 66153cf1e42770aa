# RUN: tilec %s --target=sm_90a --entry "sums('float16')" --emit=tile-pipelined | FileCheck %s --check-prefix=FUSED
# RUN: tilec %s --target=gfx950 --entry "sums('bfloat16')" --emit=tile-pipelined | FileCheck %s --check-prefix=APART
# RUN: tilec %s --target=gfx942 --entry "sums('float8_e4m3fnuz')" --emit=tile-pipelined | FileCheck %s --check-prefix=FUSED
# RUN: tilec %s --target=sm_90a --entry "sums('float32')" --emit=tile-pipelined | FileCheck %s --check-prefix=APART
# RUN: tilec %s --target=sm_90a --entry "sums('float16', form='scaled')" --emit=tile-pipelined | FileCheck %s --check-prefix=APART
# RUN: tilec %s --target=sm_90a --entry "sums('float16', form='far')" --emit=tile-pipelined | FileCheck %s --check-prefix=APART
# RUN: tilec %s --target=sm_90a --entry "sums('float16', form='near')" --emit=tile-pipelined | FileCheck %s --check-prefix=FUSED
# RUN: tilec %s --target=sm_90a --entry "sums('float16', form='kept')" --emit=tile-pipelined | FileCheck %s --check-prefix=FUSED
# RUN: tilec %s --target=sm_90a --entry "sums('float16', form='kept sum')" --emit=tile-pipelined | FileCheck %s --check-prefix=APART
# RUN: tilec %s --target=sm_90a --entry "sums('float16')" --emit=asm | FileCheck %s --check-prefix=PTX
# RUN: tilec %s --target=gfx950 --entry "sums('float16')" --emit=asm | FileCheck %s --check-prefix=ISA
# RUN: tilec-run %s --target=gfx950 --device=sim --check --entry "sums('float16', form='kept')" | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx942 --device=sim --check --entry "sums('float8_e4m3fnuz')" | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "sums('bfloat16')" | FileCheck %s --check-prefix=RIGHT
#
# A product of two numbers of f16 has at most 22 significant ones: it may be multiplied and added at once. A number
# of f32 whose last bits come from elsewhere may not; a fragment of f32 has what is stored to it. A product of bf16 may
# be infinite where the sum is not, and so may one with a far constant.
# FUSED:     [[PRODUCT:%[0-9]+]] = arith.mulf {{.*}} fastmath<contract>
# FUSED:     arith.addf {{.*}} fastmath<contract>
# APART:     arith.mulf
# APART-NOT: fastmath<contract>
# PTX:       fma.rn.f32
# PTX-NOT:   mul.rn.f32
# ISA:       v_{{(pk_)?}}fma
# ISA-NOT:   v_{{(pk_)?}}mul_f32
# RIGHT:     result {{ *}}PASS
import tilelang.language as T


def sums(dtype, form="", M=64, N=64):

    @T.prim_func
    def main(A: T.Tensor((4, M, N), dtype), B: T.Tensor((4, M, N), dtype), C: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=128) as _:
            a = T.alloc_fragment((M, N), dtype)
            b = T.alloc_fragment((M, N), dtype)
            wide = T.alloc_fragment((M, N), "float32")
            acc = T.alloc_fragment((M, N), "float32")
            T.clear(acc)
            for k in T.serial(4):
                T.copy(A[k, :, :], a)
                T.copy(B[k, :, :], b)
                for i, j in T.Parallel(M, N):
                    if form == "scaled":
                        acc[i, j] += (a[i, j] + T.cast(1.0, "float32")) * b[i, j]
                    elif form == "far":
                        acc[i, j] += a[i, j] * 1.329227995784916e36  # 2^120
                    elif form == "near":
                        acc[i, j] += a[i, j] * 1048576.0
                    elif form == "":
                        acc[i, j] += a[i, j] * b[i, j]
                if form == "kept" or form == "kept sum":
                    T.copy(a, wide)
                    if form == "kept sum":
                        for i, j in T.Parallel(M, N):
                            wide[i, j] = wide[i, j] + b[i, j]
                    for i, j in T.Parallel(M, N):
                        acc[i, j] += wide[i, j] * b[i, j]
            T.copy(acc, C)

    return main
