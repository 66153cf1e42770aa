# NN, NT, TN and TT, tiles that are no power of two, ragged M, N and K, one to four stages, and
# block sizes from one wave on.
# RUN: tilec-run %s --entry "chosen()" --target=gfx942 --check --seed 1 --arg C=randn | FileCheck %s
# RUN: tilec-run %s --entry "chosen()" --target=gfx950 --check --seed 1 --arg C=randn | FileCheck %s
# RUN: tilec-run %s --entry "gemm(128, 128, 64, 64, 64, 32, 'nn', 'float16', 2, 128)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(128, 128, 64, 64, 64, 32, 'nt', 'bfloat16', 3, 128)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(128, 128, 64, 64, 64, 32, 'tn', 'float16', 2, 256)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(128, 128, 64, 64, 64, 32, 'tt', 'bfloat16', 2, 256)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(200, 120, 136, 96, 48, 32, 'nt', 'bfloat16', 2, 192)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(200, 120, 136, 96, 48, 32, 'nn', 'float16', 2, 192)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(33, 17, 40, 32, 32, 16, 'nt', 'float16', 1, 64)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(65, 63, 100, 64, 64, 32, 'nn', 'bfloat16', 4, 128)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(64, 64, 48, 64, 64, 24, 'nt', 'float16', 2, 128)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(1, 64, 64, 1, 64, 32, 'nt', 'float16', 2, 64)" --target=gfx950 --check | FileCheck %s
# One wave copies and multiplies.
# RUN: tilec-run %s --entry "gemm(32, 32, 64, 32, 32, 16, 'nt', 'float32', 3, 64)" --target=gfx942 --check | FileCheck %s
# RUN: tilec-run %s --entry "gemm(32, 32, 64, 32, 32, 16, 'nt', 'float32', 3, 64)" --target=gfx950 --check | FileCheck %s
# Many small copies: vmcnt counts to 62. And so few tiles that a planned loop has one round.
# RUN: tilec-run %s --entry "gemm(320, 96, 316, 160, 48, 64, 'nn', 'float16', 3, 64)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "gemm(120, 88, 80, 64, 48, 16, 'nn', 'float16', 3, 128)" --target=gfx950 --check 2>&1 | FileCheck %s --implicit-check-not="planned order"
# One wave in a planned loop, with copies for whose targets registers suffice and with more.
# RUN: tilec-run %s --entry "gemm(64, 61, 160, 64, 64, 32, 'nt', 'float16', 2, 64)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "gemm(120, 128, 640, 128, 64, 128, 'tt', 'float16', 2, 64)" --target=gfx950 --check --sim-mode=strict | FileCheck %s
# RUN: tilec-run %s --entry "gemm(128, 64, 128, 128, 64, 32, 'nt', 'bfloat16', 2, 64)" --target=gfx942 --check | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T


def gemm(M, N, K, block_M, block_N, block_K, form, dtype, stages, threads):
    trans_A, trans_B = form[0] == "t", form[1] == "t"
    A_shape = (K, M) if trans_A else (M, K)
    B_shape = (N, K) if trans_B else (K, N)
    A_tile = (block_K, block_M) if trans_A else (block_M, block_K)
    B_tile = (block_N, block_K) if trans_B else (block_K, block_N)

    @T.prim_func
    def main(A: T.Tensor(A_shape, dtype), B: T.Tensor(B_shape, dtype), C: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=threads) as (bx, by):
            A_shared = T.alloc_shared(A_tile, dtype)
            B_shared = T.alloc_shared(B_tile, dtype)
            C_local = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=stages):
                if trans_A:
                    T.copy(A[k * block_K, by * block_M], A_shared)
                else:
                    T.copy(A[by * block_M, k * block_K], A_shared)
                if trans_B:
                    T.copy(B[bx * block_N, k * block_K], B_shared)
                else:
                    T.copy(B[k * block_K, bx * block_N], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_A=trans_A, transpose_B=trans_B)
            T.copy(C_local, C[by * block_M, bx * block_N])

    return main


def chosen(M=16):
    # Elements of an accumulator in nested branches: LLVM's StructurizeCFG loses one (docs/machine-code/codegen.md).
    @T.prim_func
    def main(
        A: T.Tensor((M, 4), "float32"), B: T.Tensor((4, 16), "float32"), C: T.Tensor((M, 16), "float32"),
        R: T.Tensor((M, 16), "float32")
    ):
        with T.Kernel(1, threads=64) as bx:
            a = T.alloc_shared((M, 4), "float32")
            b = T.alloc_shared((4, 16), "float32")
            c = T.alloc_fragment((M, 16), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.gemm(a, b, c, clear_accum=True)
            for i, j in T.Parallel(M, 16):
                near = T.Or(i % 4 != 1, -0.5 < C[i, j] < 0.75)
                R[i, j] = T.if_then_else(C[i, j] != 1, c[i, j] if near else 55.0, 77.0)

    return main
