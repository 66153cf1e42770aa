# What scripts do to an accumulator before it is stored, on Hopper: computed on the way through shared memory and TMA.
# Ragged M, N and K; on the host, asynchrony at random.
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "fused('bias relu')" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "fused('shared bias')" --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "fused('residual')" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "fused('residual', dtype='float16', out='float16', BN=96, threads=128)" --sim-interleave=5 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "fused('cast')" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "fused('shared')" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "fused('two')" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "fused('two', BM=64, BN=192, threads=128, out='float16')" --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "fused('in place')" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "fused('sum')" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "fused('sum', BM=256, BN=64)" --sim-interleave=4 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "fused('two', N=336, out='float8_e4m3')" | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "fused('repeated')" --sim-interleave=6 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "fused('residual', 300, 520, 216, 128, 256, stages=4)" --schedule=cluster_m | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "fused('residual', 600, 520, 216, 64, 256, stages=3, threads=128)" --schedule=ping_pong | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --check --entry "fused('bias relu', N=327)" | FileCheck %s
# CHECK: result {{ *}}PASS
import tilelang.language as T


def fused(form, M=200, N=328, K=136, BM=128, BN=128, BK=64, dtype="bfloat16", out="bfloat16", stages=3, threads=256):
    """A product with what scripts do to it before it is stored."""

    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), bias: T.Tensor((N,), "float32"),
             scale: T.Tensor((M,), "float32"), R: T.Tensor((M, N), dtype), C: T.Tensor((M, N), out),
             D: T.Tensor((M, N), "float32")):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=threads) as (bx, by):
            A_shared = T.alloc_shared((BM, BK), dtype)
            B_shared = T.alloc_shared((BN, BK), dtype)
            C_local = T.alloc_fragment((BM, BN), "float32")
            C_cast = T.alloc_fragment((BM, BN), out)
            C_shared = T.alloc_shared((BM, BN), out)
            bias_shared = T.alloc_shared((BN,), "float32")
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, BK), num_stages=stages):
                T.copy(A[by * BM, k * BK], A_shared)
                T.copy(B[bx * BN, k * BK], B_shared)
                T.gemm(A_shared, B_shared, C_local, transpose_B=True)
            if form == "bias relu":
                for i, j in T.Parallel(BM, BN):
                    C[by * BM + i, bx * BN + j] = T.max(C_local[i, j] + bias[bx * BN + j], 0.0)
            elif form == "shared bias":
                T.copy(bias[bx * BN], bias_shared)
                for i, j in T.Parallel(BM, BN):
                    C_local[i, j] = C_local[i, j] + bias_shared[j]
                T.copy(C_local, C[by * BM, bx * BN])
            elif form == "residual":
                for i, j in T.Parallel(BM, BN):
                    if by * BM + i < M and bx * BN + j < N:
                        x = C_local[i, j] * scale[by * BM + i] + T.cast(R[by * BM + i, bx * BN + j], "float32")
                        C[by * BM + i, bx * BN + j] = x / (1.0 + T.exp(-1.702 * x))
            elif form == "cast":
                T.copy(C_local, C_cast)
                T.copy(C_cast, C[by * BM, bx * BN])
            elif form == "shared":
                T.copy(C_local, C_shared)
                T.copy(C_shared, C[by * BM, bx * BN])
            elif form == "two":
                for i, j in T.Parallel(BM, BN):
                    D[by * BM + i, bx * BN + j] = C_local[i, j]
                    C[by * BM + i, bx * BN + j] = T.max(C_local[i, j], 0.0)
            elif form == "in place":
                for i, j in T.Parallel(BM, BN):
                    D[by * BM + i, bx * BN + j] = D[by * BM + i, bx * BN + j] * 0.5 + C_local[i, j]
            elif form == "repeated":
                # The same elements again and again: each round sees the one before.
                for turn in T.serial(3):
                    for i, j in T.Parallel(BM, BN):
                        D[by * BM + i, bx * BN + j] = C_local[i, j] * turn
                    for i, j in T.Parallel(BM, BN):
                        C_local[i, j] = C_local[i, j] + 1.0
            elif form == "sum":
                for i, j in T.Parallel(BM, BN):
                    T.atomic_add(D[by * BM + i, bx * BN + j], C_local[i, j])

    return main
