# Pipelined loops of mma.sync with a number of rounds that only the kernel knows (none, one, fewer than
# stages), within author's loops, and accumulators that are stored through the bytes of the rings.
# RUN: tilec-run %s --target=sm_80 --device=ptx --check --entry "counted(3)" --arg n=0 | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --check --entry "counted(3)" --arg n=1 --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --check --entry "counted(3)" --arg n=7 --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --check --entry "counted(5)" --arg n=3 --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --check --entry "counted(4)" --arg n=6 --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --check --entry "tiles(200, 136, 104)" | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --check --entry "tiles(200, 136, 104, dtype='float16', stages=4)" --sim-interleave=5 | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --check --entry "epilogue(120, 136, 72)" --sim-interleave=6 | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --check --entry "epilogue(120, 132, 72)" --sim-interleave=7 | FileCheck %s
# RUN: tilec-run %s --target=sm_80 --device=ptx --check --entry "epilogue(64, 128, 64, out='int8', dtype='int8')" --sim-interleave=8 | FileCheck %s
# RUN: tilec-run %s --target=sm_90 --device=ptx --check --entry "tiles(200, 136, 104)" --sim-interleave=9 | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T


def counted(stages, M=64, N=48, BK=32, dtype="bfloat16"):
    """The number of rounds is an argument."""

    @T.prim_func
    def main(A: T.Tensor((M, 256), dtype), B: T.Tensor((256, N), dtype), C: T.Tensor((M, N), "float32"), n: T.int32):
        with T.Kernel(1, threads=64):
            A_shared = T.alloc_shared((M, BK), dtype)
            B_shared = T.alloc_shared((BK, N), dtype)
            C_local = T.alloc_fragment((M, N), "float32")
            T.clear(C_local)
            for k in T.Pipelined(n, num_stages=stages):
                T.copy(A[0, k * BK], A_shared)
                T.copy(B[k * BK, 0], B_shared)
                T.gemm(A_shared, B_shared, C_local)
            T.copy(C_local, C)

    return main


def tiles(M, N, K, BM=64, BN=64, BK=32, programs=2, dtype="bfloat16", stages=3):
    """The next tile's copies go where the last tile's result was staged."""
    rows, cols = T.ceildiv(M, BM), T.ceildiv(N, BN)

    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(programs, threads=128) as program:
            A_shared = T.alloc_shared((BM, BK), dtype)
            B_shared = T.alloc_shared((BN, BK), dtype)
            C_local = T.alloc_fragment((BM, BN), "float32")
            for turn in T.serial(T.ceildiv(rows * cols, programs)):
                tile = turn * programs + program
                if tile < rows * cols:
                    T.clear(C_local)
                    for k in T.Pipelined(T.ceildiv(K, BK), num_stages=stages):
                        T.copy(A[tile // cols * BM, k * BK], A_shared)
                        T.copy(B[tile % cols * BN, k * BK], B_shared)
                        T.gemm(A_shared, B_shared, C_local, transpose_B=True)
                    T.copy(C_local, C[tile // cols * BM, tile % cols * BN])

    return main


def epilogue(M, N, K, BM=64, BN=64, BK=32, dtype="float16", out="float16"):
    """Bias, residual and activation in front of a staged store; rows of 132 elements are stored from registers."""
    sums = "int32" if dtype == "int8" else "float32"

    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), bias: T.Tensor((N,), sums), R: T.Tensor((M, N), out), C: T.Tensor((M, N), out)):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=128) as (bx, by):
            A_shared = T.alloc_shared((BM, BK), dtype)
            B_shared = T.alloc_shared((BN, BK), dtype)
            C_local = T.alloc_fragment((BM, BN), sums)
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, BK), num_stages=3):
                T.copy(A[by * BM, k * BK], A_shared)
                T.copy(B[bx * BN, k * BK], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_B=True)
            for i, j in T.Parallel(BM, BN):
                C[by * BM + i, bx * BN + j] = T.max(C_local[i, j] + bias[bx * BN + j], 0) + R[by * BM + i, bx * BN + j]

    return main
