# Products of a 2:4 sparse A: B either way, one and two slabs a warp group, asynchrony at random. The places are made
# by another kernel. (Where the target has instructions for them, `hasSparseGroups`, warp groups multiply A as it is.)
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "places(256, 512)" --check --save E=%t.npy | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "product(BM=128, BN=256, threads=256)" --arg E=%t.npy --check | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "product(BM=128, BN=64, threads=128, turns=True)" --arg E=%t.npy --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "product('bfloat16', BM=64, BN=128, BK=64, threads=128, stages=3)" --arg E=%t.npy --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --target=sm_90a --device=ptx --entry "product(BM=64, BN=64, BK=32, threads=128)" --arg E=%t.npy --check | FileCheck %s
# RUN: tilec-run %s --target=gfx942 --entry "product(BM=64, BN=64, BK=64, threads=256)" --arg E=%t.npy --check | FileCheck %s
# CHECK: PASS
import tilelang.language as T

PAIRS = [0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110]


def places(M, K):
    @T.prim_func
    def main(Choice: T.Tensor((M, K // 4), "int32"), E: T.Tensor((M, K // 16), "int16")):
        with T.Kernel(M // 32, threads=128) as by:
            for i, w in T.Parallel(32, K // 16):
                word = T.int32(0)
                for g in range(4):
                    chosen = T.int32(PAIRS[0])
                    for at, pair in enumerate(PAIRS):
                        number = Choice[by * 32 + i, w * 4 + g] & 7
                        chosen = T.if_then_else(number % len(PAIRS) == at, pair, chosen)
                    word = word | (chosen << (4 * g))
                E[by * 32 + i, w] = T.cast(word, "int16")

    return main


def product(dtype="float16", BM=128, BN=128, BK=128, threads=128, stages=2, turns=False, M=256, N=256, K=512):
    @T.prim_func
    def main(A: T.Tensor((M, K // 2), dtype), E: T.Tensor((M, K // 16), "int16"),
             B: T.Tensor((N, K) if turns else (K, N), dtype), C: T.Tensor((M, N), "float32")):
        with T.Kernel(N // BN, M // BM, threads=threads) as (bx, by):
            A_shared = T.alloc_shared((BM, BK // 2), dtype)
            E_shared = T.alloc_shared((BM, BK // 16), "int16")
            B_shared = T.alloc_shared((BN, BK) if turns else (BK, BN), dtype)
            C_local = T.alloc_fragment((BM, BN), "float32")
            T.clear(C_local)
            for k in T.Pipelined(K // BK, num_stages=stages):
                T.copy(A[by * BM, k * BK // 2], A_shared)
                T.copy(E[by * BM, k * BK // 16], E_shared)
                if turns:
                    T.copy(B[bx * BN, k * BK], B_shared)
                else:
                    T.copy(B[k * BK, bx * BN], B_shared)
                T.gemm_sp(A_shared, E_shared, B_shared, C_local, transpose_B=turns)
            T.copy(C_local, C[by * BM, bx * BN])

    return main
