# Attention forward in the forms that models use agrees with the cpu reference on both simulated chips: causal,
# queries that share heads of keys, sequences of different lengths, log-sum-exp beside the output.
# RUN: tilec-run %s --entry "attention(1, 2, 2, 128, 64)" --target=gfx950 --check --seed 1 | FileCheck %s
# RUN: tilec-run %s --entry "attention(1, 2, 2, 128, 64)" --target=gfx942 --check --seed 2 | FileCheck %s
# RUN: tilec-run %s --entry "attention(1, 2, 1, 128, 64, causal=True, stages=3)" --target=gfx950 --check --seed 3 | FileCheck %s
# RUN: tilec-run %s --entry "attention(1, 4, 2, 64, 128, causal=True, stages=1)" --target=gfx942 --check --seed 4 | FileCheck %s
# RUN: tilec-run %s --entry "attention(2, 2, 2, 128, 64, lengths=True)" --target=gfx950 --check --seed 5 --arg Lengths=77 | FileCheck %s
# RUN: tilec-run %s --entry "attention(1, 1, 1, 64, 256, stages=1)" --target=gfx942 --check --seed 6 | FileCheck %s
# CHECK: result {{ *}}PASS
#
# On sm_90a the gemms of all forms are overlapped with the softmax, without a spill.
# RUN: tilec %s --entry "attention(1, 2, 2, 512, 128, 128, 128, 256)" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=OVERLAP
# RUN: tilec %s --entry "attention(1, 2, 1, 512, 64, 128, 128, 256, causal=True, stages=3)" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=OVERLAP
# A length of 0 masks whole rows with -1e30: scaled, it must not be rounded in one place and exact in another.
# RUN: tilec-run %s --entry "attention(1, 2, 2, 512, 64, 128, 128, 256, lengths=True)" --target=sm_90a --device=ptx --check --arg Lengths=0 | FileCheck %s
# RUN: tilec-run %s --entry "attention(1, 2, 2, 128, 64, lengths=True)" --target=sm_80 --device=ptx --check --arg Lengths=0 | FileCheck %s
# RUN: tilec %s --entry "attention(1, 2, 2, 512, 64, 128, 128, 256, lengths=True)" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=OVERLAP
# RUN: tilec %s --entry "attention(1, 1, 1, 512, 256, 128, 64, 256)" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=OVERLAP
# RUN: %if ptxas %{ tilec %s --entry "attention(1, 2, 1, 512, 128, 128, 128, 256, causal=True)" --target=sm_90a --strict -o %t.cubin %}
# RUN: %if ptxas %{ tilec %s --entry "attention(1, 2, 2, 512, 64, 192, 128, 384, lengths=True)" --target=sm_90a --strict -o %t.cubin %}
# OVERLAP: tile.gemm_wait {{.*}} pending 1
# OVERLAP: tile.issue_fence
import tilelang
import tilelang.language as T


def attention(B, H, KV_heads, S, D, block_M=64, block_N=64, threads=128, stages=2, causal=False, lengths=False,
              dtype="float16"):
    scale = (1.0 / D) ** 0.5 * 1.44269504
    shared_by = H // KV_heads
    low = -1e30

    @T.prim_func
    def main(Q: T.Tensor((B, S, H, D), dtype), K: T.Tensor((B, S, KV_heads, D), dtype),
             V: T.Tensor((B, S, KV_heads, D), dtype), Lengths: T.Tensor((B,), "int32"),
             Out: T.Tensor((B, S, H, D), dtype), Lse: T.Tensor((B, H, S), "float32")):
        with T.Kernel(H, T.ceildiv(S, block_M), B, threads=threads) as (head, rows, batch):
            Q_shared = T.alloc_shared((block_M, D), dtype)
            K_shared = T.alloc_shared((block_N, D), dtype)
            V_shared = T.alloc_shared((block_N, D), dtype)
            scores = T.alloc_fragment((block_M, block_N), "float32")
            weights = T.alloc_fragment((block_M, block_N), dtype)
            out = T.alloc_fragment((block_M, D), "float32")
            top = T.alloc_fragment((block_M,), "float32")
            top_before = T.alloc_fragment((block_M,), "float32")
            fade = T.alloc_fragment((block_M,), "float32")
            row_sum = T.alloc_fragment((block_M,), "float32")
            total = T.alloc_fragment((block_M,), "float32")
            T.copy(Q[batch, rows * block_M:(rows + 1) * block_M, head, :], Q_shared)
            T.fill(out, 0)
            T.fill(total, 0)
            T.fill(top, low)
            rounds = T.min(T.ceildiv((rows + 1) * block_M, block_N), T.ceildiv(S, block_N)) if causal else T.ceildiv(S, block_N)
            for k in T.Pipelined(rounds, num_stages=stages):
                T.copy(K[batch, k * block_N:(k + 1) * block_N, head // shared_by, :], K_shared)
                T.clear(scores)
                T.gemm(Q_shared, K_shared, scores, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                if causal:
                    for i, j in T.Parallel(block_M, block_N):
                        scores[i, j] = T.if_then_else(rows * block_M + i >= k * block_N + j, scores[i, j], low)
                if lengths:
                    for i, j in T.Parallel(block_M, block_N):
                        scores[i, j] = T.if_then_else(k * block_N + j < Lengths[batch], scores[i, j], low)
                T.copy(top, top_before)
                T.reduce_max(scores, top, dim=1, clear=False)
                for i in T.Parallel(block_M):
                    fade[i] = T.exp2(top_before[i] * scale - top[i] * scale)
                for i, j in T.Parallel(block_M, block_N):
                    scores[i, j] = T.exp2(scores[i, j] * scale - top[i] * scale)
                T.reduce_sum(scores, row_sum, dim=1)
                for i in T.Parallel(block_M):
                    total[i] = total[i] * fade[i] + row_sum[i]
                T.copy(scores, weights)
                for i, j in T.Parallel(block_M, D):
                    out[i, j] *= fade[i]
                T.copy(V[batch, k * block_N:(k + 1) * block_N, head // shared_by, :], V_shared)
                T.gemm(weights, V_shared, out, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(block_M, D):
                out[i, j] /= total[i]
            T.copy(out, Out[batch, rows * block_M:(rows + 1) * block_M, head, :])
            for i in T.Parallel(block_M):
                total[i] = T.log2(total[i]) + top[i] * scale
            T.copy(total, Lse[batch, head, rows * block_M:(rows + 1) * block_M])

    return main
