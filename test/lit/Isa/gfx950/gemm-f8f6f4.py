# RUN: tilec %s --target=gfx950 --entry "gemm(1024, 1024, 1024)" --emit=report | FileCheck %s
# RUN: tilec %s --target=gfx950 --entry "gemm(1024, 1024, 1024, tb=False)" --emit=report | FileCheck %s
# RUN: tilec %s --target=gfx950 --entry "gemm(1024, 1024, 1024, ta=True)" --emit=report | FileCheck %s
# RUN: tilec %s --target=gfx950 --entry "gemm(1024, 1024, 1024, ta=True, tb=False)" --emit=report | FileCheck %s
# RUN: tilec %s --target=gfx950 --entry "gemm(1024, 1024, 1024)" --emit=asm | FileCheck %s --check-prefix=E4
# RUN: tilec %s --target=gfx950 --entry "gemm(1024, 1024, 1024, dtype='float8_e5m2')" --emit=asm | FileCheck %s --check-prefix=E5
# RUN: tilec %s --target=gfx950 --entry "gemm(1024, 1024, 1024, dtype_b='float8_e5m2')" --emit=asm | FileCheck %s --check-prefix=MIXED
# RUN: tilec %s --target=gfx950 --entry "gemm(1024, 1024, 1024, block_K=64)" --emit=asm | FileCheck %s --check-prefix=NARROW
# RUN: tilec %s --target=gfx950 --entry "gemm(1024, 1024, 1024, block_K=32)" --emit=asm | FileCheck %s --check-prefix=OLDER
# RUN: tilec-run %s --target=gfx950 --entry "gemm(256, 256, 512, block_K=64)" --check --sim-mode=strict | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx950 --entry "gemm(256, 256, 320, ta=True, tb=False, dtype='float8_e5m2', block_K=64)" --check | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx950 --entry "gemm(200, 300, 400, dtype_b='float8_e5m2', tb=False, block_M=128, block_N=96, threads=256, block_K=64)" --check | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx950 --entry "gemm(256, 256, 512)" --check --sim-mode=strict | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx950 --entry "gemm(256, 256, 640, tb=False)" --check --sim-mode=strict | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx950 --entry "gemm(256, 256, 384, ta=True, tb=False, dtype='float8_e5m2')" --check | FileCheck %s --check-prefix=RIGHT
# RUN: tilec-run %s --target=gfx950 --entry "gemm(200, 300, 400, dtype_b='float8_e5m2', block_M=128, block_N=128, threads=256)" --check | FileCheck %s --check-prefix=RIGHT
#
# 8-bit floats multiply with the instruction for all narrow floats, twice as fast as the older ones, where a K tile holds 128
# of them (the shape 32x32x64 where it holds 64): all forms in one plan, without spills, waits for everything or bank conflicts. cbsz and blgp name the formats;
# the script's B is the instruction's A.

# CHECK:      spills 0 vector, 0 scalar; {{.*}} accumulator moves 0
# CHECK:      (hot):
# CHECK-NEXT: 64 mfma,
# CHECK-NOT:  vmcnt(0)
# CHECK:      LDS bank conflicts: 0 cycles a round
# E4:         v_mfma_f32_16x16x128_f8f6f4 v[{{[0-9:]+}}], v[{{[0-9:]+}}], v[{{[0-9:]+}}], v[{{[0-9:]+}}]{{$}}
# E5:         v_mfma_f32_16x16x128_f8f6f4 {{.*}} cbsz:1 blgp:1
# MIXED:      v_mfma_f32_16x16x128_f8f6f4 {{.*}}, v[{{[0-9:]+}}] cbsz:1{{$}}
# NARROW:     v_mfma_f32_32x32x64_f8f6f4
# OLDER:      v_mfma_f32_16x16x32_fp8_fp8
# RIGHT:      PASS
import tilelang.language as T


def gemm(M, N, K, ta=False, tb=True, block_M=256, block_N=256, block_K=128, threads=512, dtype="float8_e4m3", dtype_b=None, panel=8):
    db = dtype_b or dtype
    sa = (K, M) if ta else (M, K)
    sb = (N, K) if tb else (K, N)
    ba = (block_K, block_M) if ta else (block_M, block_K)
    bb = (block_N, block_K) if tb else (block_K, block_N)

    @T.prim_func
    def main(A: T.Tensor(sa, dtype), B: T.Tensor(sb, db), C: T.Tensor((M, N), "bfloat16")):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            A_shared = T.alloc_shared(ba, dtype)
            B_shared = T.alloc_shared(bb, db)
            C_local = T.alloc_fragment((block_M, block_N), "float32")
            T.use_swizzle(panel)
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
                if ta:
                    T.copy(A[k * block_K, by * block_M], A_shared)
                else:
                    T.copy(A[by * block_M, k * block_K], A_shared)
                if tb:
                    T.copy(B[bx * block_N, k * block_K], B_shared)
                else:
                    T.copy(B[k * block_K, bx * block_N], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_A=ta, transpose_B=tb)
            T.copy(C_local, C[by * block_M, bx * block_N])

    return main
