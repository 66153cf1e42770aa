# Where no matrix instruction keeps all bits of float32, lanes add up 8 x 8 parts of C: reads of 16 bytes, fused
# multiply-adds, a loop that stays small. Tiles that waves cannot share evenly are summed element by element, fused too.
# RUN: tilec %s --target=sm_90a --entry "product()" --emit=ptx | FileCheck %s --implicit-check-not=mul.rn.f32 --implicit-check-not=add.rn.f32
# RUN: tilec %s --target=sm_80 --entry "product(trans_A=True, trans_B=True)" --emit=ptx | FileCheck %s --implicit-check-not=mul.rn.f32
# RUN: tilec %s --target=sm_90a --entry "product(block_M=40, block_N=24)" --emit=ptx | FileCheck %s --check-prefix=ELEMENTS --implicit-check-not=mul.rn.f32
# RUN: tilec %s --target=sm_90a --entry "product()" --emit=report | FileCheck %s --check-prefix=REPORT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "product()" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "product(trans_A=True)" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_80 --device=ptx --check --entry "product(trans_A=True, trans_B=True)" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "product(trans_B=True, held=True)" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_120 --device=ptx --check --entry "product(block_M=48, block_N=96, block_K=20, threads=96)" | FileCheck %s --check-prefix=RESULT
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "product(block_M=40, block_N=24)" | FileCheck %s --check-prefix=RESULT
# CHECK: .pragma "nounroll"
# CHECK: ld.shared.v4.b32
# CHECK: fma.rn.f32
# ELEMENTS: fma.rn.f32
# REPORT: FFMA:512
# RESULT: result {{ *}}PASS
import tilelang.language as T


def product(M=256, N=128, K=128, block_M=128, block_N=128, block_K=32, threads=256, trans_A=False, trans_B=False,
            held=False):
    dtype = "float32"

    @T.prim_func
    def main(A: T.Tensor((K, M) if trans_A else (M, K), dtype), B: T.Tensor((N, K) if trans_B else (K, N), dtype),
             C: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            a = T.alloc_shared((block_K, block_M) if trans_A else (block_M, block_K), dtype)
            b = T.alloc_shared((block_N, block_K) if trans_B else (block_K, block_N), dtype)
            f = T.alloc_fragment((block_M, block_K), dtype)
            c = T.alloc_fragment((block_M, block_N), dtype)
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
                if trans_A:
                    T.copy(A[k * block_K, by * block_M], a)
                else:
                    T.copy(A[by * block_M, k * block_K], a)
                if trans_B:
                    T.copy(B[bx * block_N, k * block_K], b)
                else:
                    T.copy(B[k * block_K, bx * block_N], b)
                if held:
                    T.copy(a, f)
                    T.gemm(f, b, c, transpose_B=trans_B)
                else:
                    T.gemm(a, b, c, transpose_A=trans_A, transpose_B=trans_B)
            T.copy(c, C[by * block_M, bx * block_N])

    return main
