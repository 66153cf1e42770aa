# Attention as upstream writes it: the result goes through a tile of shared memory, `O_shared`, to a box of a tensor of four
# dimensions. On sm_90a the tile is not needed: the accumulator is stored through TMA's own buffers, and tiles of
# 256 elements fit, which with 64 KB more would not.
# RUN: tilec %s --entry "attention(dim=256)" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=FORWARDED
# RUN: tilec %s --entry "attention(dim=128, is_causal=True)" --target=sm_90a --emit=tile-pipelined | FileCheck %s --check-prefix=FORWARDED
# FORWARDED-NOT: "O_shared"
# FORWARDED:     tile.store_tile
# RUN: tilec-run %s --entry "attention(dim=256, heads=1, seq_q=256, seq_kv=192)" --target=sm_90a --device=ptx --check --sim-interleave=1 | FileCheck %s
# RUN: tilec-run %s --entry "attention(batch=2, dim=64, heads=2, seq_q=200, seq_kv=200, is_causal=True)" --target=sm_90a --device=ptx --check --sim-interleave=2 | FileCheck %s
# RUN: tilec-run %s --entry "attention(dim=192, heads=1, seq_q=200, seq_kv=300, block_N=128, num_stages=1)" --target=sm_90a --device=ptx --check --sim-interleave=3 | FileCheck %s
# RUN: tilec-run %s --entry "attention(dim=64, heads=2, seq_q=128, seq_kv=128, num_stages=1)" --target=sm_80 --device=ptx --check | FileCheck %s
# RUN: tilec-run %s --entry "attention(dim=64, heads=2, seq_q=128, seq_kv=128)" --target=gfx950 --check | FileCheck %s
# RUN: tilec-run %s --entry "attention(dim=64, heads=1, seq_q=256, seq_kv=256, is_causal=True)" --target=gfx942 --check | FileCheck %s
# RUN: %if ptxas %{ tilec %s --entry "attention(dim=256, seq_q=4096, seq_kv=4096)" --target=sm_90a --strict -o %t.cubin %}
# CHECK: result {{ *}}PASS
import tilelang
import tilelang.language as T


def attention(batch=1, heads=2, seq_q=512, seq_kv=512, dim=256, is_causal=False, block_M=128, block_N=64, num_stages=2, threads=256,
              top=False):
    scale = (1.0 / dim) ** 0.5 * 1.44269504
    q_shape = [batch, seq_q, heads, dim]
    kv_shape = [batch, seq_kv, heads, dim]
    dtype = "float16"
    accum_dtype = "float"

    @T.prim_func
    def main(Q: T.Tensor(q_shape, dtype), K: T.Tensor(kv_shape, dtype), V: T.Tensor(kv_shape, dtype), Output: T.Tensor(q_shape, dtype),
             Top: T.Tensor([batch, heads, seq_q], accum_dtype)):
        with T.Kernel(T.ceildiv(seq_q, block_M), heads, batch, threads=threads) as (bx, by, bz):
            Q_shared = T.alloc_shared([block_M, dim], dtype)
            K_shared = T.alloc_shared([block_N, dim], dtype)
            V_shared = T.alloc_shared([block_N, dim], dtype)
            O_shared = T.alloc_shared([block_M, dim], dtype)
            acc_s = T.alloc_fragment([block_M, block_N], accum_dtype)
            acc_s_cast = T.alloc_fragment([block_M, block_N], dtype)
            acc_o = T.alloc_fragment([block_M, dim], accum_dtype)
            scores_max = T.alloc_fragment([block_M], accum_dtype)
            scores_max_prev = T.alloc_fragment([block_M], accum_dtype)
            scores_scale = T.alloc_fragment([block_M], accum_dtype)
            scores_sum = T.alloc_fragment([block_M], accum_dtype)
            logsum = T.alloc_fragment([block_M], accum_dtype)

            T.copy(Q[bz, bx * block_M:(bx + 1) * block_M, by, :], Q_shared)
            T.fill(acc_o, 0)
            T.fill(logsum, 0)
            T.fill(scores_max, -T.infinity(accum_dtype))
            loop_range = T.min(T.ceildiv(seq_kv, block_N), T.ceildiv((bx + 1) * block_M, block_N)) if is_causal else T.ceildiv(seq_kv, block_N)
            for k in T.Pipelined(loop_range, num_stages=num_stages):
                T.copy(K[bz, k * block_N:(k + 1) * block_N, by, :], K_shared)
                if is_causal:
                    for i, j in T.Parallel(block_M, block_N):
                        acc_s[i, j] = T.if_then_else(bx * block_M + i >= k * block_N + j, 0, -T.infinity(acc_s.dtype))
                else:
                    T.clear(acc_s)
                T.gemm(Q_shared, K_shared, acc_s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                T.copy(scores_max, scores_max_prev)
                T.fill(scores_max, -T.infinity(accum_dtype))
                T.reduce_max(acc_s, scores_max, dim=1, clear=False)
                for i in T.Parallel(block_M):
                    scores_max[i] = T.max(scores_max[i], scores_max_prev[i])
                for i in T.Parallel(block_M):
                    scores_scale[i] = T.exp2(scores_max_prev[i] * scale - scores_max[i] * scale)
                for i, j in T.Parallel(block_M, block_N):
                    acc_s[i, j] = T.exp2(acc_s[i, j] * scale - scores_max[i] * scale)
                T.reduce_sum(acc_s, scores_sum, dim=1)
                for i in T.Parallel(block_M):
                    logsum[i] = logsum[i] * scores_scale[i] + scores_sum[i]
                T.copy(acc_s, acc_s_cast)
                for i, j in T.Parallel(block_M, dim):
                    acc_o[i, j] *= scores_scale[i]
                T.copy(V[bz, k * block_N:(k + 1) * block_N, by, :], V_shared)
                T.gemm(acc_s_cast, V_shared, acc_o, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(block_M, dim):
                acc_o[i, j] /= logsum[i]
            T.copy(acc_o, O_shared)
            T.copy(O_shared, Output[bz, bx * block_M:(bx + 1) * block_M, by, :])
            if top:
                T.reduce_max(O_shared, scores_max, dim=1)
                for i in T.Parallel(block_M):
                    if bx * block_M + i < seq_q:
                        Top[bz, by, bx * block_M + i] = scores_max[i]

    return main
