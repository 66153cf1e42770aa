# Stages that shared memory does not hold become fewer, also where a stage takes more than it did before: K and V share
# bytes until copies run ahead, and waves that add up rows together need a place for it.
# RUN: tilec %s --target=sm_90a --entry "rows(6)" --remarks --ptx-assembler=none -o %t.ptx 2>&1 | FileCheck %s --check-prefix=ROWS
# RUN: tilec %s --target=sm_90a --entry "two(128, 128, 176, 256, 3)" --remarks --ptx-assembler=none -o %t.ptx 2>&1 | FileCheck %s --check-prefix=TMA
# RUN: tilec %s --target=sm_80 --entry "two(128, 128, 128, 256, 4)" --remarks --ptx-assembler=none -o %t.ptx 2>&1 | FileCheck %s --check-prefix=ASYNC
# RUN: tilec %s --target=gfx942 --entry "two(128, 64, 64, 256, 4)" --remarks -o %t.hsaco 2>&1 | FileCheck %s --check-prefix=AMD
# ROWS: remark: pipelined with 4 instead of 6 stages: shared memory holds no more
# TMA: remark: pipelined with 2 instead of 3 stages: shared memory holds no more
# ASYNC: remark: pipelined with 2 instead of 4 stages: shared memory holds no more
# AMD: remark: pipelined with 2 instead of 4 stages: shared memory holds no more
import tilelang.language as T


def rows(stages, M=640, N=288, K=512):
    @T.prim_func
    def main(A: T.Tensor((M, K), "bfloat16"), B: T.Tensor((K, N), "bfloat16"), C: T.Tensor((M, N), "bfloat16")):
        with T.Kernel(T.ceildiv(N, 96), T.ceildiv(M, 256), threads=512) as (bx, by):
            A_shared = T.alloc_shared((256, 64), "bfloat16")
            B_shared = T.alloc_shared((64, 96), "bfloat16")
            C_local = T.alloc_fragment((256, 96), "float32")
            top = T.alloc_fragment((256,), "float32")
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, 64), num_stages=stages):
                T.copy(A[by * 256, k * 64], A_shared)
                T.copy(B[k * 64, bx * 96], B_shared)
                T.gemm(A_shared, B_shared, C_local)
            T.reduce_max(C_local, top, dim=1)
            for i, j in T.Parallel(256, 96):
                C_local[i, j] = C_local[i, j] - top[i]
            T.copy(C_local, C[by * 256, bx * 96])

    return main


def two(D, block_M, block_N, threads, stages, S=1024):
    @T.prim_func
    def main(Q: T.Tensor((S, D), "float16"), K: T.Tensor((S, D), "float16"), V: T.Tensor((S, D), "float16"),
             Out: T.Tensor((S, D), "float16")):
        with T.Kernel(T.ceildiv(S, block_M), threads=threads) as bx:
            Q_shared = T.alloc_shared((block_M, D), "float16")
            K_shared = T.alloc_shared((block_N, D), "float16")
            V_shared = T.alloc_shared((block_N, D), "float16")
            scores = T.alloc_fragment((block_M, block_N), "float32")
            weights = T.alloc_fragment((block_M, block_N), "float16")
            out = T.alloc_fragment((block_M, D), "float32")
            T.copy(Q[bx * block_M, 0], Q_shared)
            T.clear(out)
            for k in T.Pipelined(T.ceildiv(S, block_N), num_stages=stages):
                T.copy(K[k * block_N, 0], K_shared)
                T.clear(scores)
                T.gemm(Q_shared, K_shared, scores, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                for i, j in T.Parallel(block_M, block_N):
                    scores[i, j] = T.exp2(scores[i, j])
                T.copy(scores, weights)
                T.copy(V[k * block_N, 0], V_shared)
                T.gemm(weights, V_shared, out, policy=T.GemmWarpPolicy.FullRow)
            T.copy(out, Out[bx * block_M, 0])

    return main
