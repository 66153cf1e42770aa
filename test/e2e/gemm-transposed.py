# NN, NT, TN and TT of every operand type through planned loops, which read what memory holds the other
# way round by transposing reads; results element by element, every check of the simulator on.
# RUN: tilec-run %s --entry "gemm(128, 128, 512, 128, 128, 64, 'nn', 'bfloat16', 'float32', 256)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(128, 128, 512, 128, 128, 64, 'nt', 'bfloat16', 'float32', 256)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(128, 128, 512, 128, 128, 64, 'tn', 'bfloat16', 'float32', 256)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(128, 128, 512, 128, 128, 64, 'tt', 'bfloat16', 'float32', 256)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(128, 128, 512, 128, 128, 64, 'nn', 'float16', 'float32', 256)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(128, 128, 512, 128, 128, 64, 'nt', 'float16', 'float32', 256)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(128, 128, 512, 128, 128, 64, 'tn', 'float16', 'float32', 256)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(128, 128, 512, 128, 128, 64, 'tt', 'float16', 'float32', 256)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(128, 128, 512, 128, 128, 128, 'nn', 'float8_e4m3fn', 'float32', 256)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(128, 128, 512, 128, 128, 128, 'nt', 'float8_e4m3fn', 'float32', 256)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(128, 128, 512, 128, 128, 128, 'tn', 'float8_e4m3fn', 'float32', 256)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(128, 128, 512, 128, 128, 128, 'tt', 'float8_e4m3fn', 'float32', 256)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(128, 128, 512, 128, 128, 128, 'nn', 'int8', 'int32', 256)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(128, 128, 512, 128, 128, 128, 'nt', 'int8', 'int32', 256)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(128, 128, 512, 128, 128, 128, 'tn', 'int8', 'int32', 256)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(128, 128, 512, 128, 128, 128, 'tt', 'int8', 'int32', 256)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(256, 256, 256, 256, 256, 64, 'tn', 'bfloat16')" --target=gfx950 --check --sim-mode=strict --sim-interleave=5 | FileCheck %s
# Operands of two matrix instructions in one read.
# RUN: tilec-run %s --entry "gemm(128, 128, 512, 128, 128, 64, 'nt', 'bfloat16', 'float32', 256, 2)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(128, 128, 512, 128, 128, 64, 'nn', 'bfloat16', 'float32', 256, 2)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(128, 128, 512, 128, 128, 32, 'nt', 'bfloat16', 'float32', 256, 2)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(128, 128, 512, 128, 128, 64, 'nt', 'int8', 'int32', 256, 2)" --target=gfx942 --check | FileCheck %s
# CHECK: spills {{ *}}0
# CHECK: result {{ *}}PASS
import tilelang.language as T


def gemm(M, N, K, block_M, block_N, block_K, form, dtype, accum="float32", threads=512, k_pack=1):
    trans_A, trans_B = form[0] == "t", form[1] == "t"
    A_shape = (K, M) if trans_A else (M, K)
    B_shape = (N, K) if trans_B else (K, N)
    A_tile = (block_K, block_M) if trans_A else (block_M, block_K)
    B_tile = (block_N, block_K) if trans_B else (block_K, block_N)

    @T.prim_func
    def main(A: T.Tensor(A_shape, dtype), B: T.Tensor(B_shape, dtype), C: T.Tensor((M, N), accum)):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            A_shared = T.alloc_shared(A_tile, dtype)
            B_shared = T.alloc_shared(B_tile, dtype)
            C_local = T.alloc_fragment((block_M, block_N), accum)
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
                if trans_A:
                    T.copy(A[k * block_K, by * block_M], A_shared)
                else:
                    T.copy(A[by * block_M, k * block_K], A_shared)
                if trans_B:
                    T.copy(B[bx * block_N, k * block_K], B_shared)
                else:
                    T.copy(B[k * block_K, bx * block_N], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_A=trans_A, transpose_B=trans_B, k_pack=k_pack)
            T.copy(C_local, C[by * block_M, bx * block_N])

    return main
